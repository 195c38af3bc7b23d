"""`profile_export_aiperf.csv` of aiperf: the aggregate of one run as two tables.

The first has the metrics of requests with their statistics, the second those of the whole run. A
third one, of GPU telemetry, is passed over when it is there; infx has none to write.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from infx.errors import InputError, Problem
from infx.interchange.aiperf_aggregate import metrics
from infx.interchange.aiperf_names import STATISTICS, in_order, is_spread, printed, title
from infx.interchange.outgoing import Outgoing
from infx.model.aiperf import TABLE
from infx.store.files import write_whole

SPREADS = ("Metric", *STATISTICS)
SINGLES = ("Metric", "Value")
TELEMETRY = "Endpoint"
"""What the head of the table of GPU telemetry begins with."""


def read(path: Path) -> Mapping[str, Mapping[str, float]]:
    """Return the printed statistics of each metric, by its name with its unit.

    A metric of the whole run has `avg`. Raises InputError with every line that is not aiperf's.
    """
    where = str(path)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file, strict=True))
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", where)) from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(Problem(f"is no table: {error}", where)) from None
    found: dict[str, Mapping[str, float]] = {}
    problems = []
    head: tuple[str, ...] = ()
    for number, line in enumerate(lines, start=1):
        cells = tuple(line)
        if not cells or cells in (SPREADS, SINGLES) or cells[0] == TELEMETRY:
            head = cells
            continue
        if head[:1] == (TELEMETRY,):
            continue
        problem = _take(found, cells, head)
        if problem is not None:
            problems.append(Problem(problem, f"{where}:{number}"))
    if problems or not found:
        raise InputError(*(problems or [Problem("it has no metric", where)]))
    return found


def _take(
    found: dict[str, Mapping[str, float]], cells: tuple[str, ...], head: tuple[str, ...]
) -> str | None:
    """Take in one row; return what is wrong with it."""
    name, *figures = cells
    if not head:
        return f"{name!r} stands under no head of aiperf's"
    if len(cells) != len(head):
        return f"{name} has {len(figures)} figures in place of {len(head) - 1}"
    if name in found:
        return f"{name} stands there twice"
    statistics = STATISTICS if head == SPREADS else ("avg",)
    try:
        found[name] = {
            one: float(text) for one, text in zip(statistics, figures, strict=True) if text
        }
    except ValueError:
        return f"a figure of {name} is no number"
    return None


def write(outgoing: Outgoing, folder: Path) -> Path:
    """Write the table of a point; raises MachineError."""
    path = folder / TABLE
    buffer = io.StringIO()
    csv.writer(buffer).writerows(_rows(outgoing))
    write_whole(path, buffer.getvalue().encode())
    return path


def _rows(outgoing: Outgoing) -> Iterator[tuple[str, ...]]:
    found = [*in_order(metrics(outgoing))]
    spreads = [(tag, one) for tag, one in found if is_spread(one)]
    if spreads:
        yield SPREADS
        for tag, one in spreads:
            told = printed(one)
            yield (title(tag, one.unit), *(told.get(name, "") for name in STATISTICS))
        yield ()
    yield SINGLES
    for tag, one in found:
        if not is_spread(one):
            yield title(tag, one.unit), printed(one)["avg"]
