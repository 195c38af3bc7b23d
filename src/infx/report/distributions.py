"""The spread of each latency per point, as a few quantiles instead of every request."""

from collections.abc import Sequence

from pydantic import JsonValue

from infx.report.content import ReportedPoint
from infx.report.names import Names
from infx.report.units import display_unit, figure, label
from infx.stats.percentile import percentile

MOST_TICKS = 101
"""Above this many requests a strip holds percentiles 0 to 100 instead of single requests."""

LOG_FROM = 5.0
"""The ratio of largest to smallest latency from which strips stand on a logarithmic axis."""


def ticks(ordered: Sequence[float]) -> list[float]:
    """Return the values themselves, or percentiles 0 to 100 where there are more than those."""
    if len(ordered) <= MOST_TICKS:
        return list(ordered)
    return [percentile(ordered, percent) for percent in range(MOST_TICKS)]


def axis_scale(values: Sequence[float], log_from: float) -> str:
    """Return `log` where positive values spread by the ratio `log_from` or more, else `linear`."""
    spread = bool(values) and min(values) > 0 and max(values) / min(values) >= log_from
    return "log" if spread else "linear"


def distributions(points: Sequence[ReportedPoint]) -> list[JsonValue]:
    """Return one panel a latency: a strip for each point, and the points without one."""
    names = Names([point.summary for point in points])
    points = [point for point in points if point.file.keeps_requests]
    metrics = dict.fromkeys(name for point in points for name in point.latencies)
    return [_panel(metric, points, names) for metric in metrics]


def _panel(metric: str, points: Sequence[ReportedPoint], names: Names) -> JsonValue:
    unit, factor = display_unit(metric, "s")
    rows: list[JsonValue] = []
    absent: list[JsonValue] = []
    shown: list[float] = []
    for point in points:
        values = sorted(value * factor for value in point.latencies.get(metric, ()))
        if values:
            shown += (values[0], values[-1])
            told = {"title": names.place(point.summary), "label": names.row(point.summary)}
            rows.append({"key": point.key, **told, **_row(values, unit)})
        else:
            absent.append(f"{names.place(point.summary)}: no successful request has one")
    return {
        "metric": label(metric),
        "unit": unit,
        "load": names.head,
        "scale": axis_scale(shown, LOG_FROM),
        "rows": rows,
        "absent": absent,
    }


def _row(values: Sequence[float], unit: str) -> dict[str, JsonValue]:
    marks = {p: percentile(values, p) for p in (5, 25, 50, 75, 95, 99)}
    told: list[JsonValue] = [[f"p{p}", f"{figure(value)} {unit}"] for p, value in marks.items()]
    single = len(values) <= MOST_TICKS
    return {
        "single": single,
        "ticks": [_short(value) for value in ticks(values)],
        "p50": _short(marks[50]),
        "p99": _short(marks[99]),
        "rows": [*told, ["requests", f"{len(values):,}"]],
    }


def _short(value: float) -> float:
    """Keep five significant digits: finer than a pixel, a third of the bytes."""
    return float(f"{value:.5g}")
