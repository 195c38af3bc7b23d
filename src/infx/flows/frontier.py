"""The frontiers of runs: how many points they have, and where they have none."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from infx.curves.coverage import coverage
from infx.curves.curve import Statistic, axes, curve
from infx.curves.gaps import LIMIT, covered, gaps
from infx.flows.runs import Run
from infx.model.frontier import Frontiers, Series, View
from infx.model.result import Curve, PointSummary
from infx.model.traits import curve_traits

COMPARABLE = ("model", "benchmark_type", "isl", "osl", "arrival")
"""Curves with these in common are read side by side, whatever hardware and engine they are of."""

UNSTATED = "not stated"


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One series before its neighbours are looked at."""

    run: Run
    key: dict[str, JsonValue]
    curves: tuple[Curve, ...]


def frontiers(
    runs: Sequence[Run], *, statistic: Statistic | None = None, gap_ratio: float = LIMIT
) -> Frontiers:
    """Return the frontier of each curve key of each run, on total throughput against E2EL.

    `statistic` is that of the latency: the median by default, p90 and beside it p75 of replays.
    Gaps also count against what the other curves of the same model and workload cover. Raises
    InputError when a file of a bundle is bad.
    """
    drawn = [one for run in runs for one in _drawn(run, statistic)]
    found = (_series(one, drawn, gap_ratio) for one in drawn)
    return Frontiers(series=tuple(found))


def _drawn(run: Run, statistic: Statistic | None) -> Iterator[_Drawn]:
    keys: dict[str, dict[str, JsonValue]] = {}
    groups: dict[str, list[PointSummary]] = {}
    for point in run.points:
        summary = run.bundle.summary(point)
        if summary is not None:
            name = json.dumps(point.curve_key, sort_keys=True)
            keys[name] = point.curve_key
            groups.setdefault(name, []).append(summary)
    for name, summaries in groups.items():
        x, y = axes(summaries)[0]
        beside: tuple[Statistic, ...] = ("p75",) if summaries[0].replay is not None else ()
        wanted = (statistic,) if statistic is not None else (x.statistic, *beside)
        drawn = (curve(summaries, replace(x, statistic=one), y) for one in wanted)
        yield _Drawn(run, keys[name], tuple(drawn))


def _series(one: _Drawn, drawn: Sequence[_Drawn], gap_ratio: float) -> Series:
    name = _name(one.key)
    beside = [
        other
        for other in drawn
        if other is not one
        and one.key.get("model") is not None
        and all(other.key.get(field) == one.key.get(field) for field in COMPARABLE)
    ]
    return Series(
        run=one.run.manifest.run,
        bundle=str(one.run.bundle.path),
        name=name,
        views=tuple(_view(own, name, beside, gap_ratio) for own in one.curves),
    )


def _view(own: Curve, name: str, beside: Sequence[_Drawn], gap_ratio: float) -> View:
    same = [
        other
        for series in beside
        for other in series.curves
        if (other.x_metric, other.x_statistic) == (own.x_metric, own.x_statistic)
    ]
    reach = covered(same)
    placed: list[JsonValue] = [{"x": point.x, "y": point.y} for point in own.points]
    # A point without a figure is no evidence, and is counted as none.
    return View(
        curve=own,
        coverage=coverage(f"{name} {own.x_statistic}", [*placed, *(None for _ in own.missing)]),
        gap_ratio=gap_ratio,
        covered=reach,
        gaps=gaps(own, limit=gap_ratio, reach=reach),
    )


def _name(key: dict[str, JsonValue]) -> str:
    """Return how people call a curve: model, workload, hardware with engine, precision."""
    known = curve_traits(key)
    asked = ", ".join(known[part] for part in ("workload", "arrivals") if part in known)
    hardware = "_".join(known[part] for part in ("hardware", "engine") if part in known)
    parts = (known.get("model"), asked, hardware, known.get("precision"))
    return " · ".join(part or UNSTATED for part in parts)
