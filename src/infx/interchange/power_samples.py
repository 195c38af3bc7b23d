"""`samples.csv` of srt-slurm: what each accelerator of a deployment drew, about once a second.

One reading a line; later versions of the file add columns at its end. Those are checked, and not
kept: energy needs the power alone. The manifest beside it, which names the producer's commit, is
not read.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from infx.errors import InputError, Problem
from infx.model.power import GpuPower

NS_PER_S = 1_000_000_000
FIRST = (
    "schema_version", "timestamp_unix", "scrape_seq", "hostname", "gpu_index", "gpu_uuid",
    "power_w",
)  # fmt: skip
SECOND = (*FIRST, "gpu_util_pct", "sm_active")
THIRD = (*SECOND, "temperature_c")
VERSIONS = {FIRST: "1", SECOND: "2", THIRD: "3"}
"""The head of a file to the version that each of its lines states."""

_WHOLE = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]*)?(e[+-]?[0-9]{1,2})?", re.IGNORECASE)
_SHAPES = {
    "timestamp_unix": re.compile(r"[0-9]{1,10}(\.[0-9]*)?"),
    "scrape_seq": _WHOLE,
    "hostname": re.compile(r"\S+"),
    "gpu_index": _WHOLE,
    "gpu_uuid": re.compile(r"\S+"),
    "power_w": _NUMBER,
    **dict.fromkeys(THIRD[len(FIRST) :], re.compile(rf"({_NUMBER.pattern})?", re.IGNORECASE)),
}
"""How a cell is written; what came later may be empty, where an exporter does not have it."""


@dataclass(slots=True)
class _Gpu:
    uuid: str
    moments: list[int] = field(default_factory=list)
    watts: list[float] = field(default_factory=list)
    scrapes: set[int] = field(default_factory=set)


class _Readings:
    """What the lines said so far, of all files."""

    def __init__(self) -> None:
        self.gpus: dict[tuple[str, int], _Gpu] = {}
        self._places: dict[str, tuple[str, int]] = {}

    def take(self, cells: dict[str, str]) -> Iterator[str]:
        """Take in one line, or say all that is wrong with it."""
        wrong = [name for name, text in cells.items() if _misshapen(name, text)]
        yield from (f"{name} is {cells[name]!r}" for name in wrong)
        if wrong:
            return
        place, uuid = (cells["hostname"], int(cells["gpu_index"])), cells["gpu_uuid"]
        name = f"GPU {place[0]}/{place[1]}"
        if self._places.setdefault(uuid, place) != place:
            yield f"{uuid} is {name} here, and another GPU above"
            return
        gpu = self.gpus.setdefault(place, _Gpu(uuid))
        moment, scrape = int(Decimal(cells["timestamp_unix"]) * NS_PER_S), int(cells["scrape_seq"])
        if gpu.uuid != uuid:
            yield f"{name} is {uuid} here, and {gpu.uuid} above"
        elif scrape in gpu.scrapes:
            yield f"{name} has scrape {scrape} twice"
        elif gpu.moments and moment <= gpu.moments[-1]:
            yield f"{name} is read at {cells['timestamp_unix']}, not after its reading above"
        else:
            gpu.moments.append(moment)
            gpu.watts.append(float(cells["power_w"]))
            gpu.scrapes.add(scrape)


def _misshapen(name: str, text: str) -> bool:
    return name in _SHAPES and _SHAPES[name].fullmatch(text) is None


def read(*paths: Path) -> tuple[GpuPower, ...]:
    """Return the readings of each accelerator in all files, by host and index.

    Those of one accelerator may go on in a later file. Raises InputError with every line that is
    not as it has to be: another version, a cell that is no number, a reading that is there twice or
    is not later than the one before it, an accelerator that changes its identity.
    """
    readings = _Readings()
    problems = [problem for path in paths for problem in _take(readings, path)]
    if problems:
        raise InputError(*problems)
    return tuple(
        GpuPower(hostname, index, tuple(gpu.moments), tuple(gpu.watts))
        for (hostname, index), gpu in sorted(readings.gpus.items())
    )


def _take(readings: _Readings, path: Path) -> Iterator[Problem]:
    """Take in one file; yield its problems."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file, strict=True)
            head = tuple(next(lines, ()))
            if head not in VERSIONS:
                yield Problem(
                    "is no head of power samples", f"{path}:1", f"write {','.join(FIRST)}"
                )
                return
            found = False
            for cells in lines:
                found = True
                for what in _line(readings, head, cells):
                    yield Problem(what, f"{path}:{lines.line_num}")
            if not found:
                yield Problem("it has no sample", str(path))
    except OSError as error:
        yield Problem(f"cannot be read: {error.strerror}", str(path), "check the path")
    except (csv.Error, UnicodeDecodeError) as error:
        yield Problem(f"is no table: {error}", str(path))


def _line(readings: _Readings, head: tuple[str, ...], cells: list[str]) -> Iterator[str]:
    version = VERSIONS[head]
    if len(cells) != len(head):
        yield f"has {len(cells)} cells in place of {len(head)}"
    elif cells[0] != version:
        yield f"schema_version is {cells[0]!r} under a head of version {version}"
    else:
        yield from readings.take(dict(zip(head, cells, strict=True)))
