"""The curves of a run as the page draws them: display units, and the text of each point."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.model.result import Absent, Curve, CurvePoint, Interval, PointSummary
from infx.report.columns import END_NAMES
from infx.report.content import Report, ReportedPoint
from infx.report.distributions import axis_scale
from infx.report.names import Names, load_kind, load_name
from infx.report.units import display_unit, interval, label, plus_minus, statistic, unit

LOG_FROM = 50.0
"""The ratio of largest to smallest x from which a curve stands on a logarithmic axis."""

HOVERED = (
    ("ttft", "p50"),
    ("ttft", "p99"),
    ("tpot", "p50"),
    ("output_throughput", "mean"),
    ("total_throughput", "mean"),
)
"""What a point's card tells beside its place."""

HOVERED_OF_REPLAYS = (
    ("ttft", "p90"),
    ("e2el", "p90"),
    ("interactivity", "p90"),
    ("output_throughput", "mean"),
    ("total_throughput", "mean"),
)

STANDING = {
    (True, True): "on the frontier",
    (True, False): "on the frontier",
    (False, True): "beside the frontier: another point is as good on one axis, better on the other",
    (False, False): "dominated: another point is better",
}


def series(report: Report) -> list[JsonValue]:
    """Return every series with its curves in display units, and the standing of each point."""
    by_key, names = {point.key: point for point in report.points}, report.names
    return [
        {
            "name": one.name,
            "load": load_kind(one.points),
            "curves": [_curve(curve, by_key, names) for curve in one.curves],
        }
        for one in report.series
    ]


def axis(metric: str, name: str, metric_unit: str) -> str:
    """Return the title of an axis: metric, statistic, display unit."""
    return f"{label(metric, name)} ({display_unit(metric, metric_unit)[0]})"


def _curve(curve: Curve, by_key: Mapping[str, ReportedPoint], names: Names) -> JsonValue:
    x_unit, x_factor = display_unit(curve.x_metric, curve.x_unit)
    y_unit, y_factor = display_unit(curve.y_metric, curve.y_unit)
    points: list[JsonValue] = [
        {
            "key": _key(point),
            "x": point.x * x_factor,
            "y": point.y * y_factor,
            "xs": _ends(point.x_interval, x_factor),
            "ys": _ends(point.y_interval, y_factor),
            "shown": [
                _shown(point.x, point.x_interval, (x_unit, x_factor)),
                _shown(point.y, point.y_interval, (y_unit, y_factor)),
            ],
            "label": load_name(point),
            "frontier": point.on_frontier,
            "standing": STANDING[point.on_frontier, point.on_reference_frontier],
        }
        for point in curve.points
    ]
    return {
        "x": {
            "choice": label(curve.x_metric, curve.x_statistic),
            "label": axis(curve.x_metric, curve.x_statistic, curve.x_unit),
            "better": curve.x_better,
            "scale": axis_scale([point.x for point in curve.points], LOG_FROM),
        },
        "y": {
            "choice": label(curve.y_metric, curve.y_statistic),
            "label": axis(curve.y_metric, curve.y_statistic, curve.y_unit),
            "better": curve.y_better,
        },
        "points": points,
        "missing": _missing(curve, by_key, names),
    }


def _shown(value: float, within: Interval | None, unit: tuple[str, float]) -> str:
    name, factor = unit
    ends = None if within is None else (within.low * factor, within.high * factor)
    return f"{plus_minus(value * factor, ends)} {name}"


def _ends(within: Interval | None, factor: float) -> JsonValue:
    return None if within is None else [within.low * factor, within.high * factor]


def cards(report: Report) -> dict[str, JsonValue]:
    """Return what the card of each point tells on every curve, by the point's key."""
    names = report.names
    return {
        point.key: {"title": names.place(point.summary), "rows": _rows(point.summary)}
        for point in report.points
    }


def _rows(summary: PointSummary) -> list[JsonValue]:
    rows: list[JsonValue] = []
    for metric, name in HOVERED if summary.replay is None else HOVERED_OF_REPLAYS:
        value, within = statistic(summary, metric, name), interval(summary, metric, name)
        text = (
            f"none: {value.reason}"
            if isinstance(value, Absent)
            else f"{plus_minus(value, within)} {unit([summary], metric)}"
        )
        rows.append([label(metric, name), text])
    rows.append(["requests", _ends_of(summary)])
    rows.append(["certified", "yes" if summary.certified else "no: " + ", ".join(summary.reasons)])
    return rows


def _ends_of(summary: PointSummary) -> str:
    counts = summary.counts
    if isinstance(counts, Absent):
        return f"not known: {counts.reason}"
    told = ((getattr(counts, state), name) for state, name in END_NAMES.items())
    return ", ".join(f"{count:,} {name}" for count, name in told if count) or "none"


def _key(point: CurvePoint) -> str:
    """Name a point as its folder is named."""
    return f"{point.point_id}-r{point.repetition}" if point.repetition else point.point_id


def _missing(curve: Curve, by_key: Mapping[str, ReportedPoint], names: Names) -> list[JsonValue]:
    """Say why points are not drawn, those of the report first and in its order."""
    known = [key for key in by_key if key in curve.missing]
    unknown = [key for key in curve.missing if key not in by_key]
    called = [names.place(by_key[key].summary) for key in known]
    called += [f"point {key[:12]}" for key in unknown]
    reasons = [curve.missing[key] for key in (*known, *unknown)]
    return [f"{name}: {reason}" for name, reason in zip(called, reasons, strict=True)]
