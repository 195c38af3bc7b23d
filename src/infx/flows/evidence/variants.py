"""Bound variants of affected entries: which points of the head each of them serves."""

from collections.abc import Iterator
from dataclasses import dataclass

from infx.flows.evidence.points import variants
from infx.flows.evidence.scripts import Scripts
from infx.flows.evidence.states import Placed, State
from infx.recipes.binding import Binding
from infx.recipes.script_launch import Unsettled
from infx.recipes.settings import engine_of, roles_of


@dataclass(frozen=True, slots=True)
class Bound:
    """One recipe variant of an entry, and the points that it serves; all share the binding.

    A command line that a launch script may start counts as a variant: `unsettled` is what it
    leaves open.
    """

    config: str
    variant: str
    binding: Binding
    points: tuple[Placed, ...]
    unsettled: tuple[Unsettled, ...] = ()

    @property
    def concurrencies(self) -> tuple[int, ...]:
        """The concurrencies that it serves."""
        return tuple(sorted({point.concurrency for point in self.points}))

    @property
    def engines(self) -> dict[str, str]:
        """The engine of each role that has one."""
        found = ((role, engine_of(self.binding, role)) for role in roles_of(self.binding))
        return {role: engine for role, engine in found if engine is not None}


def bound(state: State, scripts: Scripts) -> Iterator[Bound]:
    """Yield every bound variant of a state, in the order of the points."""
    for key in dict.fromkeys(point.key for point in state.points):
        points = state.of(key)
        groups: dict[tuple[str, int], list[Placed]] = {}
        launches: dict[int, tuple[Binding, tuple[Unsettled, ...]]] = {}
        for point, variant in zip(points, variants(points), strict=True):
            for binding, open_ in _launches(point, scripts):
                launches[id(binding)] = (binding, open_)
                groups.setdefault((variant, id(binding)), []).append(point)
        for (variant, one), mine in groups.items():
            binding, open_ = launches[one]
            yield Bound(key, variant, binding, tuple(mine), open_)


def _launches(point: Placed, scripts: Scripts) -> Iterator[tuple[Binding, tuple[Unsettled, ...]]]:
    if point.binding is not None:
        yield point.binding, ()
    else:
        for launch in scripts.launches(point):
            yield launch.binding, launch.unsettled
