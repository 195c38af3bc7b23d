"""What may be run: the entries of master configurations.

One config key is image x model x precision x engine x runner x scenarios x search space; public
files call the engine `framework`. Rules over several fields are in `matrix.invariants`.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from infx.model.value import KebabValue

CLUSTER = "cluster:"
"""What begins a label that names one physical fleet."""


def _ungrouped(value: object) -> object:
    # 1_998_848 is text in YAML 1.2, a number in YAML 1.1, and public files write it.
    if isinstance(value, str) and all(
        part.isascii() and part.isdigit() for part in value.split("_")
    ):
        return int(value.replace("_", ""))
    return value


def _own_version(text: str) -> str:
    if text.startswith("image:"):
        raise ValueError("a component's version is its release or commit, not an image")
    return text


Word = Annotated[str, Field(min_length=1)]
Positive = Annotated[int, Field(gt=0)]
Grouped = Annotated[
    Positive,
    BeforeValidator(_ungrouped),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "exclusiveMinimum": 0},
                {"type": "string", "pattern": "^[0-9]+(_[0-9]+)*$"},
            ]
        }
    ),
]
"""A count that a file may write in groups of digits."""
Version = Annotated[
    Word, AfterValidator(_own_version), Field(json_schema_extra={"not": {"pattern": "^image:"}})
]
Setting = Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*=")]
Tier = Literal["dram", "nvme"]
SpecDecoding = Literal["none", "mtp", "draft_model"]


def _form(value: object) -> str:
    return "several" if isinstance(value, list | tuple) else "one"


KvOffloading = Annotated[
    Annotated[Literal["none", "dram", "nvme"], Tag("one")]
    | Annotated[tuple[Tier, ...], Tag("several"), Field(min_length=1)],
    Discriminator(_form),
]


class Router(KebabValue):
    """The component that spreads requests over workers."""

    name: Word
    version: Version = Field(description="Its own release or commit, never an image.")


class OffloadBackend(KebabValue):
    """The component that keeps KV blocks outside GPU memory."""

    name: Word
    version: Version | None = None


class Worker(KebabValue):
    """The prefill or the decode workers of one row, each with the same parallelism.

    A file must write `tp`, `ep` and `dp-attn`. `num-worker` 0 says that the other role serves both
    phases: the form of August for an aggregate over several nodes.
    """

    num_worker: int = Field(ge=0, description="Replicas of this role.")
    tp: Positive = Field(description="Tensor-parallel GPUs of one replica.")
    ep: Positive = Field(description="Expert-parallel size.")
    dp_attn: bool = Field(description="Whether attention runs data-parallel.")
    additional_settings: tuple[Setting, ...] | None = Field(
        default=None, description="NAME=value, exported to the launcher's environment."
    )
    pp: Positive = Field(default=1, description="Pipeline stages of one replica.")
    dcp_size: Positive = Field(default=1, description="Decode-context-parallel size within tp.")
    pcp_size: Positive = Field(default=1, description="Prefill-context-parallel size, times tp.")
    hardware: Word | None = Field(
        default=None, description="GPU model, where roles run on different ones. Metadata only."
    )

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tp * self.pp * self.pcp_size


class AggregateWorker(Worker):
    """Workers that serve both phases over several nodes."""

    num_worker: Positive = Field(default=1, description="Replicas.")


class SearchSpace(KebabValue):
    """One topology at several concurrencies, for requests of fixed lengths.

    A single node has `tp` and its companions; several nodes have `worker` and `num-nodes`, or
    `prefill` and `decode`; a row with a recipe may leave all of that to it. Concurrencies are
    `conc-list`, or `conc-start` to `conc-end`.
    """

    tp: Positive | None = Field(default=None, description="Tensor-parallel GPUs, one node.")
    pp: Positive = Field(default=1, description="Pipeline stages, one node.")
    dcp_size: Positive = Field(default=1, description="Decode-context-parallel size within tp.")
    pcp_size: Positive = Field(default=1, description="Prefill-context-parallel size, times tp.")
    ep: Positive | None = Field(default=None, description="Expert-parallel size; unwritten is 1.")
    dp_attn: bool | None = Field(
        default=None, description="Whether attention runs data-parallel; unwritten is false."
    )
    spec_decoding: SpecDecoding = Field(default="none", description="Kind of speculation.")
    worker: AggregateWorker | None = Field(default=None, description="Aggregate over nodes.")
    num_nodes: Positive | None = Field(default=None, description="Nodes of an aggregate.")
    prefill: Worker | None = None
    decode: Worker | None = None
    router: Router | None = None
    kv_p2p_transfer: Word | None = Field(
        default=None, description="What moves KV blocks between roles: nixl, mooncake, mori ..."
    )
    conc_start: Positive | None = Field(default=None, description="First concurrency.")
    conc_end: Positive | None = Field(default=None, description="Last concurrency, included.")
    conc_list: tuple[Positive, ...] | None = Field(default=None, min_length=1)
    srt_recipe: Word | None = Field(default=None, description="FILE or FILE:SELECTOR.")
    eval_srt_recipe: Word | None = Field(
        default=None, description="The recipe of the evaluation, where it differs."
    )
    power: bool = Field(default=False, description="Whether to record power telemetry.")

    @property
    def leaves_topology(self) -> bool:
        """Whether the row's recipe says how it is parallel, and the row does not."""
        stated = self.tp or self.worker or self.prefill or self.decode
        return self.srt_recipe is not None and not stated


class AgenticSearchSpace(SearchSpace):
    """One topology at several concurrencies, for replayed agent sessions."""

    kv_offloading: KvOffloading | None = Field(
        default=None, description="Where evicted KV blocks go. A single node must say it."
    )
    kv_offload_backend: OffloadBackend | None = None


class FixedSeqLen(KebabValue):
    """Requests of fixed input and output lengths, in tokens."""

    isl: Positive = Field(description="Input tokens.")
    osl: Positive = Field(description="Output tokens.")
    search_space: tuple[SearchSpace, ...] = Field(min_length=1)
    require_power: bool = Field(
        default=False, description="Whether a point without power telemetry fails."
    )


class AgenticCoding(KebabValue):
    """Replayed agent sessions.

    `dram_utilization` is the share of a node's DRAM that offloaded KV blocks may fill; its `str` is
    what the file says, for decimal arithmetic.
    """

    search_space: tuple[AgenticSearchSpace, ...] = Field(min_length=1)
    dram_utilization: float | None = Field(
        default=None, gt=0, le=1, description="Share of a node's DRAM for offloaded KV blocks."
    )


class Scenarios(KebabValue):
    """What is asked of the server."""

    fixed_seq_len: tuple[FixedSeqLen, ...] = ()
    agentic_coding: tuple[AgenticCoding, ...] = ()


class ConfigKey(KebabValue):
    """One entry of a master configuration."""

    image: Word = Field(description="Registry reference of the container.")
    model: Word = Field(description="Checkpoint id.")
    model_prefix: Word = Field(description="Short code that keys evals and golden curves.")
    precision: Word = Field(description="Label of the weights' precision.")
    framework: Word = Field(description="The engine and how it is deployed.")
    runner: Word = Field(description="A label of runners.yaml.")
    multinode: bool = Field(description="Whether one server spans several nodes.")
    scenarios: Scenarios
    disagg: bool = Field(default=False, description="Whether prefill and decode are apart.")
    router: Router | None = None
    kv_p2p_transfer: Word | None = Field(
        default=None, description="What moves KV blocks between roles: nixl, mooncake, mori ..."
    )
    srt_recipe_dir: Word | None = Field(
        default=None, description="The directory of the rows' srt-recipe files."
    )

    def recipe(self, name: str | None) -> str | None:
        """Return a row's recipe as a name below the roots: the entry's directory is before it."""
        return f"{self.srt_recipe_dir}/{name}" if name and self.srt_recipe_dir else name


Master = Mapping[str, ConfigKey]
"""A master configuration: key -> entry."""


class Hardware(KebabValue):
    """One node: its GPUs, and the DRAM that jobs may use."""

    gpus_per_node: Grouped
    available_cpu_dram_mib: Grouped | None = Field(
        default=None, description="DRAM a job may use, in MiB. Absent where nobody measured it."
    )


class Runners(KebabValue):
    """Who runs points: labels, and the runners behind each. The part that both forms have."""

    labels: dict[Word, Annotated[tuple[Word, ...], Field(min_length=1)]]

    @property
    def records(self) -> Mapping[str, Hardware]:
        """What the file says of nodes, by label."""
        raise NotImplementedError

    def fabric(self, label: str) -> Mapping[str, str] | None:
        """What `@fabric.NAME` means behind `label`, by NAME; None where the file cannot say."""
        return None

    def node(self, label: str) -> Hardware | None:
        """What the file says of the nodes behind `label`; None where it says nothing."""
        return self.records.get(label)


class HardwareRunners(Runners):
    """The form of August: facts of nodes for some labels."""

    hardware: dict[Word, Hardware] = Field(description="By label.")

    @property
    def records(self) -> Mapping[str, Hardware]:
        """The facts as they stand in the file."""
        return self.hardware
