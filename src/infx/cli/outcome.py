"""Prints what a run came to: data on stdout, talk on stderr."""

import shutil
import sys

from infx.cli import tables
from infx.cli.plot import frontier_text
from infx.cli.values import Format
from infx.flows.bench import Outcome
from infx.flows.curves import headline
from infx.model.result import RunResult


def print_outcome(outcome: Outcome, format_: Format) -> None:
    """Print a run in the asked format, and on stderr why it ended early, if it did."""
    print_result(outcome.run.result, format_)
    if outcome.failure is not None:
        print(f"infx: {outcome.failure}", file=sys.stderr)


def print_result(result: RunResult, format_: Format) -> None:
    """Print a run: a table and its curve as text, or one document in another format."""
    if format_ == "json":
        print(tables.json(result))
    elif format_ == "markdown":
        print(tables.markdown(result))
    elif format_ == "github":
        print(tables.github(result))
    else:
        _print_text(result)


def _print_text(result: RunResult) -> None:
    print(tables.points_table(result))
    curve = headline(result)
    if curve.points:
        print()
        print(frontier_text(curve, min(shutil.get_terminal_size().columns, 100)))
    print(f"bundle: {result.bundle}")
