"""`samples.jsonl.zst`: what was read of the server's metrics pages beside the load; crash-safe.

One line a page, one frame a line. Most numbers of a page stay the same for a second, so a page is
kept whole only where its lines have changed; else the line holds the numbers that did.
Any zstd tool reads the file: `zstdcat samples.jsonl.zst`.
"""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from infx.errors import InputError, Problem
from infx.model.scrape import Change, Miss, Page, Scrape
from infx.store.frame_file import FrameFile, lines

MAX_BYTES = 1 << 30
"""The journal grows no further: eight pages of 400 kB a second for ten hours stay well below."""
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_ONE = Field(min_length=1)
_PAGE = TypeAdapter(Annotated[dict[Literal["page"], Page], _ONE], config=_STRICT)
_CHANGE = TypeAdapter(Annotated[dict[Literal["change"], Change], _ONE], config=_STRICT)
_MISS = TypeAdapter(Annotated[dict[Literal["miss"], Miss], _ONE], config=_STRICT)


class SampleJournal:
    """The open end of a journal of samples: what is added is with the kernel when `add` returns.

    Raises InputError when the file exists and is not whole, MachineError when it cannot be opened.
    `full` tells that it has reached `max_bytes`, and what is added is dropped.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._file = FrameFile(path)
        self._max = max_bytes
        self._last: dict[str, list[str]] = {}
        self.full = False

    def __enter__(self) -> "SampleJournal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, scrape: Page | Miss) -> None:
        """Write a page, or why it was not read; raises MachineError."""
        self.full = self.full or self._file.size >= self._max
        if self.full:
            return
        if isinstance(scrape, Miss):
            self._file.append(_line("miss", scrape))
            return
        now = scrape.text.split("\n")
        values = _changed(self._last.get(scrape.source), now)
        if values is None:
            self._file.append(_line("page", scrape))
        else:
            change = Change(scrape.source, scrape.sent_ns, scrape.received_ns, values)
            self._file.append(_line("change", change))
        self._last[scrape.source] = now

    def close(self) -> None:
        """Bring the file to the disk and close it; raises MachineError. Twice is allowed."""
        if not self._file.open:
            return
        try:
            self._file.sync()
        finally:
            self._file.close()


def _changed(before: list[str] | None, now: list[str]) -> tuple[tuple[int, str], ...] | None:
    """Return the last words that have changed; None where more than those did."""
    if before is None or len(before) != len(now):
        return None
    values = []
    for number, (old, new) in enumerate(zip(before, now, strict=True)):
        if old != new:
            head, space, value = new.rpartition(" ")
            if not space or old.rpartition(" ")[:2] != (head, space):
                return None
            values.append((number, value))
    return tuple(values)


def _line(name: str, scrape: Scrape) -> bytes:
    return orjson.dumps({name: scrape}, option=orjson.OPT_APPEND_NEWLINE)


def read(path: Path, *, tolerate_torn: bool = False) -> Iterator[Scrape]:
    """Yield what was read, in the order of writing.

    Raises InputError at a line that is none of a journal of samples, for a change without a page
    before it, and at a torn tail unless `tolerate_torn` ends the reading there.
    """
    known: dict[str, int] = {}
    for number, line in lines(path, tolerate_torn=tolerate_torn):
        where = f"{path}:{number}"
        scrape = _scrape(line, where)
        if isinstance(scrape, Page):
            known[scrape.source] = scrape.text.count("\n")
        elif isinstance(scrape, Change) and any(
            not 0 <= place <= known.get(scrape.source, -1) for place, _ in scrape.values
        ):
            what = f"no page of {scrape.source} before this has the changed lines"
            raise InputError(Problem(what, where, "restore the file"))
        yield scrape


def pages(path: Path, *, tolerate_torn: bool = False) -> Iterator[Page]:
    """Yield only the pages that are kept whole, which is quick; errors as `read`."""
    for number, line in lines(path, tolerate_torn=tolerate_torn):
        if line.startswith(b'{"page":'):
            scrape = _scrape(line, f"{path}:{number}")
            if isinstance(scrape, Page):
                yield scrape


def _scrape(line: bytes, where: str) -> Scrape:
    try:
        if line.startswith(b'{"change":'):
            return _CHANGE.validate_json(line)["change"]
        if line.startswith(b'{"page":'):
            return _PAGE.validate_json(line)["page"]
        return _MISS.validate_json(line)["miss"]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        part = ".".join(map(str, first["loc"])) or "the line"
        raise InputError(
            Problem(f"{part} is not of samples: {first['msg']}", where, "restore the file")
        ) from None
