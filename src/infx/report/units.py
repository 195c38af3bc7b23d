"""How people read metrics: display units, figures with three digits, and names of metrics.

Files and `--format json` keep seconds; only what people look at is scaled.
"""

import math
from collections.abc import Iterable

from infx.model.result import Absent, Interval, MetricValue, PointSummary

MILLISECONDS = frozenset(
    {"ttft", "ttft_from_due", "ttfo", "tpot", "itl", "chunk_gap", "queue_time"}
)
"""Metrics measured in seconds that people read in milliseconds."""

ACRONYMS = frozenset({"ttft", "ttfo", "tpot", "itl", "e2el", "e2e", "gpu", "kv"})

WHOLE_POINT = ("throughput", "rate", "goodput", "per_gpu")
"""Endings of metrics that are one figure for a whole point: no statistic is named beside them."""


def display_unit(metric: str, unit: str) -> tuple[str, float]:
    """Return the unit to show, and what to multiply a value in `unit` by.

    >>> display_unit("ttft", "s"), display_unit("error_rate", "share")
    (('ms', 1000.0), ('%', 100.0))
    """
    if unit == "share":
        return "%", 100.0
    return ("ms", 1000.0) if unit == "s" and metric in MILLISECONDS else (unit, 1.0)


def figure(value: float) -> str:
    """Return `value` with three significant digits, all digits before the point, no exponent.

    >>> figure(0.012345), figure(9.996), figure(12345.6)
    ('0.0123', '10.0', '12,346')
    """
    if value == 0:
        return "0"
    rounded = value if abs(value) >= 1000 else float(f"{value:.3g}")
    decimals = max(0, 2 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def label(metric: str, statistic: str | None = None) -> str:
    """Return the name of a metric in the field's words, with its statistic.

    >>> label("ttft", "p99"), label("output_throughput", "mean")
    ('TTFT p99', 'output throughput')
    """
    words = " ".join(w.upper() if w in ACRONYMS else w for w in metric.split("_"))
    whole = statistic == "mean" and metric.endswith(WHOLE_POINT)
    return words if statistic is None or whole else f"{words} {statistic}"


def statistic(point: PointSummary, metric: str, name: str) -> Absent | float:
    """Return one statistic in display units, or why there is none."""
    found = point.metrics.get(metric, Absent(reason="not computed for this point"))
    if isinstance(found, Absent):
        return found
    value: float | None = getattr(found, name)
    if value is None:
        return Absent(reason=f"the metric has no {name}")
    return value * display_unit(metric, found.unit)[1]


def sample(point: PointSummary, metric: str) -> str:
    """Return what a metric rests on, as in `n 96`; nothing where there is no figure."""
    found = point.metrics.get(metric)
    if not isinstance(found, MetricValue):
        return ""
    return "n not told" if found.n is None else f"n {found.n:,}"


def interval(point: PointSummary, metric: str, name: str) -> tuple[float, float] | None:
    """Return where a statistic lies with 95 % confidence in display units, None where unknown."""
    found = point.metrics.get(metric)
    own = found.intervals.get(name) if isinstance(found, MetricValue) else None
    if not isinstance(found, MetricValue) or not isinstance(own, Interval):
        return None
    factor = display_unit(metric, found.unit)[1]
    return own.low * factor, own.high * factor


def plus_minus(value: float, within: tuple[float, float] | None) -> str:
    """Return a figure, and after it the farther end of its interval where there is one.

    >>> plus_minus(5.62, (5.1, 6.0)), plus_minus(1552.4, (1507.0, 1590.0)), plus_minus(2.0, None)
    ('5.62 ±0.52', '1,552 ±45', '2.00')
    """
    if within is None:
        return figure(value)
    return f"{figure(value)} ±{_two_digits(max(within[1] - value, value - within[0], 0.0))}"


def _two_digits(value: float) -> str:
    if value == 0:
        return "0"
    rounded = value if abs(value) >= 10 else float(f"{value:.2g}")
    return f"{rounded:,.{max(0, 1 - math.floor(math.log10(abs(rounded))))}f}"


def unit(points: Iterable[PointSummary], metric: str) -> str | None:
    """Return the display unit of a metric, None where no point has a figure."""
    for point in points:
        found = point.metrics.get(metric)
        if isinstance(found, MetricValue):
            return display_unit(metric, found.unit)[0]
    return None
