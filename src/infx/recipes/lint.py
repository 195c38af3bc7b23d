"""Ask every lint about one bound recipe."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib import import_module

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lints import LINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is asked of a bound recipe, and what its hosts offer; what is None is not known.

    `concurrencies` are those of the points that use this variant, `used` whether any does. `isl`
    and `osl` are the longest input and output of a fixed workload in tokens, `longest` the longest
    history with its answer of an agentic one. `golden` are the draft lengths that the recipe's
    golden curve has. `dram_gb` is the host memory that one node may spend, in 10^9 bytes.
    """

    concurrencies: tuple[int, ...] = ()
    used: bool | None = None
    isl: int | None = None
    osl: int | None = None
    longest: int | None = None
    golden: Collection[int] | None = None
    dram_gb: int | None = None

    @property
    def peak(self) -> int | None:
        """The highest concurrency asked, None when none is known."""
        return max(self.concurrencies, default=None)


def lint(binding: Binding, context: Context) -> Iterator[tuple[str, Problem]]:
    """Yield what the lints say of a bound recipe, each with the lint's id."""
    for name, module in LINTS.items():
        for problem in import_module(module).check(binding, context):
            yield name, problem
