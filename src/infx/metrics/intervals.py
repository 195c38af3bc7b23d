"""How far chance within one measurement may have moved a point's figures.

Lanes share a server, so requests of the same time depend on each other as requests of the same lane
do. Both are resampled (`metrics.sample`, `stats.bootstrap`), and the wider interval stands.
"""

from collections.abc import Mapping

from infx.metrics.sample import (
    DISTRIBUTIONS,
    RECIPROCALS,
    Sample,
    column,
    drained,
    figures,
    plans,
    rates,
    sample,
    statistics_of,
    too_few_beyond,
)
from infx.model.measured import Measured
from infx.model.result import Absent, Interval, Metric, MetricValue
from infx.stats import bootstrap
from infx.stats.bootstrap import Figures, Plan

Told = dict[str, Interval | Absent]


def with_intervals(
    metrics: Mapping[str, Metric], measured: Measured, *, key: str
) -> dict[str, Metric]:
    """Return the metrics of `measured` with an interval, or its reason, for what can have one.

    Equal keys give equal intervals.
    """
    given = sample(measured)
    ways = plans([given])
    every = {**DISTRIBUTIONS, **rates(measured.slo)}
    known = {_base(name) for name, metric in metrics.items() if isinstance(metric, MetricValue)}
    sources = {RECIPROCALS.get(name, name) for name in known} & every.keys()
    columns = {name: column(given.records, every[name]) for name in sorted(sources)}
    drawn: list[tuple[Plan, dict[str, Figures]]] = []
    if not isinstance(ways, Absent):
        drawn = [(plan, _drawn(columns, given, plan, key)) for plan in ways]
    found = dict(metrics)
    for name, metric in metrics.items():
        if (
            isinstance(metric, Absent)
            or metric.n is None
            or RECIPROCALS.get(_base(name), _base(name)) not in sources
        ):
            continue
        told: Told
        if isinstance(ways, Absent):
            told = dict.fromkeys(statistics_of(_base(name)), ways)
        else:
            told = {
                statistic: too_few_beyond(statistic, metric.n)
                or _widest([_interval(name, metric, place, of_one) for of_one in drawn])
                for place, statistic in enumerate(statistics_of(_base(name)))
            }
        found[name] = metric.model_copy(update={"intervals": told})
    return found


def _base(name: str) -> str:
    return name.removesuffix("_per_gpu")


def _drawn(
    columns: Mapping[str, Figures], given: Sample, plan: Plan, key: str
) -> dict[str, Figures]:
    found = figures(columns, given.spans_s, plan, f"{key} {plan.method}")
    for name in columns.keys() - DISTRIBUTIONS.keys():
        found[name] = found[name] * drained([given], key, len(found[name]))
    return found


def _interval(
    name: str, metric: MetricValue, place: int, drawn: tuple[Plan, dict[str, Figures]]
) -> Interval | Absent:
    plan, found = drawn
    base = _base(name)
    if base in RECIPROCALS:
        return bootstrap.interval(1 / found[RECIPROCALS[base]][:, place], plan)
    scale = 1.0 if base in DISTRIBUTIONS else metric.mean
    return bootstrap.interval(scale * found[base][:, place], plan)


def _widest(intervals: list[Interval | Absent]) -> Interval | Absent:
    known = [one for one in intervals if isinstance(one, Interval)]
    if len(known) < len(intervals):
        return next(one for one in intervals if isinstance(one, Absent))
    return max(known, key=lambda one: one.high - one.low)
