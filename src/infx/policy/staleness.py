"""What changed of a submission since it was assessed: points, by digests, and nothing else.

A head that moved says nothing: a commit may mend a comment, or rebase what stayed the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from infx.model.config_facts import Point
from infx.model.submission import Submission


@dataclass(frozen=True, slots=True)
class Moved:
    """A point whose digest is another one; None on a side that has no such point."""

    config: str
    variant: str
    concurrency: int
    then: str | None
    now: str | None

    def __str__(self) -> str:
        then, now = ((one or "nothing")[:12] for one in (self.then, self.now))
        return f"{self.config} c{self.concurrency} ({self.variant}): {then} then, {now} now"


def moved(then: Submission, now: Submission) -> tuple[Moved, ...] | None:
    """Return the points that changed from one submission's head to another's, in their order.

    A point that only one of them affects has, in the other, the digest of its base. None where
    either does not know its points: then nobody can tell.
    """
    if then.points is None or now.points is None:
        return None
    return tuple(_moved(then.points, now.points))


def _moved(then: tuple[Point, ...], now: tuple[Point, ...]) -> Iterator[Moved]:
    before, after = _points(then), _points(now)
    for key in dict.fromkeys((*before, *after)):
        one, other = before.get(key), after.get(key)
        old = one.digest if one is not None else other.base_digest if other is not None else None
        new = other.digest if other is not None else one.base_digest if one is not None else None
        if old != new:
            config, _, variant, concurrency = key
            yield Moved(config, variant, concurrency, old, new)


def _points(points: tuple[Point, ...]) -> dict[tuple[str, str, str, int], Point]:
    return {
        (point.config, point.scenario, point.variant, point.concurrency): point
        for point in points
        if not point.eval
    }
