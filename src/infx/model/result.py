"""Numbers computed from records: a value with its sample count, or the reason for its absence."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, JsonValue, Tag, model_validator

from infx.model.acceptance import Cell
from infx.model.agentx import RequestMetrics
from infx.model.record import EndState
from infx.model.value import Value


class Absent(Value):
    """Why there is no number. A missing number is never 0."""

    reason: str


Method = Literal["lanes", "blocks", "repetitions"]


class Interval(Value):
    """Where a figure lies with confidence `level`.

    `method` says what tells it: `lanes` or `blocks` of successive requests, resampled, know the
    chance within one measurement; `repetitions` also what changes from one to the next. `units` is
    how many of them there were.
    """

    low: float
    high: float
    level: float
    method: Method
    units: int


class MetricValue(Value):
    """A statistic of one metric over one point, in `unit`, on `n` observations (None: not told).

    Metrics of a whole point (throughputs, rates) have their figure in `mean` and no spread.
    Percentiles interpolate linearly at rank (n-1)p/100; `std` is the population's. `intervals` maps
    a statistic to its 95 % interval or the reason why it has none; it is empty for metrics without.
    """

    unit: str
    n: int | None
    mean: float
    std: float | None = None
    p50: float | None = None
    p75: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    intervals: dict[str, Interval | Absent] = Field(default_factory=dict)


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


def _tag(given: object) -> str:
    told = isinstance(given, Absent) or (isinstance(given, dict) and "reason" in given)
    return "absent" if told else "counts"


Counted = Annotated[
    Annotated[Counts, Tag("counts")] | Annotated[Absent, Tag("absent")], Discriminator(_tag)
]
"""Counts, or why nobody kept them; what is wrong is said of the one that was meant."""


class ClientAudit(Value):
    """How far the client itself may have moved a point's figures, in seconds.

    `ttft_bias_mean` and `ttft_bias_p99` bound what TTFT may be too high by; `send_lag_p99` is how
    late requests left after they were due.
    """

    ttft_bias_mean: float
    ttft_bias_p99: float
    send_lag_p99: float


class IncompleteTokens(Value):
    """Output of the requests of the profiling phase that did not end ok; it enters no metric.

    `tokens` sums the server's counts for the `counted` requests. `chunks` are the content chunks
    of the others, each of at least one token.
    """

    requests: int
    counted: int
    tokens: int
    chunks: int


class Steady(Value):
    """What a point says of the time in which its concurrency was near its peak.

    `start_s` and `end_s` are seconds after the first send of the profiling phase: the first moment
    at which `share` of the `peak` was in flight, and the last one; where sessions are replayed,
    lanes with a live session are counted. `n` ok requests lie wholly inside; latencies rest on
    them, throughputs on all tokens that came inside.
    """

    share: float
    peak: int
    start_s: float
    end_s: float
    n: int
    metrics: dict[str, Metric]


class Coverage(Value):
    """How far the observations of a profiling phase reach, and the gaps in them.

    The ratios are those of the latest first content, and of the latest end of a request with an
    inter-token latency, to the expected duration: the stated one where the phase is `timed`, else
    what it took. None is where there was no such observation. `completion_gap_s` is the longest
    time between two ok requests' ends, `silence_s` the longest in which requests were in flight and
    none delivered anything. `apart_s` is how far from the nearest request that tells an inter-token
    latency one was sent, at most, that tells a TTFT; None where nothing tells the one or the other.
    """

    timed: bool
    expected_duration_s: float
    required_ratio: float
    ttft_ratio: float | None
    inter_token_latency_ratio: float | None
    completion_gap_s: float | None
    silence_s: float
    apart_s: float | None = None


class Censored(Value):
    """Requests that were cut off at the end or lost, so that their latency is not known.

    Each took longer than its age when it was cut; `least_age_s` is the smallest, None where nothing
    but lost requests is left out. `share` is of those issued.
    """

    count: int
    share: float
    least_age_s: float | None


class ReplaySummary(Value):
    """What a replay of sessions says beside its metrics.

    `plays` is how many sessions had a request in profiling; `finished` of them were played to their
    last turn, `whole` from the first turn on. `overflow_share` is of the requests that came to an
    outcome. `idle_skipped_s` is the recorded pause that the caps on idle time left out, None where
    the client did not say. `agentx` are the figures of the public benchmark, by its own rules.
    """

    plays: int
    finished: int
    whole: int
    overflow_share: float | None
    idle_skipped_s: float | None
    coverage: Coverage | Absent
    censored: Censored | None
    agentx: RequestMetrics


class ServerMetrics(Value):
    """What the metrics pages of a point say of its profiling phase.

    `dialect` is whose names the pages speak. Counters are told as their growth over the window, for
    which the last page that had come by its start is held against the first one asked for after its
    end: they cover up to `before_s` and `after_s` more. Gauges rest on the `pages` read within.
    `missed` counts the unread pages of the window by reason, `restarts` how often counters began
    anew. `metrics` maps an id to a figure over all pages or the reason why there is none,
    `by_source` the same for each URL where there are several.
    """

    dialect: str
    window_s: float
    before_s: float
    after_s: float
    pages: int
    missed: dict[str, int] = Field(default_factory=dict)
    restarts: int = 0
    metrics: dict[str, Metric]
    by_source: dict[str, dict[str, Metric]] = Field(default_factory=dict)


class PointSummary(Value):
    """What one point says: counts of its profiling phase, and every metric or its reason.

    `curve_key` says which points form a curve with it, and `traits` in words what its recipe and
    workload are. Only an artifact of another client may leave counts unknown.
    `reasons` are the kebab-case ids of what keeps the point from being certified.
    `error_reasons` counts the failed requests by reason. `unsent` are the requests that were
    planned and never issued, None where no number was planned. `rate` is the highest arrival rate
    that was asked, in requests/s, None in a closed loop; where there is one, `concurrency` is the
    bound of requests in flight. Where sessions were replayed, `concurrency` is how many were live
    at once, and `replay` says what belongs to them. `server` is what the server's own counters say,
    None where nobody read them. `golden` is the committed acceptance length of speculative decoding
    that the server of a replay was to simulate, or why none is known.
    """

    point_id: str
    curve_key: dict[str, JsonValue] = Field(default_factory=dict)
    traits: dict[str, str] = Field(default_factory=dict)
    concurrency: int
    rate: float | None = None
    repetition: int
    achieved_concurrency: float | None
    certified: bool
    reasons: tuple[str, ...]
    counts: Counted
    warmup_counts: Counted
    error_reasons: dict[str, int]
    client: ClientAudit | None = None
    incomplete_tokens: IncompleteTokens | None = None
    unsent: int | None = None
    steady: Steady | Absent = Absent(reason="not computed")
    replay: ReplaySummary | None = None
    server: ServerMetrics | Absent | None = None
    golden: Cell | Absent | None = None
    metrics: dict[str, Metric]

    @property
    def ends(self) -> Counts:
        """The counts where requests were kept; raises TypeError where nobody did."""
        if isinstance(self.counts, Absent):
            raise TypeError(f"point {self.point_id} has no counts: {self.counts.reason}")
        return self.counts


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
    reference does. `x_interval` and `y_interval` are where the figures lie, None where unknown.
    """

    point_id: str
    traits: dict[str, str] = Field(default_factory=dict)
    repetition: int
    concurrency: int
    rate: float | None = None
    x: float
    y: float
    x_interval: Interval | None = None
    y_interval: Interval | None = None
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
