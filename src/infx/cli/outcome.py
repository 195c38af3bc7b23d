"""Prints what a run came to, on stdout."""

import shutil
import sys

from infx.cli import tables
from infx.cli.plot import frontier_text
from infx.cli.streams import put
from infx.cli.values import Format
from infx.curves.curve import point_key
from infx.flows.curves import headline
from infx.model.result import RunResult
from infx.report.columns import point_name

PLOT_COLUMNS = 100


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
    if result.points:
        plain = "utf" not in (sys.stdout.encoding or "").lower()
        columns = min(shutil.get_terminal_size().columns, PLOT_COLUMNS)
        put("")
        names = {point_key(point): point_name(point) for point in result.points}
        put(frontier_text(headline(result), columns, plain=plain, names=names))
    put(f"bundle: {result.bundle}")
