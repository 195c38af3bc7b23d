"""How far chance within two measurements may have moved the ratio of their figures.

Both asked the same requests in the same order, so blocks of time are drawn once for both: what the
start of a run and the lengths of its prompts do to either, they do to the ratio only by their
difference. Lanes are drawn for each side, and the variances are added.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from infx.metrics.sample import (
    DISTRIBUTIONS,
    OfRequest,
    Sample,
    column,
    drained,
    figures,
    plans,
    rates,
    sample,
    statistics_of,
    time_blocks,
    too_few_beyond,
)
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Absent
from infx.stats.bootstrap import Figures, Lanes, Plan
from infx.stats.log_error import LogError, joined, log_error

Errors = dict[tuple[str, str], LogError | Absent]
"""By metric and statistic."""


def ratio_errors(a: Sequence[Measured], b: Sequence[Measured], *, key: str) -> Errors:
    """Return the error of b / a for what can have one, over the repetitions of a point.

    Equal keys give equal errors. Raises ValueError when a record's moments run backwards.
    """
    every = _of_request(a[0])
    places = [(name, statistic) for name in every for statistic in statistics_of(name)]
    sides = [[sample(measured) for measured in side] for side in (a, b)]
    ways: list[tuple[Plan, ...]] = []
    for side in sides:
        found = plans(side)
        if isinstance(found, Absent):
            return dict.fromkeys(places, found)
        ways.append(found)
    parts = [_in_time(sides[0], sides[1], every, key)]
    for name, side, way in zip("ab", sides, ways, strict=True):
        lanes = [plan for plan in way if isinstance(plan, Lanes)]
        parts += [_by_lane(side, every, plan, f"{key} {name}") for plan in lanes]
    return {place: joined([part[place] for part in parts]) for place in places}


def _of_request(measured: Measured) -> dict[str, OfRequest]:
    """Return what the metrics of a point are made of; only an open loop has latencies from due."""
    return {
        name: of_request
        for name, of_request in {**DISTRIBUTIONS, **rates(measured.slo)}.items()
        if measured.open_loop or not name.endswith("_from_due")
    }


def _in_time(
    a: Sequence[Sample], b: Sequence[Sample], every: Mapping[str, OfRequest], key: str
) -> Errors:
    """Resample blocks of the requests that ended ok on both sides, the same ones on each."""
    pairs = [_paired(*both) for both in zip(a, b, strict=False)]
    plan = time_blocks(a, [len(places) for places, _ in pairs])
    if isinstance(plan, Absent):
        return {(name, statistic): plan for name in every for statistic in statistics_of(name)}
    of_a = _columns(a, [places for places, _ in pairs], every)
    of_b = _columns(b, [places for _, places in pairs], every)
    drawn = [figures(*own, plan, f"{key} blocks") for own in (of_a, of_b)]
    ratios = {name: drawn[1][name] / drawn[0][name] for name in every}
    return _errors(ratios, of_a[0], plan)


def _paired(a: Sample, b: Sample) -> tuple[list[int], list[int]]:
    """Return the places of equal requests in both samples, in the order of the first one."""
    places = {_what(record, b): place for place, record in enumerate(b.records)}
    found = [
        (place, places[_what(record, a)])
        for place, record in enumerate(a.records)
        if _what(record, a) in places
    ]
    return [place for place, _ in found], [place for _, place in found]


def _what(record: RequestRecord, of: Sample) -> tuple[int, ...]:
    """Name what a request asks: a replay asks the same of several lanes, and again in each."""
    turn = (record.session, record.turn)
    return (record.lane, record.play, *turn) if of.replayed else turn


def _columns(
    side: Sequence[Sample], places: Sequence[Sequence[int]], every: Mapping[str, OfRequest]
) -> tuple[dict[str, Figures], list[float]]:
    """Return the columns and spans of some requests of each repetition."""
    records = [one.records[at] for one, own in zip(side, places, strict=False) for at in own]
    spans = [one.spans_s[at] for one, own in zip(side, places, strict=False) for at in own]
    return {name: column(records, of_request) for name, of_request in every.items()}, spans


def _by_lane(
    side: Sequence[Sample], every: Mapping[str, OfRequest], plan: Lanes, key: str
) -> Errors:
    columns, spans = _columns(side, [range(len(one.records)) for one in side], every)
    found = figures(columns, spans, plan, f"{key} lanes")
    for name in every.keys() - DISTRIBUTIONS.keys():
        found[name] = found[name] * drained(side, key, len(found[name]))
    return _errors(found, columns, plan)


def _errors(drawn: Mapping[str, Figures], columns: Mapping[str, Figures], plan: Plan) -> Errors:
    return {
        (name, statistic): too_few_beyond(statistic, int(np.isfinite(columns[name]).sum()))
        or log_error(of_metric[:, place], plan)
        for name, of_metric in drawn.items()
        for place, statistic in enumerate(statistics_of(name))
    }
