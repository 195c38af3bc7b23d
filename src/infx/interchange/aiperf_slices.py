"""`profile_export_aiperf_timeslices.json` and `.csv` of aiperf 0.13: a run in pieces of equal time.

A request belongs to the piece in which it was sent. The pieces begin with the first send of
profiling; the last one ends with the last request, and is then marked as not complete. A piece in
which no request was sent is left out. Each has the metrics of its own requests, with its length
under the rates. aiperf adds figures of effective and active concurrency, which infx does not
compute. Source: the exporters and the accumulator of aiperf 0.13.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson
from pydantic import JsonValue, ValidationError

from infx.errors import InputError, Problem
from infx.interchange.aiperf_names import NAMES, in_order, printed
from infx.interchange.aiperf_settings import input_config
from infx.interchange.aiperf_statistics import of_requests, of_run
from infx.interchange.outgoing import Outgoing
from infx.model.aiperf import SLICES, SLICES_TABLE, AiperfSlices, AiperfStatistic
from infx.model.record import Phase, RequestRecord
from infx.store.documents import read_json
from infx.store.files import write_whole

COLUMNS = ("Timeslice", "Start_NS", "End_NS", "Metric", "Unit", "Stat", "Value")


class Piece(NamedTuple):
    """A stretch of profiling in nanoseconds, and the requests that were sent in it."""

    start_ns: int
    end_ns: int
    whole: bool
    records: tuple[RequestRecord, ...]

    @property
    def metrics(self) -> dict[str, AiperfStatistic]:
        """Every metric of these requests."""
        return of_requests(self.records) | of_run(self.records, self.end_ns - self.start_ns)


def read(path: Path) -> AiperfSlices:
    """Return the pieces of a run; raises InputError when the file is something else."""
    document = read_json(path)
    try:
        return AiperfSlices.model_validate_json(orjson.dumps(document.value))
    except ValidationError as error:
        raise InputError(
            *(
                Problem(
                    f"{'.'.join(map(str, one['loc']))} is not aiperf's: {one['msg']}", str(path)
                )
                for one in error.errors(include_url=False)
            )
        ) from None


def write(outgoing: Outgoing, folder: Path, length_ns: int) -> tuple[Path, ...]:
    """Write the pieces of a point, each `length_ns` long; nothing where it has no request.

    Raises MachineError.
    """
    found = pieces(outgoing.records, length_ns)
    if not found:
        return ()
    point = outgoing.point
    told: dict[str, JsonValue] = {
        "timeslices": [_plain(outgoing, one) for one in found],
        "input_config": input_config(point, outgoing.summary.ends.issued),
    }
    write_whole(folder / SLICES, orjson.dumps(told, option=orjson.OPT_INDENT_2))
    buffer = io.StringIO()
    csv.writer(buffer).writerows([COLUMNS, *_rows(outgoing, found)])
    write_whole(folder / SLICES_TABLE, buffer.getvalue().encode())
    return folder / SLICES, folder / SLICES_TABLE


def pieces(records: Sequence[RequestRecord], length_ns: int) -> list[Piece]:
    """Return the pieces of a profiling phase in which a request was sent."""
    profiled = [one for one in records if one.phase is Phase.PROFILING]
    if not profiled:
        return []
    first = min(one.sent_ns for one in profiled)
    last = max(one.end_ns or one.sent_ns for one in profiled)
    members: dict[int, list[RequestRecord]] = {}
    for one in sorted(profiled, key=lambda one: (one.end_ns or one.sent_ns, one.request)):
        members.setdefault((one.sent_ns - first) // length_ns, []).append(one)
    found = []
    for number, own in sorted(members.items()):
        start, end = first + number * length_ns, first + (number + 1) * length_ns
        found.append(Piece(start, min(end, last), end <= last, tuple(own)))
    return found


def _plain(outgoing: Outgoing, piece: Piece) -> dict[str, JsonValue]:
    bounds: dict[str, JsonValue] = {
        "start_ns": outgoing.wall(piece.start_ns),
        "end_ns": outgoing.wall(piece.end_ns),
    }
    if not piece.whole:
        bounds["is_complete"] = False
    figures = {tag: one.model_dump(exclude_none=True) for tag, one in in_order(piece.metrics)}
    return {**bounds, **figures}


def _rows(outgoing: Outgoing, found: Sequence[Piece]) -> Iterator[tuple[str, ...]]:
    for number, piece in enumerate(found):
        start, end = outgoing.wall(piece.start_ns), outgoing.wall(piece.end_ns)
        place = (str(number), str(start), str(end))
        for tag, one in in_order(piece.metrics):
            for statistic, text in printed(one).items():
                yield (*place, NAMES[tag], one.unit, statistic, text)
