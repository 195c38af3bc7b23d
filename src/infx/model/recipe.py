"""A server configuration as it is bound for one concurrency."""

from pydantic import Field, JsonValue

from infx.model.value import Value


class Site(Value):
    """The leaves of a recipe that say where it runs, not what runs: never part of its identity."""

    job_name: str | None = None
    paths: dict[str, str] = Field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    partition: str | None = None
    account: str | None = None
    ports: dict[str, int] = Field(default_factory=dict)
    mounts: tuple[str, ...] = ()
    logs: str | None = None
    health_limit_s: int | None = None
    staging_path: str | None = None


class BoundRecipe(Value):
    """What a server is at one concurrency. What nobody stated is null.

    `name` is `endpoint` for a bare URL. `checkpoint` is the revision or digest of the weights.
    `gpus` counts accelerators over all roles.
    """

    name: str
    engine: str | None = None
    image: str | None = None
    model: str | None = None
    checkpoint: str | None = None
    precision: str | None = None
    hardware: str | None = None
    gpus: int | None = None
    topology: dict[str, int] | None = None
    speculative: str | None = None
    disaggregated: bool | None = None
    offload: str | None = None
    flags: dict[str, JsonValue] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    draft: dict[str, JsonValue] | None = None
    site: Site = Field(default_factory=Site)
