"""A file that grows by whole frames and survives the death of its writer; journals are such files.

Each frame is handed to the kernel in one piece, so after kill -9 all but the one in flight are
whole.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path

from infx.errors import InputError, Problem
from infx.store.files import refused, write_all
from infx.store.frames import MAGIC, Torn, contents, pack


class FrameFile:
    """The open end of a file of frames.

    Raises InputError when the file exists and is not whole, MachineError when it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._whole = _whole_size(path) if path.exists() else 0
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
            os.lseek(self._descriptor, self._whole, os.SEEK_SET)
        except OSError as error:
            raise refused(path, "open the journal", error) from error

    @property
    def open(self) -> bool:
        """Whether it can still be written."""
        return self._descriptor >= 0

    @property
    def size(self) -> int:
        """How many bytes its whole frames have."""
        return self._whole

    def append(self, content: bytes) -> None:
        """Hand one frame to the kernel; the file ends with its last whole one if that fails.

        Raises MachineError then.
        """
        frame = pack(content)
        try:
            write_all(self._descriptor, frame)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._whole)
            os.lseek(self._descriptor, self._whole, os.SEEK_SET)
            raise refused(self._path, "write the journal", error) from error
        self._whole += len(frame)

    def sync(self) -> None:
        """Bring the file to the disk; raises MachineError."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise refused(self._path, "write the journal", error) from error

    def close(self) -> None:
        """Close the file; twice is allowed."""
        if self.open:
            os.close(self._descriptor)
            self._descriptor = -1


def lines(path: Path, *, tolerate_torn: bool = False) -> Iterator[tuple[int, bytes]]:
    """Yield every line of a journal with its number from 1, frame by frame.

    Raises InputError for a file that cannot be read, and at a torn tail unless `tolerate_torn` ends
    the reading there.
    """
    number, end = 0, 0
    try:
        with path.open("rb") as file:
            for end, content in contents(file):  # noqa: B007 said of a torn tail
                for line in content.splitlines():
                    number += 1
                    yield number, line
    except Torn as torn:
        if not tolerate_torn:
            raise _torn(path, end, str(torn)) from torn
    except OSError as error:
        raise _unreadable(path, error) from error


def cut(path: Path) -> tuple[int, int]:
    """Cut a torn tail off; return how many bytes are kept and how many were dropped.

    A whole file is left as it is. Raises InputError when whole frames follow the damage: then the
    file was altered, not torn, and cutting would lose facts. Raises MachineError when the machine
    refuses.
    """
    kept, torn = _whole(path)
    dropped = path.stat().st_size - kept
    if torn is not None:
        _refuse_altered(path, kept, torn)
        try:
            os.truncate(path, kept)
        except OSError as error:
            raise refused(path, "cut the journal's torn end", error) from error
    return kept, dropped


def _whole_size(path: Path) -> int:
    size, torn = _whole(path)
    if torn is not None:
        raise _torn(path, size, torn)
    return size


def _whole(path: Path) -> tuple[int, str | None]:
    """Return how many bytes are whole frames, and what is wrong after them."""
    end = 0
    try:
        with path.open("rb") as file:
            for end, _ in contents(file):  # noqa: B007 the last end counts, also after Torn
                pass
    except Torn as torn:
        return end, str(torn)
    except OSError as error:
        raise _unreadable(path, error) from error
    return end, None


def _torn(path: Path, end: int, why: str) -> InputError:
    what = f"the journal is not whole after byte {end}: {why}"
    return InputError(Problem(what, str(path), "finish the run with: infx runs recover"))


def _unreadable(path: Path, error: OSError) -> InputError:
    what = f"the journal cannot be read: {error.strerror}"
    return InputError(Problem(what, str(path), "check the path"))


def _refuse_altered(path: Path, kept: int, why: str) -> None:
    """Raise InputError when a whole frame stands anywhere behind the damage at `kept`."""
    try:
        tail = path.read_bytes()[kept:]
    except OSError as error:
        raise _unreadable(path, error) from error
    start = tail.find(MAGIC, 1)
    while start >= 0:
        with suppress(Torn):
            next(contents(BytesIO(tail[start:])))
            what = f"the journal is damaged after byte {kept} ({why}), and more follows it"
            raise InputError(Problem(what, str(path), "restore the file from a copy"))
        start = tail.find(MAGIC, start + 1)
