"""`infx frontier RUN...`: the frontier of each curve, how dense it is, and where it has none."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from infx.cli.runs import Root, find
from infx.cli.streams import put
from infx.curves.coverage import LEAST
from infx.curves.curve import Statistic
from infx.errors import InputError, Problem
from infx.model.frontier import Frontiers, Gap, Series, View
from infx.model.result import CurvePoint

if TYPE_CHECKING:
    from infx.cli.grids import Grid

PLOT_COLUMNS = 100


def frontier(
    *run: str,
    root: Root = Path("runs"),
    percentile: Annotated[
        Statistic | None,
        Parameter(help="Of the latency. Default: p50, and of replays p90 and p75."),
    ] = None,
    gap_ratio: Annotated[
        float, Parameter(help="Neighbours whose latencies differ by more have a gap between them.")
    ] = 2.0,
    format: Annotated[
        Literal["text", "json", "markdown"], Parameter(help="What stdout gets.")
    ] = "text",
) -> int:
    """Show total throughput against end-to-end latency: which points no other one beats.

    Under each curve stands how many points its frontier has, and each stretch of latencies without
    one, with concurrencies that may fill it. Several runs of one model and workload are also held
    to the range of latencies that they cover together.

    Parameters
    ----------
    run
        Runs: their folders, their ids, or `latest`.
    """
    from infx.flows.frontier import frontiers
    from infx.flows.runs import open_run

    if gap_ratio <= 1:
        raise InputError(Problem(f"{gap_ratio:g} is no ratio above 1", "--gap-ratio", "use 2"))
    if not run:
        raise InputError(Problem("no run", None, "name one, or `latest`"))
    runs = [open_run(find(one, root)) for one in run]
    put(FORMATS[format](frontiers(runs, statistic=percentile, gap_ratio=gap_ratio)))
    return 0


def text(found: Frontiers) -> str:
    """Return each curve as a plot and a table, and under it what is counted."""
    from infx.cli.grids import aligned, printable
    from infx.cli.plot import frontier_text

    plain = "utf" not in (sys.stdout.encoding or "").lower()
    columns = min(shutil.get_terminal_size().columns, PLOT_COLUMNS)
    blocks = []
    for series, view in _views(found):
        blocks.append(printable(_head(series, view)))
        blocks.append(frontier_text(view.curve, columns, plain=plain))
        if view.curve.points:
            blocks.append("\n".join(aligned(_grid(view))))
        blocks.append("\n".join(_notes(view)))
    return "\n\n".join(blocks) if blocks else "no point of these runs has a summary"


def markdown(found: Frontiers) -> str:
    """Return the tables and counts in GitHub's Markdown."""
    from infx.cli.grids import markdown_grid, markdown_text

    blocks = []
    for series, view in _views(found):
        blocks.append(f"**{markdown_text(_head(series, view))}**")
        if view.curve.points:
            blocks.append(markdown_grid(_grid(view)))
        missing = (f"not drawn: {reason}" for reason in view.curve.missing.values())
        blocks.append("\n".join(f"- {markdown_text(one)}" for one in (*missing, *_notes(view))))
    return "\n\n".join(blocks) if blocks else "no point of these runs has a summary"


def as_json(found: Frontiers) -> str:
    """Return one JSON object on one line, in metric units."""
    return found.model_dump_json()


FORMATS: Mapping[str, Callable[[Frontiers], str]] = MappingProxyType(
    {"text": text, "json": as_json, "markdown": markdown}
)
"""What `--format` takes, and the function that writes it."""


def _views(found: Frontiers) -> Iterator[tuple[Series, View]]:
    for series in found.series:
        for view in series.views:
            yield series, view


def _head(series: Series, view: View) -> str:
    return f"{series.run}  {series.name}, {view.curve.x_statistic}"


def _grid(view: View) -> "Grid":
    from infx.cli.grids import Grid
    from infx.report.names import Names
    from infx.report.units import display_unit, figure, label

    curve = view.curve
    x_unit, x_factor = display_unit(curve.x_metric, curve.x_unit)
    y_unit, y_factor = display_unit(curve.y_metric, curve.y_unit)
    names = Names(curve.points)
    heads = (
        "conc" if names.head == "concurrency" else names.head,
        label(curve.x_metric, curve.x_statistic),
        label(curve.y_metric, curve.y_statistic),
        "frontier",
    )
    rows = tuple(
        (
            names.row(point),
            figure(point.x * x_factor),
            figure(point.y * y_factor),
            _standing(point),
        )
        for point in curve.points
    )
    return Grid("", heads, ("", x_unit, y_unit, ""), rows)


def _standing(point: CurvePoint) -> str:
    if point.on_frontier:
        return "yes"
    return "plateau" if point.on_reference_frontier else "-"


def _notes(view: View) -> Iterator[str]:
    """Yield the count of the frontier, then each gap."""
    found = view.coverage
    few = "" if found.frontier_points >= LEAST else f", fewer than {LEAST}"
    invalid = "" if not found.invalid_points else f"; {found.invalid_points} without figures"
    points = f"{found.frontier_points} of {found.measured_points} points"
    yield f"frontier: {points}{few}{invalid} (rule upper_right: {found.status})"
    if not view.gaps:
        yield f"gaps: none above {view.gap_ratio:g} times"
    for gap in view.gaps:
        yield _gap(gap, view)


def _gap(gap: Gap, view: View) -> str:
    from infx.report.units import display_unit, figure

    unit, factor = display_unit(view.curve.x_metric, view.curve.x_unit)
    start, end = figure(gap.start * factor), figure(gap.end * factor)
    what = f"gap: nothing between {start} and {end} {unit}, {figure(gap.ratio)} times"
    if gap.place == "before":
        what += "; comparable curves begin there"
    elif gap.place == "after":
        what += "; comparable curves end there"
    if gap.inside:
        what += f"; {gap.inside} dominated inside"
    tried = ", ".join(map(str, gap.concurrencies))
    return f"{what}; try concurrency {tried}" if tried else what
