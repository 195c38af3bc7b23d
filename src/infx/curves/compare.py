"""Run B next to run A in four words: better, worse, no detectable difference, not comparable.

A difference is named only when it is larger than both kinds of chance. Within a measurement,
requests vary: the logarithm of a ratio has an error by the bootstrap. From one measurement to the
next, everything varies: repetitions tell how much (`stats.noise`), and where there are none, a
difference below 2 % is not named. Where lanes are too few for the bootstrap, repetitions alone
decide. No difference is named that the clients themselves may have made, by their own audits.

The larger p value of the two counts, and those of all figures of a comparison are adjusted
together (Benjamini and Hochberg), so that among many comparisons of equal servers no more than
5 % name any difference.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from infx.curves.curve import Statistic
from infx.curves.matching import Pair
from infx.model.comparison import Comparison, MetricComparison, PointComparison, Word
from infx.model.result import Absent, Better, Interval, MetricValue, PointSummary
from infx.model.traits import traits
from infx.model.workload import FixedWorkload
from infx.stats.bootstrap import LEVEL
from infx.stats.log_error import LogError
from infx.stats.multiplicity import adjusted
from infx.stats.noise import noise
from infx.stats.percentile import mean
from infx.stats.student import critical, two_sided_p

COMPARED: tuple[tuple[str, Statistic, Better], ...] = (
    ("ttft", "p50", "smaller"),
    ("ttft", "p90", "smaller"),
    ("ttft_from_due", "p90", "smaller"),
    ("tpot", "p50", "smaller"),
    ("tpot", "p90", "smaller"),
    ("e2el", "p50", "smaller"),
    ("e2el_from_due", "p90", "smaller"),
    ("output_throughput", "mean", "larger"),
    ("total_throughput", "mean", "larger"),
    ("goodput", "mean", "larger"),
)
"""What is compared, where a side has it."""

OF_REPLAYS: tuple[tuple[str, Statistic, Better], ...] = (("e2el", "p90", "smaller"),)
"""What is compared beside it where sessions were replayed: what their curves are drawn against."""

WHERE_ASKED = frozenset({"ttft_from_due", "e2el_from_due", "goodput"})
"""These are left out where neither side has them: they belong to open loops and to targets."""

UNKNOWN_NOISE, UNKNOWN_NOISE_S = 0.02, 0.0005
"""Without repetitions, no difference below this share is named, nor in the moment of a read below
this time: half a millisecond is what a certified client may itself be off by."""

READS = frozenset({"ttft", "ttft_from_due", "e2el", "e2el_from_due"})
"""Latencies that end with a read, so that they are as late as the client is."""

FALSE_SHARE = 0.05

_EQUAL = 1e-9
"""A smaller ratio than this is how a machine rounds."""

SAME: Word = "no detectable difference"
NOT: Word = "not comparable"


@dataclass(frozen=True, slots=True)
class Found:
    """What was found at a pair: the summary of each repetition, and the error of each ratio."""

    a: tuple[PointSummary, ...]
    b: tuple[PointSummary, ...]
    errors: Mapping[tuple[str, str], LogError | Absent]


Judged = tuple[Pair, Found | None]
"""A pair, and what was found at it unless matching refused it."""


def compare(
    names: tuple[str, str], pairs: Sequence[Judged], notes: tuple[str, ...] = ()
) -> Comparison:
    """Judge every pair. `names` are the runs' ids."""
    points = [_point(pair, found) for pair, found in pairs]
    tested = [one.p for point in points for one in point.metrics if one.p is not None]
    p_values = iter(adjusted(tested))
    judged = []
    for point in points:
        metrics = tuple(
            one if one.p is None else _worded(one, next(p_values)) for one in point.metrics
        )
        judged.append(point.model_copy(update={"metrics": metrics}))
    return Comparison(a=names[0], b=names[1], points=tuple(judged), notes=notes)


def _point(pair: Pair, found: Found | None) -> PointComparison:
    reason, notes = pair.reason, list(pair.notes)
    metrics: tuple[MetricComparison, ...] = ()
    if found is not None and reason is None:
        reason = _unequal(found)
        notes += _against(found)
    if found is not None and reason is None:
        targets = pair.a[0].slo == pair.b[0].slo
        metrics = tuple(_metrics(found, same_targets=targets))
    work = pair.point.workload
    arrival = work.arrival if isinstance(work, FixedWorkload) else None
    return PointComparison(
        concurrency=pair.point.concurrency,
        rate=arrival.rate if arrival else None,
        traits=traits(pair.point),
        a=tuple(point.directory for point in pair.a),
        b=tuple(point.directory for point in pair.b),
        reason=reason,
        notes=tuple(notes),
        metrics=metrics,
    )


def _reasons(summaries: Sequence[PointSummary]) -> set[str]:
    return {reason for summary in summaries for reason in summary.reasons}


def _unequal(found: Found) -> str | None:
    """Say what spoils the answers of one side only; the client's own lateness is no answer."""
    a, b = (
        {reason for reason in _reasons(side) if not reason.startswith("client-")}
        for side in (found.a, found.b)
    )
    spoiled = [
        f"{name} has {', '.join(sorted(reasons))}"
        for name, reasons in (("A", a - b), ("B", b - a))
        if reasons
    ]
    return "; ".join(spoiled) or None


def _against(found: Found) -> Iterator[str]:
    for name, side in (("A", found.a), ("B", found.b)):
        if reasons := sorted(_reasons(side)):
            yield f"{name} is not certified: {', '.join(reasons)}"


def _metrics(found: Found, *, same_targets: bool) -> Iterator[MetricComparison]:
    replays = all(summary.replay is not None for summary in (*found.a, *found.b))
    for metric, statistic, better in (*COMPARED, *(OF_REPLAYS if replays else ())):
        a, b = _figures(found.a, metric, statistic), _figures(found.b, metric, statistic)
        if isinstance(a, Absent) and isinstance(b, Absent) and metric in WHERE_ASKED:
            continue
        draft = MetricComparison(
            metric=metric,
            statistic=statistic,
            unit=_unit((*found.a, *found.b), metric),
            better=better,
            a=None if isinstance(a, Absent) else mean(a),
            b=None if isinstance(b, Absent) else mean(b),
            ratio=None,
            interval=Absent(reason="there is no ratio"),
            noise=Absent(reason="there is no ratio"),
            p=None,
            least=None,
            word=NOT,
        )
        if isinstance(a, Absent) or isinstance(b, Absent):
            sides = (("A", a), ("B", b))
            why = [f"{name}: {side.reason}" for name, side in sides if isinstance(side, Absent)]
            yield draft.model_copy(update={"reason": "; ".join(why)})
        elif metric == "goodput" and not same_targets:
            yield draft.model_copy(update={"reason": "the latency targets differ"})
        else:
            missing = Absent(reason="its requests were not resampled")
            within = found.errors.get((metric, statistic), missing)
            log, between = math.log(mean(b) / mean(a)), noise(a, b)
            least = _least(found, draft, repeated=isinstance(between, LogError))
            compared = _compared(draft, log, within, between)
            yield compared.model_copy(update={"least": least})


def _figures(
    summaries: Sequence[PointSummary], metric: str, statistic: Statistic
) -> Sequence[float] | Absent:
    """Return the figure of each repetition, or why one has none that is positive."""
    found = []
    for summary in summaries:
        value = summary.metrics.get(metric, Absent(reason="not computed for this point"))
        if isinstance(value, Absent):
            return value
        figure: float | None = getattr(value, statistic)
        if figure is None:
            return Absent(reason=f"the metric has no {statistic}")
        if figure <= 0:
            return Absent(reason=f"its {statistic} is {figure}, which has no ratio")
        found.append(figure)
    return found


def _unit(summaries: Sequence[PointSummary], metric: str) -> str:
    metrics = [summary.metrics.get(metric) for summary in summaries]
    return next((one.unit for one in metrics if isinstance(one, MetricValue)), "")


def _compared(
    draft: MetricComparison, log: float, within: LogError | Absent, between: LogError | Absent
) -> MetricComparison:
    """Fill in the ratio, where it lies, and the p value before it is adjusted."""
    known = [error for error in (within, between) if isinstance(error, LogError)]
    update: dict[str, object] = {
        "ratio": math.exp(log),
        "interval": _interval(log, known[0]) if known else within,
        "noise": between if isinstance(between, Absent) else math.expm1(_half(between)),
    }
    if known:
        update |= {"p": max(_p(log, error) for error in known), "word": SAME}
    elif isinstance(within, Absent):
        update |= {"reason": within.reason}
    return draft.model_copy(update=update)


def _least(found: Found, draft: MetricComparison, *, repeated: bool) -> float:
    """Return the difference below which none is named."""
    bounds = [0.0] if repeated else [UNKNOWN_NOISE * (draft.a or 0.0)]
    if draft.metric in READS:
        audits = [one.client for one in (*found.a, *found.b) if one.client is not None]
        tail = draft.statistic != "p50"
        bounds += [one.ttft_bias_p99 if tail else one.ttft_bias_mean for one in audits]
        bounds += [] if repeated else [UNKNOWN_NOISE_S]
    return max(bounds)


def _half(error: LogError) -> float:
    """Return what the logarithm of a ratio stays within, with 95 % confidence."""
    return critical(LEVEL, error.df) * error.se


def _p(log: float, error: LogError) -> float:
    """Return how often chance alone gives such a logarithm."""
    if abs(log) < _EQUAL:
        return 1.0
    return two_sided_p(log / error.se, error.df) if error.se else 0.0


def _interval(log: float, error: LogError) -> Interval:
    half = _half(error)
    return Interval(
        low=math.exp(log - half),
        high=math.exp(log + half),
        level=LEVEL,
        method=error.method,
        units=error.units,
    )


def _worded(one: MetricComparison, p: float) -> MetricComparison:
    difference = (one.b or 0.0) - (one.a or 0.0)
    word: Word = SAME
    if p <= FALSE_SHARE and abs(difference) >= (one.least or 0.0):
        word = "better" if (difference < 0) == (one.better == "smaller") else "worse"
    return one.model_copy(update={"p": p, "word": word})
