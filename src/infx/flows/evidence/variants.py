"""Bound variants of affected entries: which points of the head each of them serves."""

from collections.abc import Iterator
from dataclasses import dataclass

from infx.flows.evidence.points import Trio, variants
from infx.flows.evidence.states import Placed
from infx.recipes.binding import Binding
from infx.recipes.settings import engine_of, roles_of


@dataclass(frozen=True, slots=True)
class Bound:
    """One recipe variant of an entry, and the points that it serves; all share the binding."""

    config: str
    variant: str
    binding: Binding
    points: tuple[Placed, ...]

    @property
    def concurrencies(self) -> tuple[int, ...]:
        """The concurrencies that it serves."""
        return tuple(sorted({point.concurrency for point in self.points}))

    @property
    def engines(self) -> dict[str, str]:
        """The engine of each role that has one."""
        found = ((role, engine_of(self.binding, role)) for role in roles_of(self.binding))
        return {role: engine for role, engine in found if engine is not None}


def bound(trio: Trio) -> Iterator[Bound]:
    """Yield every bound variant at the head, in the order of the points."""
    for change in trio.comparison.changes:
        points = trio.head.of(change.key)
        groups: dict[tuple[str, int], list[Placed]] = {}
        bindings: dict[int, Binding] = {}
        for point, variant in zip(points, variants(points), strict=True):
            if point.binding is not None:
                bindings[id(point.binding)] = point.binding
                groups.setdefault((variant, id(point.binding)), []).append(point)
        for (variant, one), mine in groups.items():
            yield Bound(change.key, variant, bindings[one], tuple(mine))
