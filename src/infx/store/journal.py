"""`requests.jsonl.zst`: one line when a request is issued, one when it ends; crash-safe.

The file grows by complete zstd frames, each handed to the kernel at a flush. After kill -9 all
frames but the one in flight are whole, so a request that ended before the last flush is too.
Any zstd tool reads the file: `zstdcat requests.jsonl.zst`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal, NamedTuple

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from infx.errors import InputError, Problem
from infx.model.gaps import Gaps
from infx.model.record import EndState, Issue, RequestRecord
from infx.store.frame_file import FrameFile, cut, lines

CLIENT_DIED = "client-died"
"""The reason of a request whose end was never written."""

_FRAME_CONTENT = 16 * 1024 * 1024
_PART = 32 * 1024
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_ONE = Field(min_length=1)


class Journal:
    """The open end of a journal: `issue` and `end` only remember, `flush` writes.

    Raises InputError when the file exists and is not whole, MachineError when it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._file = FrameFile(path)
        self._pending: list[Issue | RequestRecord] = []

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def issue(self, issue: Issue) -> None:
        """Remember that a request was handed to the kernel."""
        self._pending.append(issue)

    def end(self, record: RequestRecord) -> None:
        """Remember how a request ended."""
        self._pending.append(record)

    def flush(self) -> None:
        """Hand everything remembered to the kernel, as one frame (more above 16 MiB of lines).

        It may run in another thread than `issue` and `end`, but only once at a time. Raises
        MachineError; the file then ends with its last whole frame, and what was not written stays
        remembered for the next flush.
        """
        while self._flush_up_to(_FRAME_CONTENT):
            pass

    def flush_part(self) -> bool:
        """Hand the oldest 32 KiB of lines to the kernel, in a fraction of a millisecond.

        Return whether more is remembered; raises as `flush` does.
        """
        return self._flush_up_to(_PART)

    def _flush_up_to(self, content: int) -> bool:
        written: list[bytes] = []
        size = 0
        for entry in self._pending:
            written.append(_line(entry))
            size += len(written[-1])
            if size >= content:
                break
        if written:
            self._file.append(b"".join(written))
            del self._pending[: len(written)]
        return bool(self._pending)

    def close(self) -> None:
        """Flush, bring the file to the disk, and close it; raises MachineError.

        The file is closed even then. Closing twice is allowed.
        """
        if not self._file.open:
            return
        try:
            self.flush()
            self._file.sync()
        finally:
            self._file.close()


def _line(entry: Issue | RequestRecord) -> bytes:
    name = "issue" if isinstance(entry, Issue) else "end"
    return orjson.dumps({name: entry}, option=orjson.OPT_APPEND_NEWLINE, default=_plain)


def _plain(value: Gaps | Mapping[str, float]) -> list[int] | dict[str, float]:
    return value.packed.tolist() if isinstance(value, Gaps) else dict(value)


class Entry(NamedTuple):
    """One line of a journal and its number from 1."""

    line: int
    value: Issue | RequestRecord


def entries(path: Path, *, tolerate_torn: bool = False) -> Iterator[Entry]:
    """Yield the lines of a journal, frame by frame.

    Raises InputError at a line that is not an issue or an end, and at a torn tail unless
    `tolerate_torn` ends the reading there.
    """
    for number, line in lines(path, tolerate_torn=tolerate_torn):
        yield Entry(number, _entry(line, f"{path}:{number}"))


def read(path: Path, *, tolerate_torn: bool = False) -> Iterator[Issue | RequestRecord]:
    """Yield what was issued and what ended, in the order of writing; errors as `entries`."""
    return (entry.value for entry in entries(path, tolerate_torn=tolerate_torn))


@cache
def _issues() -> TypeAdapter[dict[Literal["issue"], Issue]]:
    """Return what reads an issue; building it takes some ms, and nothing is read before a load."""
    return TypeAdapter(Annotated[dict[Literal["issue"], Issue], _ONE], config=_STRICT)


@cache
def _ends() -> TypeAdapter[dict[Literal["end"], RequestRecord]]:
    return TypeAdapter(Annotated[dict[Literal["end"], RequestRecord], _ONE], config=_STRICT)


def _entry(line: bytes, where: str) -> Issue | RequestRecord:
    try:
        if line.startswith(b'{"issue":'):
            return _issues().validate_json(line)["issue"]
        return _ends().validate_json(line)["end"]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        part = ".".join(map(str, first["loc"])) or "the line"
        raise InputError(
            Problem(f"{part} is not of a journal: {first['msg']}", where, "restore the file")
        ) from None


def records(path: Path, *, tolerate_torn: bool = False) -> tuple[RequestRecord, ...]:
    """Return every issued request by its number; one without an end is `lost`, `client-died`.

    Raises InputError as `entries` does, and for an end without its issue, or a second of either.
    """
    issues, ends = _joined(path, tolerate_torn=tolerate_torn)
    return tuple(ends.get(number) or lost(issues[number]) for number in sorted(issues))


def _joined(
    path: Path, *, tolerate_torn: bool = False
) -> tuple[dict[int, Issue], dict[int, RequestRecord]]:
    issues: dict[int, Issue] = {}
    ends: dict[int, RequestRecord] = {}
    for line, value in entries(path, tolerate_torn=tolerate_torn):
        where = f"{path}:{line}"
        known = issues if isinstance(value, Issue) else ends
        if value.request in known:
            kind = "issued" if known is issues else "ended"
            raise InputError(Problem(f"request {value.request} is {kind} twice", where))
        if isinstance(value, Issue):
            issues[value.request] = value
        elif value.request not in issues:
            raise InputError(Problem(f"request {value.request} ended but was not issued", where))
        else:
            ends[value.request] = value
    return issues, ends


def lost(issue: Issue) -> RequestRecord:
    """Return the record of a request whose client died before the end."""
    return RequestRecord(**asdict(issue), state=EndState.LOST, end_ns=None, reason=CLIENT_DIED)


class Recovered(NamedTuple):
    """What `recover` kept and cut, in bytes of the file, and how many requests were lost."""

    kept: int
    dropped: int
    lost: int


def recover(path: Path) -> Recovered:
    """Make a journal whole after its writer was killed.

    Cuts the torn tail and appends the end of every request that has none. A whole journal is left
    as it is. Raises InputError when whole frames follow the damage: then the file was altered, not
    torn, and cutting would lose facts. Raises MachineError when the machine refuses.
    """
    kept, dropped = cut(path)
    issues, ends = _joined(path)
    missing = sorted(issues.keys() - ends.keys())
    with Journal(path) as journal:
        for number in missing:
            journal.end(lost(issues[number]))
    return Recovered(kept, dropped, len(missing))
