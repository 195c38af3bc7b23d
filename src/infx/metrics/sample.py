"""The requests of a point as columns of numbers, and how they may be resampled."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from infx.metrics.e2el_from_due import e2el_from_due_s
from infx.metrics.goodput import meets
from infx.metrics.itl import itl_s
from infx.metrics.per_point import end_ns, window_s
from infx.metrics.per_request import NS_PER_S, completed, e2el_s, per_token_s, ttft_s
from infx.metrics.total_throughput import tokens
from infx.metrics.ttft_from_due import ttft_from_due_s
from infx.model.measured import Measured
from infx.model.record import RequestRecord, Slo
from infx.model.result import Absent
from infx.stats import bootstrap
from infx.stats.bootstrap import Blocks, Figures, Lanes, Plan, Statistic

OfRequest = Callable[[RequestRecord], float | None]

STATISTICS = ("mean", "p50", "p90", "p99")
"""What of a distribution is told an interval, in the order of the columns of its figures."""

MIN_BEYOND = 10
"""A percentile with fewer requests beyond it rests on too few to be resampled."""

DISTRIBUTIONS: Mapping[str, OfRequest] = {
    "ttft": ttft_s,
    "ttft_from_due": ttft_from_due_s,
    "tpot": per_token_s,
    "itl": itl_s,
    "e2el": e2el_s,
    "e2el_from_due": e2el_from_due_s,
}
RECIPROCALS = {"interactivity": "itl"}
"""Metric to the distribution of times whose reciprocal it is."""
RATES: Mapping[str, OfRequest] = {
    "request_rate": lambda _: 1,
    "input_throughput": lambda record: record.prompt_tokens,
    "output_throughput": lambda record: record.completion_tokens,
    "total_throughput": tokens,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """The ok requests of one repetition in the order in which they were sent.

    A rate is amounts over time, and `spans_s` is the time of each request: since the one before it
    in its lane ended, or in an open loop, which has no lanes, since any other did. So a resample
    has the time of its own requests. `width` is how many lanes there were, or requests in flight.
    Requests of a lane that is `replayed` may overlap; each has then the time since another ended.
    """

    records: list[RequestRecord]
    spans_s: list[float]
    lanes: int
    width: int
    window_s: float
    replayed: bool = False


def column(records: Sequence[RequestRecord], of_request: OfRequest) -> Figures:
    """Return one number a request, NaN where it has none."""
    values = [of_request(record) for record in records]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def sample(measured: Measured) -> Sample:
    """Return the ok requests of a point; its window has no length where nothing was ok."""
    records = sorted(completed(measured), key=lambda record: (record.sent_ns, record.request))
    lanes: dict[int, list[RequestRecord]] = {}
    for record in sorted(records, key=lambda record: (end_ns(record), record.request)):
        lanes.setdefault(0 if measured.open_loop else record.lane, []).append(record)
    spans: dict[int, float] = {}
    for lane in lanes.values():
        moments = [min(record.sent_ns for record in lane), *map(end_ns, lane)]
        for record, (before, after) in zip(lane, pairwise(moments), strict=True):
            spans[record.request] = (after - before) / NS_PER_S
    window = window_s(records) if records else 0.0
    flown = sum(end_ns(record) - record.sent_ns for record in records) / NS_PER_S
    in_flight = math.ceil(flown / window) if measured.open_loop and window else 1
    return Sample(
        records=records,
        spans_s=[spans[record.request] for record in records],
        lanes=len(lanes),
        width=in_flight if measured.open_loop else len(lanes),
        window_s=window,
        replayed=measured.replay is not None,
    )


def plans(repetitions: Sequence[Sample]) -> tuple[Plan, ...] | Absent:
    """Return the ways to resample repetitions of a point, or why there is none.

    Every lane of every repetition is one cluster. With at least 10, whole lanes are resampled, and
    blocks of time beside them. A lane that is alone is resampled in blocks. Several lanes, but
    fewer than 10, tell nothing until repetitions make them 10.
    """
    used = [one for one in repetitions if one.records]
    clusters = sum(one.lanes for one in used)
    crowded = any(one.lanes > 1 for one in used)
    if crowded and clusters < bootstrap.MIN_UNITS:
        times = "no repetitions" if len(used) == 1 else f"{len(used)} repetitions"
        few = f"{clusters} lanes over {times}"
        return Absent(reason=f"{few}; {bootstrap.MIN_UNITS} are needed, from lanes or repetitions")
    in_time = time_blocks(used, [len(one.records) for one in used])
    if isinstance(in_time, Absent) or clusters < bootstrap.MIN_UNITS:
        return in_time if isinstance(in_time, Absent) else (in_time,)
    numbers: dict[tuple[int, int], int] = {}
    of = tuple(
        numbers.setdefault((place, record.lane if one.lanes > 1 else 0), len(numbers))
        for place, one in enumerate(used)
        for record in one.records
    )
    return Lanes(of, len(numbers)), in_time


def time_blocks(repetitions: Sequence[Sample], requests: Sequence[int]) -> Blocks | Absent:
    """Cut so many requests of each repetition into blocks of time."""
    width = max((one.width for one in repetitions), default=1)
    return bootstrap.blocks(requests, width=width)


def rates(slo: Slo | None) -> dict[str, OfRequest]:
    """Return what each request adds to each rate, goodput among them where there are targets."""
    return {**RATES, "goodput": partial(meets, slo=slo)} if slo else dict(RATES)


def statistics_of(name: str) -> tuple[str, ...]:
    """Return what of a metric is told an interval."""
    return STATISTICS if name in DISTRIBUTIONS or name in RECIPROCALS else STATISTICS[:1]


def too_few_beyond(statistic: str, n: int) -> Absent | None:
    """Say that a percentile of n requests rests on too few, if it does."""
    if statistic == "mean":
        return None
    beyond = n * (100 - int(statistic[1:])) // 100
    if beyond >= MIN_BEYOND:
        return None
    what = f"{beyond} of {n} requests lie beyond {statistic}"
    return Absent(reason=f"{what}; {MIN_BEYOND} are needed")


def figures(
    columns: Mapping[str, Figures], spans_s: Sequence[float], plan: Plan, key: str
) -> dict[str, Figures]:
    """Return for each column a row a resample and a column a statistic.

    Those of rates are relative to that of the whole sample.
    """
    percents = [float(name[1:]) for name in STATISTICS[1:]]
    statistics: dict[str, Statistic] = {
        name: bootstrap.distribution(column, percents)
        if name in DISTRIBUTIONS
        else bootstrap.relative_rate(column, spans_s)
        for name, column in columns.items()
        if not _repeats_tpot(name, columns)
    }
    found = bootstrap.replicates(plan, statistics, key=key)
    return {name: found["tpot" if _repeats_tpot(name, columns) else name] for name in columns}


def _repeats_tpot(name: str, columns: Mapping[str, Figures]) -> bool:
    """Say whether ITL equals TPOT in every request, as it does without usage in every chunk."""
    if name != "itl" or "tpot" not in columns:
        return False
    return np.array_equal(columns["itl"], columns["tpot"], equal_nan=True)


def drained(repetitions: Sequence[Sample], key: str, resamples: int) -> Figures:
    """Return what a rate is multiplied by when the lanes drain longer or shorter than usual.

    Their drain at the end is chance of its own: with few requests a lane, the most of it.
    """
    late = np.zeros(resamples)
    for place, one in enumerate(repetitions):
        if one.lanes > 1:
            name = f"{key} drain {place}"
            drawn = bootstrap.drains(one.spans_s, one.lanes, key=name, resamples=resamples)
            late += drawn - drawn.mean()
    factor: Figures = 1 / (1 + late / sum(one.window_s for one in repetitions))
    return factor[:, None]
