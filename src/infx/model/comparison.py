"""What two runs say of each other."""

from typing import Literal

from pydantic import Field

from infx.model.result import Absent, Better, Interval
from infx.model.value import Value

Word = Literal["better", "worse", "no detectable difference", "not comparable"]
"""What B is, next to A."""


class MetricComparison(Value):
    """One statistic of one metric in B next to A; each figure is the mean of its repetitions.

    `ratio` is B / A, and `interval` where it lies by chance within the measurements. `noise` is how
    far repetitions alone move it from 1, with 95 % confidence. `p` is how often chance alone makes
    such a difference, adjusted for all that are compared. A difference below `least`, in `unit`, is
    not named: the clients may be off by that, or it may change from run to run. `reason` says why
    it is not comparable.
    """

    metric: str
    statistic: str
    unit: str
    better: Better
    a: float | None
    b: float | None
    ratio: float | None
    interval: Interval | Absent
    noise: float | Absent
    p: float | None
    least: float | None
    word: Word
    reason: str | None = None


class PointComparison(Value):
    """All repetitions of one point of A and of B, which were asked the same under the same load.

    `rate` is the stated one in requests a second, None in a closed loop. `a` and `b` name the
    points' folders, `traits` say what the recipe and the workload are. Where nothing can be
    compared, `metrics` is empty and `reason` says why. `notes` are what a reader should know beside
    the figures.
    """

    concurrency: int
    rate: float | None
    traits: dict[str, str] = Field(default_factory=dict)
    a: tuple[str, ...]
    b: tuple[str, ...]
    reason: str | None = None
    notes: tuple[str, ...] = ()
    metrics: tuple[MetricComparison, ...] = ()

    @property
    def point_id(self) -> str:
        """The folder of the first repetition."""
        return (self.a or self.b)[0]

    @property
    def repetition(self) -> int:
        """Always 0: all repetitions are compared at once."""
        return 0


class Comparison(Value):
    """Run B next to run A, point by point."""

    a: str
    b: str
    points: tuple[PointComparison, ...]
    notes: tuple[str, ...] = ()

    def count(self, word: Word) -> int:
        """Return how many figures, and points that cannot be compared, got that word."""
        points = sum(word == "not comparable" and point.reason is not None for point in self.points)
        return points + sum(one.word == word for point in self.points for one in point.metrics)
