"""The point that a recipe is bound at: what its row asks for, and what its host offers."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Parallel:
    """Sizes of one role that a row states; None is not stated, and never contradicts.

    `tp` counts the GPUs of one replica's tensor parallelism as master configurations do: data
    parallel attention runs inside it, so `gpus` of one worker are `tp * pp * pcp`.
    """

    tp: int | None = None
    ep: int | None = None
    dp_attention: bool | None = None
    pp: int = 1
    pcp: int = 1
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class SingleNode:
    """What a row on one node says of its server beside the sizes of its role.

    `spec_decoding` is the row's word, `dcp` its decode-context-parallel size.
    """

    framework: str
    spec_decoding: str
    agentic: bool
    dcp: int = 1


@dataclass(frozen=True, slots=True)
class Target:
    """What a recipe is bound at. What is None or empty is not asked.

    `parallel` is by role (`agg`, or `prefill` and `decode`). Image, model, checkpoint and precision
    are those of the row; they win over what a file of the older form says. `where` is the row's
    `file:line`. `single_node` is for a row on one node. `fabric` are the names that the cluster
    defines, and `dram` says whether the point has a DRAM budget. With `strict`, unknown sections,
    keys that the binder owns and literal DRAM sizes are refused; without it they are warnings.
    """

    concurrency: int | None = None
    offload: str | None = None
    parallel: Mapping[str, Parallel] = field(default_factory=dict)
    image: str | None = None
    model: str | None = None
    checkpoint: str | None = None
    precision: str | None = None
    where: str | None = None
    single_node: SingleNode | None = None
    fabric: Mapping[str, str] | None = None
    dram: bool | None = None
    strict: bool = False
