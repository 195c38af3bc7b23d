"""Where points may run: one record of a cluster, and what its scheduler needs.

The October form of runners.yaml. Every value under an `env` is text, as it was written.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, WithJsonSchema

from infx.model.catalog import CLUSTER, Hardware, Positive, Runners, Word
from infx.model.value import KebabValue


def _no_comma(text: str) -> str:
    if "," in text:
        raise ValueError("a comma would split Slurm's export list")
    return text


def _long_option(text: str) -> str:
    if not text.startswith("--") or len(text) == 2:
        raise ValueError("only long options are allowed, as --mem=0")
    return text


def _inside(path: str) -> str:
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        raise ValueError("the path must be relative and stay inside the repository")
    return path


def _gres(text: str) -> str:
    if "{gpus}" not in text or set("{}") & set(text.replace("{gpus}", "")):
        raise ValueError("the template must have {gpus} and no other placeholder")
    return text


EnvironmentText = Annotated[str, WithJsonSchema({"type": ["string", "number", "boolean"]})]
"""What a file says in any form, and an environment gets as it was written."""
Port = Annotated[int, Field(ge=1, le=65535)]
HostPath = Annotated[str, Field(pattern="^[/~]")]
LongOption = Annotated[
    str, AfterValidator(_long_option), Field(json_schema_extra={"pattern": "^--."})
]
Visibility = Literal["shared", "node-local"]
KeyStyle = Literal["underscore", "plus", "plus-strip-nvcr"]
ImportMode = Literal["submit-host", "compute", "all-nodes", "pre-staged", "unchecked"]


class ModelPlace(KebabValue):
    """Where a checkpoint lies: a directory of a volume."""

    root: Word = Field(description="A volume of the scheduler's record.")
    dir: Word


class Models(KebabValue):
    """Checkpoints that are staged on the cluster."""

    entries: dict[str, ModelPlace] = Field(default_factory=dict)
    download_root: Word | None = Field(default=None, description="The volume for new ones.")


class Volume(KebabValue):
    """A directory of the cluster's storage."""

    path: HostPath
    visibility: Visibility = "shared"


class SquashPlace(KebabValue):
    """Where some images' squash files lie; what is absent is as in the cache."""

    dir: HostPath | None = None
    key_style: KeyStyle | None = None
    import_: ImportMode | None = Field(default=None, alias="import")


class FrameworkSquash(SquashPlace):
    """The images of one engine, by model prefix where that matters."""

    model_prefixes: dict[str, SquashPlace] = Field(default_factory=dict)


class Squash(KebabValue):
    """The cache of squash files, and how images get into it."""

    dir: HostPath
    import_: ImportMode = Field(alias="import")
    visibility: Visibility = "shared"
    lock_timeout_s: Positive = 1800
    key_style: KeyStyle = "underscore"
    lock_file: Literal["beside-squash", "locks-dir"] = "beside-squash"
    import_step_args: tuple[LongOption, ...] = ()
    single_node_import: bool = False
    multi_node_import: bool = True
    framework_dirs: dict[str, FrameworkSquash] = Field(default_factory=dict)
    helper_dirs: dict[Literal["nginx", "dcgm-exporter"], SquashPlace] = Field(default_factory=dict)


class HostSetup(KebabValue):
    """A script of the repository that runs on allocated hosts."""

    script: Annotated[Word, AfterValidator(_inside)]
    env: dict[str, EnvironmentText] = Field(default_factory=dict)
    timeout_s: Positive | None = None
    nodes: Literal["all"] | None = None


class PowerTelemetry(KebabValue):
    """The cluster's power sensors."""

    dcgm_port: Port
    cpu_source: Literal["acpi", "dcgm"]
    cpu_port: Port = 9405


class SrtSlurm(KebabValue):
    """What srt-slurm must know of the cluster; `extra` is handed through."""

    network_interface: str
    job_tag: Word | None = None
    default_time_limit: str | None = Field(default=None, pattern="^[0-9]+:[0-9]{2}:[0-9]{2}$")
    single_node_time_limit: Positive | None = Field(default=None, description="Minutes.")
    single_node_models: Literal["staged", "hub"] = "hub"
    preflight: bool = True
    dist_timeout_s: Positive | None = None
    gpus_per_node_directive: bool | None = None
    segment_directive: bool | None = None
    single_node_exclusive: bool = True
    container_aliases: tuple[Word, ...] = ()
    nginx_aliases: tuple[Word, ...] = ()
    host_setup: HostSetup | None = None
    power_telemetry: PowerTelemetry | None = None
    env: dict[str, EnvironmentText] = Field(default_factory=dict)
    outputs: HostPath | None = None
    shared_run_root: HostPath | None = None
    uv_cache_root: HostPath | None = None
    volume_mounts: dict[str, str] = Field(default_factory=dict)
    mounts: dict[str, str] = Field(default_factory=dict)
    fabric: dict[str, Word] = Field(
        default_factory=dict, description="What @fabric.NAME means here, by NAME."
    )
    extra: dict[str, JsonValue] = Field(default_factory=dict)


class Slurm(KebabValue):
    """What every Slurm job of the cluster needs."""

    partition: Word
    exclusive: bool
    partitions: tuple[Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_-]*$")], ...] = ()
    account: Word | None = None
    exclude: tuple[Word, ...] = ()
    gres: Annotated[str, AfterValidator(_gres)] | None = None
    cpus_per_task: Positive | None = None
    cpus_per_gpu: Positive | None = None
    srun_args: tuple[LongOption, ...] = ()
    salloc_args: tuple[LongOption, ...] = ()
    volumes: dict[str, Volume] = Field(default_factory=dict)
    squash: Squash | None = None
    srt_slurm: SrtSlurm | None = None


class Cluster(Hardware):
    """One physical fleet of equal nodes."""

    arch: Literal["x86_64", "aarch64"]
    scheduler: Literal["slurm", "local"] = Field(
        description="Who starts jobs; local is the machine itself, without a queue."
    )
    env: dict[str, Annotated[EnvironmentText, AfterValidator(_no_comma)]] = Field(
        default_factory=dict
    )
    models: Models | None = None
    slurm: Slurm | None = Field(default=None, description="The scheduler's own record.")


class ClusterRunners(Runners):
    """The form of October: one record for each label `cluster:ID`."""

    clusters: dict[Word, Cluster] = Field(description="By the id in the label cluster:ID.")

    @cached_property
    def records(self) -> Mapping[str, Hardware]:
        """The clusters by their labels."""
        return {f"{CLUSTER}{name}": record for name, record in self.clusters.items()}

    def fabric(self, label: str) -> Mapping[str, str] | None:
        """The names that a cluster defines; None for a label that names no cluster."""
        record = self.clusters.get(label.removeprefix(CLUSTER))
        if record is None or not label.startswith(CLUSTER):
            return None
        known = record.slurm.srt_slurm if record.slurm else None
        return known.fabric if known else {}
