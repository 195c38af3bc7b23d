"""What a matrix is asked to leave out, and how its evaluations are chosen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Edition = Literal["2026-08", "2026-10"]
"""Two states of the public rules; decision 0025 lists where they differ."""

Evals = Literal["default", "none", "only", "all", "smoke"]
ScenarioType = Literal["fixed-seq-len", "agentic-coding"]

SEQUENCES = {"1k1k": (1024, 1024), "8k1k": (8192, 1024)}
"""Lengths with a short name; others are called ISL_OSL."""


def sequence_name(isl: int, osl: int) -> str:
    """Return the name of a pair of lengths.

    >>> sequence_name(8192, 1024), sequence_name(1000, 200)
    ('8k1k', '1000_200')
    """
    names = {lengths: name for name, lengths in SEQUENCES.items()}
    return names.get((isl, osl), f"{isl}_{osl}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Flags of `infx matrix generate`, by their names; an empty one leaves nothing out.

    `recipe_nodes` is the node count that a recipe states, by its reference; None where the recipe
    is not at hand or states none.
    """

    model_prefix: tuple[str, ...] = ()
    precision: tuple[str, ...] = ()
    framework: tuple[str, ...] = ()
    runner_type: tuple[str, ...] = ()
    seq_lens: tuple[str, ...] = ()
    scenario_type: tuple[ScenarioType, ...] = ()
    single_node: bool = False
    multi_node: bool = False
    min_conc: int | None = None
    max_conc: int | None = None
    max_tp: int | None = None
    max_ep: int | None = None
    step_size: int = 2
    runner_node_filter: str | None = None
    config_keys: tuple[str, ...] = ()
    conc: tuple[int, ...] = ()
    exp_names: tuple[str, ...] = ()
    evals: Evals = "default"
    trim_conc: bool = False
    edition: Edition = "2026-10"
    recipe_nodes: Callable[[str], int | None] | None = None

    def runs(self, *, multinode: bool) -> bool:
        """Whether rows on one or on several nodes are asked for; neither flag means both."""
        both = self.single_node == self.multi_node
        return both or (self.multi_node if multinode else self.single_node)

    def asks(self, kind: ScenarioType) -> bool:
        """Whether a kind of scenario is asked for."""
        return not self.scenario_type or kind in self.scenario_type
