"""A curve as text: marks on two axes, for people who look at a terminal."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from types import MappingProxyType
from typing import NamedTuple

from infx.cli.grids import printable
from infx.model.result import Better, Curve, CurvePoint
from infx.report.distributions import axis_scale
from infx.report.frontier import LOG_FROM, axis
from infx.report.names import load_kind, load_name
from infx.report.units import display_unit, figure

LEAST_COLUMNS = 16
"""The narrowest plot area; a terminal that has less room gets lines longer than itself."""

LEAST_TEXT = 30
"""The narrowest text around the plot."""


BETTER: Mapping[Better, str] = MappingProxyType(
    {"smaller": "less is better", "larger": "more is better"}
)


class Glyphs(NamedTuple):
    """The characters of a plot. Frontier and dominated marks differ in shape, not in colour."""

    frontier: str
    dominated: str
    path: str
    side: str
    side_tick: str
    corner: str
    floor: str
    floor_tick: str


UNICODE = Glyphs("●", "○", "·", "│", "┤", "└", "─", "┬")
PLAIN = Glyphs("*", "o", ".", "|", "+", "+", "-", "+")


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from its first tick to its last, linear or logarithmic."""

    ticks: tuple[float, ...]
    logarithmic: bool = False

    def cell(self, value: float, cells: int) -> int:
        """Return the cell of a value among `cells` from low to high."""
        low, high, at = map(self._place, (self.ticks[0], self.ticks[-1], value))
        return round((at - low) / (high - low) * (cells - 1))

    def _place(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value


@dataclass(frozen=True, slots=True)
class Mark:
    """All points that fall into one cell."""

    row: int
    column: int
    points: tuple[CurvePoint, ...]

    @property
    def frontier(self) -> bool:
        """Whether any of the points stands on the frontier."""
        return any(point.on_frontier for point in self.points)

    @property
    def label(self) -> str:
        """The loads of the points."""
        return ",".join(dict.fromkeys(map(load_name, self.points)))


def frontier_text(
    curve: Curve,
    width: int,
    height: int = 16,
    *,
    plain: bool = False,
    names: Mapping[str, str] | None = None,
) -> str:
    """Draw a curve in `width` columns and a plot area of `height` rows; no line has an end break.

    Marks are labelled by concurrency or rate; a label without room stands under the plot, as does
    every point that could not be drawn, with its reason. `plain` keeps to ASCII. `names` gives the
    names of missing points by their keys; without one the start of the key is shown.
    """
    glyphs = PLAIN if plain else UNICODE
    lines: list[str] = []
    if curve.points:
        lines += _plot(curve, width, max(height, 4), glyphs)
    else:
        lines.append("No point has both figures.")
    for key, reason in curve.missing.items():
        name = (names or {}).get(key, f"point {key[:12]}")
        lines += _wrapped(printable(f"not drawn: {name}: {reason}"), width)
    return "\n".join(lines)


def _plot(curve: Curve, width: int, height: int, glyphs: Glyphs) -> list[str]:
    xs = _displayed([point.x for point in curve.points], curve.x_metric, curve.x_unit)
    ys = _displayed([point.y for point in curve.points], curve.y_metric, curve.y_unit)
    y_scale = linear(min(0.0, *ys), max(ys), max(2, round(height / 4)))
    gutter = max(len(name) for name in tick_names(y_scale)) + 2
    columns = max(LEAST_COLUMNS, width - gutter)
    if axis_scale(xs, LOG_FROM) == "log":
        x_scale = logarithmic(min(xs), max(xs))
    else:
        x_scale = linear(min(xs), max(xs), max(1, columns // 14))
    marks = _marks(curve.points, (xs, ys), (x_scale, y_scale), (columns, height))
    grid = [[" "] * columns for _ in range(height)]
    crowded = _draw(grid, marks, glyphs)
    y_title = axis(curve.y_metric, curve.y_statistic, curve.y_unit)
    x_title = axis(curve.x_metric, curve.x_statistic, curve.x_unit)
    numbers = f"(numbers: {load_kind(curve.points)})"
    key = f"{glyphs.frontier} frontier  {glyphs.dominated} dominated  {numbers}"
    return [
        *_wrapped(f"{y_title}, {BETTER[curve.y_better]}", width),
        *_with_side(grid, y_scale, gutter, glyphs),
        *_floor(x_scale, columns, gutter, glyphs),
        *(
            line.rjust(gutter + columns)
            for line in _wrapped(f"{x_title}, {BETTER[curve.x_better]}", width)
        ),
        *_wrapped(key, width),
        *(line for mark in crowded for line in _wrapped(_unlabelled(mark, curve), width)),
    ]


def _displayed(values: Sequence[float], metric: str, unit: str) -> list[float]:
    factor = display_unit(metric, unit)[1]
    return [value * factor for value in values]


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, max(width, LEAST_TEXT))


def _unlabelled(mark: Mark, curve: Curve) -> str:
    x_unit, x_factor = display_unit(curve.x_metric, curve.x_unit)
    y_unit, y_factor = display_unit(curve.y_metric, curve.y_unit)
    point = mark.points[0]
    place = f"{figure(point.x * x_factor)} {x_unit}, {figure(point.y * y_factor)} {y_unit}"
    return f"no room for the label of {mark.label}: {place}"


def linear(low: float, high: float, intervals: int) -> Scale:
    """Return a scale over low to high with ticks at steps of 1, 2 or 5, about `intervals` of them.

    >>> linear(0, 87, 4).ticks
    (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
    """
    if low == high:
        low, high = low - (abs(low) / 2 or 1), high + (abs(high) / 2 or 1)
    rough = (high - low) / intervals
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next((step for step in (1, 2, 5) if step * power >= rough * 0.7), 10)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Scale(tuple(number * step for number in range(first, max(last, first + 1) + 1)))


def logarithmic(low: float, high: float) -> Scale:
    """Return a scale over positive values with ticks at 1, 2 and 5 of each power of ten.

    >>> logarithmic(30, 900).ticks
    (20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    first = max(tick for tick in steps if tick <= low)
    last = min(tick for tick in steps if tick >= high)
    return Scale(tuple(tick for tick in steps if first <= tick <= last), logarithmic=True)


def tick_names(scale: Scale) -> list[str]:
    """Return the text of each tick, as short as tells them apart."""
    if scale.logarithmic:
        return [f"{tick:,.12g}" for tick in scale.ticks]
    step = scale.ticks[1] - scale.ticks[0]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{tick:,.{decimals}f}" for tick in scale.ticks]


def _marks(
    points: Sequence[CurvePoint],
    values: tuple[Sequence[float], Sequence[float]],
    scales: tuple[Scale, Scale],
    size: tuple[int, int],
) -> list[Mark]:
    cells: dict[tuple[int, int], list[CurvePoint]] = {}
    for point, x, y in zip(points, *values, strict=True):
        column = scales[0].cell(x, size[0])
        row = size[1] - 1 - scales[1].cell(y, size[1])
        cells.setdefault((row, column), []).append(point)
    return [Mark(row, column, tuple(found)) for (row, column), found in cells.items()]


def _draw(grid: list[list[str]], marks: Sequence[Mark], glyphs: Glyphs) -> list[Mark]:
    """Draw path, marks and labels; return the marks whose label found no room."""
    best = [mark for mark in marks if mark.frontier]
    for start, end in pairwise(best):
        steps = max(abs(end.column - start.column), abs(end.row - start.row))
        for step in range(1, steps):
            row = round(start.row + (end.row - start.row) * step / steps)
            column = round(start.column + (end.column - start.column) * step / steps)
            grid[row][column] = glyphs.path
    for mark in marks:
        grid[mark.row][mark.column] = glyphs.frontier if mark.frontier else glyphs.dominated
    return [mark for mark in marks if not _label(grid, mark, glyphs)]


def _label(grid: list[list[str]], mark: Mark, glyphs: Glyphs) -> bool:
    size = len(mark.label)
    places = [
        (mark.row, mark.column + 1),
        (mark.row - 1, mark.column - size // 2),
        (mark.row + 1, mark.column - size // 2),
        (mark.row, mark.column - size),
    ]
    for free in (" ", " " + glyphs.path):
        for row, column in places:
            inside = 0 <= row < len(grid) and 0 <= column <= len(grid[0]) - size
            if inside and all(cell in free for cell in grid[row][column : column + size]):
                grid[row][column : column + size] = mark.label
                return True
    return False


def _with_side(grid: list[list[str]], scale: Scale, gutter: int, glyphs: Glyphs) -> list[str]:
    height = len(grid)
    names = {
        height - 1 - scale.cell(tick, height): name
        for tick, name in zip(scale.ticks, tick_names(scale), strict=True)
    }
    return [
        (
            names.get(row, "").rjust(gutter - 2)
            + " "
            + (glyphs.side_tick if row in names else glyphs.side)
            + "".join(cells)
        ).rstrip()
        for row, cells in enumerate(grid)
    ]


def _floor(scale: Scale, columns: int, gutter: int, glyphs: Glyphs) -> list[str]:
    """Return the x axis and its tick names; a name that would touch its neighbour is left out."""
    line = [glyphs.floor] * columns
    names = [" "] * (gutter + columns)
    free = 0
    for tick, name in zip(scale.ticks, tick_names(scale), strict=True):
        at = scale.cell(tick, columns)
        start = min(max(0, gutter + at - len(name) // 2), gutter + columns - len(name))
        if start < free:
            continue
        line[at] = glyphs.floor_tick
        names[start : start + len(name)] = name
        free = start + len(name) + 1
    return [" " * (gutter - 1) + glyphs.corner + "".join(line), "".join(names).rstrip()]
