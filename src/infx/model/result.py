"""Numbers computed from records: a value with its sample count, or the reason for its absence."""

from typing import Literal

from pydantic import model_validator

from infx.model.record import EndState
from infx.model.value import Value


class MetricValue(Value):
    """A statistic of one metric over one point, in `unit`, resting on `n` observations.

    Metrics of a whole point (throughputs, rates) have their figure in `mean` and no spread.
    Percentiles interpolate linearly at rank (n-1)p/100; `std` is the population's.
    """

    unit: str
    n: int
    mean: float
    std: float | None = None
    p50: float | None = None
    p75: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None


class Absent(Value):
    """Why there is no number. A missing number is never 0."""

    reason: str


Metric = MetricValue | Absent


class Counts(Value):
    """How many requests were issued, and how each of them ended."""

    issued: int
    ok: int
    error: int
    overflow: int
    cancelled_at_end: int
    cancelled_by_plan: int
    lost: int

    @model_validator(mode="after")
    def _sum_holds(self) -> "Counts":
        if self.issued != sum(getattr(self, state) for state in EndState):
            raise ValueError("issued must be the sum of the six end states")
        return self


class PointSummary(Value):
    """What one point says: counts of its profiling phase, and every metric or its reason.

    `reasons` are the kebab-case ids of what keeps the point from being certified.
    `error_reasons` counts the failed requests by reason.
    """

    point_id: str
    concurrency: int
    repetition: int
    achieved_concurrency: float | None
    certified: bool
    reasons: tuple[str, ...]
    counts: Counts
    warmup_counts: Counts
    error_reasons: dict[str, int]
    metrics: dict[str, Metric]


class RunResult(Value):
    """A whole run, as `--format json` prints it. Times are seconds."""

    run: str
    bundle: str
    certified: bool
    reasons: tuple[str, ...]
    simulated: bool
    points: tuple[PointSummary, ...]


Better = Literal["smaller", "larger"]
"""Which direction of a metric is good."""


class CurvePoint(Value):
    """One point of a curve in metric units, and whether it stands on the frontier.

    `on_frontier` is strict dominance; `on_reference_frontier` keeps plateaus, as the public
    reference does.
    """

    point_id: str
    repetition: int
    concurrency: int
    x: float
    y: float
    on_frontier: bool
    on_reference_frontier: bool


class Curve(Value):
    """Throughput against latency: the points of one series on two axes, in order of x.

    `missing` maps the ids of points that lack either figure to the reason.
    """

    x_metric: str
    x_statistic: str
    x_unit: str
    x_better: Better
    y_metric: str
    y_statistic: str
    y_unit: str
    y_better: Better
    points: tuple[CurvePoint, ...]
    missing: dict[str, str]
