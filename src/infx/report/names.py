"""What points are called: their load, and before it only what tells them apart from others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from infx.model.traits import ORDER

DIGITS = 6
"""How much of its id names a point that nothing else tells apart."""


class Named(Protocol):
    """What has a name: a point's summary, its place on a curve, or a comparison of it."""

    @property
    def point_id(self) -> str:
        """The point's id."""

    @property
    def concurrency(self) -> int:
        """Lanes of a closed loop or live sessions."""

    @property
    def rate(self) -> float | None:
        """The arrival rate of an open loop in requests/s."""

    @property
    def repetition(self) -> int:
        """Which measurement of the point it is, from 0."""

    @property
    def traits(self) -> Mapping[str, str]:
        """What is known of its recipe and workload, by `model.traits.ORDER`."""


def load_kind(points: Sequence[Named]) -> str:
    """Return what points are told apart by: `rate` where one has an open loop."""
    return "rate" if any(point.rate is not None for point in points) else "concurrency"


def load_name(point: Named) -> str:
    """Return the load of a point: its concurrency, or its rate as in `2.5/s`."""
    return str(point.concurrency) if point.rate is None else f"{point.rate:g}/s"


def told_apart(traits: Sequence[Mapping[str, str]]) -> list[str]:
    """Return for each of these the traits that others do not share, joined by spaces.

    A trait is named only where those that agree in all traits before it differ in it, so that one
    replay beside a curve is `agentic`, whatever its corpus.

    >>> told_apart([{"workload": "8k1k"}, {"workload": "agentic", "rule": "rule demo"}])
    ['8k1k', 'agentic']
    """
    words: list[list[str]] = [[] for _ in traits]

    def split(places: Sequence[int], names: Sequence[str]) -> None:
        groups: dict[str | None, list[int]] = {}
        for place in places:
            groups.setdefault(traits[place].get(names[0]), []).append(place)
        for value, members in groups.items():
            if len(groups) > 1 and value is not None:
                for place in members:
                    words[place].append(value)
            if names[1:]:
                split(members, names[1:])

    split(range(len(traits)), ORDER)
    return [" ".join(found) for found in words]


class Names:
    """What the points of a run, or of one table, are called among each other.

    Where a load is not enough, it follows what tells the point apart: `agentic · 4`. Where that is
    not enough either, the beginning of the point's id follows the load.
    """

    def __init__(self, points: Sequence[Named]) -> None:
        apart = told_apart([point.traits for point in points])
        parts = list(zip(apart, map(_measurement, points), strict=True))
        times = Counter(parts)
        self._parts = {
            _key(point): part if times[part] == 1 else (part[0], _with_id(part[1], point))
            for point, part in zip(points, parts, strict=True)
        }
        self.head = "point" if any(apart) else load_kind(points)

    def row(self, point: Named) -> str:
        """Return what its row of a table is called: `4`, `4 r1`, `agentic · 4`."""
        return " · ".join(filter(None, self._parts[_key(point)]))

    def place(self, point: Named) -> str:
        """Return what it is called in a sentence: `concurrency 4`, `agentic at rate 2/s r1`."""
        return self.places([point])

    def places(self, points: Sequence[Named]) -> str:
        """Return what several are called in a sentence; nothing where there is none.

        What loads share is said once: `64/32 at concurrency 1, 4; agentic at concurrency 2`.
        """
        groups: dict[str, list[Named]] = {}
        for point in points:
            groups.setdefault(self._parts[_key(point)][0], []).append(point)
        said = []
        for apart, members in groups.items():
            loads = ", ".join(self._parts[_key(point)][1] for point in members)
            where = f"{load_kind(members)} {loads}"
            said.append(f"{apart} at {where}" if apart else where)
        return "; ".join(said)


def _key(point: Named) -> tuple[str, int]:
    return point.point_id, point.repetition


def _measurement(point: Named) -> str:
    """Return the load of a point, and the repetition above 0."""
    return f"{load_name(point)} r{point.repetition}" if point.repetition else load_name(point)


def _with_id(load: str, point: Named) -> str:
    return f"{load} #{point.point_id[:DIGITS]}"
