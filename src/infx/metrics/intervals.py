"""How far chance within one measurement may have moved a point's figures.

Whole lanes are resampled, and in an open loop, which has none, blocks of requests in the order in
which they ended (`stats.bootstrap`). A rate is tokens over the time of their lanes: each request
takes the time since the one before it in its lane, so that a resample has the time of its own
requests, and not that of the whole point.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from infx.metrics.e2e_interactivity import time_a_token_s
from infx.metrics.e2el_from_due import e2el_from_due_s
from infx.metrics.goodput import meets
from infx.metrics.itl import itl_s
from infx.metrics.per_point import end_ns
from infx.metrics.per_request import NS_PER_S, completed, e2el_s, per_token_s, ttft_s
from infx.metrics.total_throughput import tokens
from infx.metrics.ttft_from_due import ttft_from_due_s
from infx.model.record import Measured, RequestRecord, Slo
from infx.model.result import Absent, Interval, Metric, MetricValue
from infx.stats import bootstrap
from infx.stats.bootstrap import Figures, LogError, Resampling, Statistic

OfRequest = Callable[[RequestRecord], float | None]

STATISTICS = ("mean", "p50", "p90", "p99")
"""What a distribution has intervals for."""

MIN_BEYOND = 10
"""A percentile with fewer requests beyond it rests on too few to be resampled."""

DISTRIBUTIONS: Mapping[str, OfRequest] = {
    "ttft": ttft_s,
    "ttft_from_due": ttft_from_due_s,
    "tpot": per_token_s,
    "itl": itl_s,
    "e2el": e2el_s,
    "e2el_from_due": e2el_from_due_s,
    "e2e_interactivity": time_a_token_s,
}
RECIPROCALS = {"interactivity": "tpot", "e2e_interactivity": "e2e_interactivity"}
"""Metric to the distribution of times whose reciprocal it is."""
RATES: Mapping[str, OfRequest] = {
    "request_rate": lambda _: 1,
    "input_throughput": lambda record: record.prompt_tokens,
    "output_throughput": lambda record: record.completion_tokens,
    "total_throughput": tokens,
}


@dataclass(frozen=True, slots=True)
class _Sample:
    """Requests lane after lane, the time that each took of its lane, and how they are resampled."""

    records: list[RequestRecord]
    spans_s: list[float]
    plan: Resampling


def with_intervals(
    metrics: Mapping[str, Metric], measured: Measured, *, key: str
) -> dict[str, Metric]:
    """Return the metrics of `measured` with an interval, or its reason, for what can have one.

    Equal keys give equal intervals.
    """
    sample = _sample([measured])
    rates = _rates(measured.slo)
    known = {_base(name) for name, metric in metrics.items() if isinstance(metric, MetricValue)}
    wanted = known & {*DISTRIBUTIONS, *RECIPROCALS, *rates}
    figures = {} if isinstance(sample, Absent) else _figures(sample, rates, wanted, key)
    found = dict(metrics)
    for name, metric in metrics.items():
        base = _base(name)
        if isinstance(metric, Absent) or base not in wanted:
            continue
        intervals: dict[str, Interval | Absent]
        if isinstance(sample, Absent):
            intervals = dict.fromkeys(_statistics(base), sample)
        elif base in rates:
            intervals = {"mean": bootstrap.interval(metric.mean * figures[base], sample.plan)}
        else:
            intervals = _of_distribution(figures[base], metric.n, sample.plan)
        found[name] = metric.model_copy(update={"intervals": intervals})
    return found


def _base(name: str) -> str:
    return name.removesuffix("_per_gpu")


def _statistics(name: str) -> tuple[str, ...]:
    return STATISTICS if name in DISTRIBUTIONS or name in RECIPROCALS else STATISTICS[:1]


def _of_distribution(figures: Figures, n: int, plan: Resampling) -> dict[str, Interval | Absent]:
    found: dict[str, Interval | Absent] = {"mean": bootstrap.interval(figures[:, 0], plan)}
    for place, name in enumerate(STATISTICS[1:], 1):
        beyond = n * (100 - int(name[1:])) // 100
        if beyond < MIN_BEYOND:
            what = f"{beyond} of {n} requests lie beyond {name}; {MIN_BEYOND} are needed"
            found[name] = Absent(reason=what)
        else:
            found[name] = bootstrap.interval(figures[:, place], plan)
    return found


def log_errors(
    repetitions: Sequence[Measured], *, key: str
) -> dict[tuple[str, str], LogError | Absent]:
    """Return the error of each statistic of each metric over repetitions of a point, as a ratio."""
    sample = _sample(repetitions)
    rates = _rates(repetitions[0].slo)
    names = sorted({*DISTRIBUTIONS, *RECIPROCALS, *rates})
    if isinstance(sample, Absent):
        return {(name, statistic): sample for name in names for statistic in _statistics(name)}
    figures = _figures(sample, rates, set(names), key)
    return {
        (name, statistic): bootstrap.log_error(figures[name][:, place], sample.plan)
        for name in names
        for place, statistic in enumerate(_statistics(name))
    }


def _sample(repetitions: Sequence[Measured]) -> _Sample | Absent:
    lanes = [_lanes(measured) for measured in repetitions]
    plan = bootstrap.resampling([[len(lane) for lane in of_one] for of_one in lanes])
    if isinstance(plan, Absent):
        return plan
    flat = [lane for of_one in lanes for lane in of_one]
    spans = [span for lane in flat for span in _spans_s(lane)]
    return _Sample([record for lane in flat for record in lane], spans, plan)


def _lanes(measured: Measured) -> list[list[RequestRecord]]:
    """Return the ok requests lane by lane, each in the order of their ends."""
    lanes: dict[int, list[RequestRecord]] = {}
    for record in sorted(completed(measured), key=lambda record: (end_ns(record), record.request)):
        lanes.setdefault(0 if measured.open_loop else record.lane, []).append(record)
    return [lanes[lane] for lane in sorted(lanes)]


def _spans_s(lane: Sequence[RequestRecord]) -> list[float]:
    moments = [min(record.sent_ns for record in lane), *map(end_ns, lane)]
    return [(after - before) / NS_PER_S for before, after in pairwise(moments)]


def _rates(slo: Slo | None) -> dict[str, OfRequest]:
    return {**RATES, "goodput": partial(meets, slo=slo)} if slo else dict(RATES)


def _figures(
    sample: _Sample, rates: Mapping[str, OfRequest], wanted: set[str], key: str
) -> dict[str, Figures]:
    """Return for each wanted metric a row a resample and a column a statistic.

    Rates are relative to that of the whole sample.
    """
    percents = [float(name[1:]) for name in STATISTICS[1:]]
    sources = {RECIPROCALS.get(name, name) for name in wanted} | wanted
    statistics: dict[str, Statistic] = {}
    for name in sorted(sources & DISTRIBUTIONS.keys()):
        values = _column(sample, DISTRIBUTIONS[name])
        statistics[name] = bootstrap.distribution(values, percents)
    for name in sorted(sources & rates.keys()):
        statistics[name] = bootstrap.relative_rate(_column(sample, rates[name]), sample.spans_s)
    figures = bootstrap.replicates(sample.plan, statistics, key=key)
    inverse = {name: 1 / figures[RECIPROCALS[name]] for name in wanted & RECIPROCALS.keys()}
    return figures | inverse


def _column(sample: _Sample, of_request: OfRequest) -> Figures:
    values = [of_request(record) for record in sample.records]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
