"""Prints what a run came to, on stdout."""

import shutil
import sys

from infx.cli import tables
from infx.cli.flags import Format
from infx.cli.plot import frontier_text
from infx.cli.streams import put
from infx.curves.curve import point_key
from infx.flows.curves import series_of
from infx.model.result import RunResult
from infx.report.names import Names

PLOT_COLUMNS = 100
MOST_PLOTS = 4


def print_result(result: RunResult, format_: Format) -> None:
    """Print a run: a table and its curve as text, or one document in another format."""
    if format_ == "json":
        put(tables.json(result))
    elif format_ == "markdown":
        put(tables.markdown(result))
    elif format_ == "github":
        put(tables.github(result))
    else:
        _print_text(result)


def _print_text(result: RunResult) -> None:
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(tables.rich_table(result))
    else:
        put(tables.points_table(result))
    _print_curves(result)
    put(f"bundle: {result.bundle}")


def _print_curves(result: RunResult) -> None:
    """Draw the headline of each series, under its name where there are several."""
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    columns = min(shutil.get_terminal_size().columns, PLOT_COLUMNS)
    found = series_of(result)
    if len(found) > MOST_PLOTS:
        put(f"\n{len(found)} curves, too many to draw here: infx frontier {result.bundle}")
        return
    known = Names(result.points)
    for series in found:
        put(f"\n{series.name}" if series.name else "")
        names = {point_key(point): known.place(point) for point in series.points}
        put(frontier_text(series.curves[0], columns, plain=plain, names=names))
