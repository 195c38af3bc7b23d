"""Recordings read row by row: no reader holds more than the row at hand.

A corpus is a JSONL file with one row a line, a `.json` file that is one row, or a folder of those.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import orjson

from infx.errors import InputError, Problem
from infx.model.trace import Trace
from infx.workloads.trace.fields import Report

PROBLEMS_SHOWN = 20
_BOM = b"\xef\xbb\xbf"

T = TypeVar("T")


class Row(NamedTuple):
    """One row of a corpus: where it stands, where in its file it begins, and its text."""

    where: str
    path: Path
    offset: int
    text: bytes


@dataclass(slots=True)
class Tally:
    """What a reader has met so far; it grows while the reader is drawn from.

    `skipped` counts bad rows that were passed over, `too_long` traces that a context limit dropped.
    """

    rows: int = 0
    skipped: int = 0
    too_long: int = 0
    problems: list[Problem] = field(default_factory=list)

    def note(self, problem: Problem) -> None:
        """Keep one of the first problems."""
        if len(self.problems) < PROBLEMS_SHOWN:
            self.problems.append(problem)


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a corpus that are not empty.

    Raises InputError where a file cannot be read, or a folder holds none.
    """
    try:
        if path.is_dir():
            yield from _folder(path)
        elif path.suffix == ".json":
            yield _whole(path)
        else:
            yield from _lines(path)
    except OSError as error:
        what = f"cannot read the traces: {error.strerror}"
        remedy = "give a JSONL file, a .json file of one trace, or a folder of those"
        raise InputError(Problem(what, str(error.filename or path), remedy)) from error


def _folder(path: Path) -> Iterator[Row]:
    files = sorted(path.glob("*.json"))
    if not files:
        raise InputError(Problem("no .json file in this folder", str(path), "one trace a file"))
    for file in files:
        yield _whole(file)


def _whole(file: Path) -> Row:
    data = file.read_bytes()
    text = data.removeprefix(_BOM)
    return Row(str(file), file, len(data) - len(text), text)


def _lines(path: Path) -> Iterator[Row]:
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.removeprefix(_BOM) if number == 1 else line
            if text.strip():
                yield Row(f"{path}:{number}", path, offset + len(line) - len(text), text)
            offset += len(line)


def decoded(
    source: Iterator[Row], convert: Callable[[object, Row, Report], T | None], tally: Tally, *,
    skip_bad: bool = False,
) -> Iterator[T]:  # fmt: skip
    """Yield what `convert` makes of each row's JSON; a row that reports a problem is bad.

    Bad rows are counted and passed over with `skip_bad`. Otherwise nothing is yielded after the
    first one, and InputError tells all problems at the end of the corpus, the first 20 in full.
    """
    hidden = 0
    for row in source:
        found: list[Problem] = []

        def report(
            what: str, remedy: str | None, row: Row = row, found: list[Problem] = found
        ) -> None:
            found.append(Problem(what, row.where, remedy))

        tally.rows += 1
        value = _converted(row, convert, report)
        for problem in found:
            hidden += len(tally.problems) >= PROBLEMS_SHOWN
            tally.note(problem)
        if found:
            tally.skipped += 1
        elif value is not None and (skip_bad or not tally.problems):
            yield value
    if tally.problems and not skip_bad:
        more = [f"and {hidden} more problems"] if hidden else []
        raise InputError(*tally.problems, *more)


def _converted(
    row: Row, convert: Callable[[object, Row, Report], T | None], report: Report
) -> T | None:
    try:
        value = orjson.loads(row.text)
    except orjson.JSONDecodeError as error:
        report(f"not JSON: {error}", "each row must be one JSON object")
        return None
    return convert(value, row, report)


def fitting(traces: Iterator[Trace], max_context: int | None, tally: Tally) -> Iterator[Trace]:
    """Yield the traces none of whose requests needs more context; whole traces go, not turns."""
    for trace in traces:
        if max_context is not None and trace.peak_context_tokens > max_context:
            tally.too_long += 1
        else:
            yield trace
