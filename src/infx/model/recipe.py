"""A server configuration as it is bound for one concurrency."""

from typing import Literal

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


class Role(Value):
    """The workers of one role, each on `gpus` accelerators.

    `nodes` is the word `colocate` where the role shares the nodes of prefill. `args` are the
    engine's own, in its own spelling; `extra_args` are words as they stand on its command line.
    """

    nodes: int | Literal["colocate"] | None = None
    workers: int | None = None
    gpus: int | None = None
    args: dict[str, JsonValue] = Field(default_factory=dict)
    extra_args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    engine: str | None = None
    kv_events: JsonValue = None
    sidecar: bool | None = None
    critical: bool | None = None


class BoundRecipe(Value):
    """What a server is at one concurrency. What nobody stated is null.

    `name` labels it for people (`endpoint` for a bare URL) and is no part of its identity.
    `checkpoint` is the revision or digest of the weights. `gpus` counts accelerators over all
    roles. A recipe file states its topology, arguments and environment in `roles` (`agg`, or
    `prefill` and `decode`); `settings` holds its other sections that are not site leaves.
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
    roles: dict[str, Role] = Field(default_factory=dict)
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    site: Site = Field(default_factory=Site)
