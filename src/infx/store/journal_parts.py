"""The parts of a journal that several processes wrote: `requests.N.jsonl.zst` beside the whole one.

Each process holds a lock of the kernel on its part, which falls with it however it dies. Merging
appends the parts to the whole journal and replaces that in one step, so a crash leaves either all
parts unmerged, or all of them merged and some not yet removed.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from infx.errors import InputError, Problem
from infx.store import journal
from infx.store.files import TEMPORARY, refused, sync_folder
from infx.store.frames import Torn, contents

_PART = re.compile(r"\.(\d+)\.jsonl\.zst")
_WHOLE = ".jsonl.zst"
_COPIED = 1 << 20


def part_path(path: Path, index: int) -> Path:
    """Return where process `index` writes its part of the journal `path`.

    >>> part_path(Path("requests.jsonl.zst"), 3)
    PosixPath('requests.3.jsonl.zst')
    """
    return path.with_name(f"{path.name.removesuffix(_WHOLE)}.{index}{_WHOLE}")


def parts_of(path: Path) -> tuple[Path, ...]:
    """Return the parts of the journal `path` that are there, by their index."""
    stem = path.name.removesuffix(_WHOLE)
    found = {
        int(match[1]): file
        for file in path.parent.glob(f"{stem}.*{_WHOLE}")
        if (match := _PART.fullmatch(file.name.removeprefix(stem)))
    }
    return tuple(found[index] for index in sorted(found))


@contextmanager
def held(part: Path) -> Iterator[None]:
    """Hold the right to write a part, which is made where it is missing.

    Raises InputError when another process holds it, MachineError when the machine refuses.
    """
    try:
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise refused(part, "open the journal", error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        what = "another process still writes this part of the journal"
        raise InputError(Problem(what, str(part), "wait for it, or end it")) from None
    finally:
        os.close(descriptor)


def gather(path: Path) -> None:
    """Make every part of the journal `path` whole, as `journal.recover` does, and merge them."""
    parts = parts_of(path)
    for part in parts:
        with held(part):
            journal.recover(part)
    merge(path, parts)


def merge(path: Path, parts: Sequence[Path]) -> None:
    """Append whole parts to the journal `path`, which may be missing, and remove them.

    Parts that a killed merge appended already are only removed. Raises InputError for a part or a
    journal that is not whole, MachineError when the machine refuses; the parts stay then.
    """
    if not parts:
        return
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    try:
        fresh = _fresh(path, parts)
        if fresh or not path.exists():
            with temporary.open("wb") as file:
                for source in (*([path] if path.exists() else []), *fresh):
                    with source.open("rb") as whole:
                        shutil.copyfileobj(whole, file, _COPIED)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            sync_folder(path.parent)
        for part in parts:
            part.unlink()
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise refused(path, "merge the journal's parts", error) from error


def _fresh(path: Path, parts: Sequence[Path]) -> list[Path]:
    """Return the parts whose first frame, which no other part can have, is not in the journal."""
    firsts = {part: first for part in parts if (first := _read_through(part))}
    merged = {content for content in _contents(path) if content in firsts.values()}
    return [part for part, first in firsts.items() if first not in merged]


def _read_through(part: Path) -> bytes:
    """Return what the first frame of a whole part holds, nothing where it has no frame."""
    frames = _contents(part)
    first = next(frames, b"")
    for _ in frames:
        pass
    return first


def _contents(path: Path) -> Iterator[bytes]:
    if not path.exists():
        return
    end = 0
    try:
        with path.open("rb") as file:
            for end, content in contents(file):  # noqa: B007 said of a torn tail
                yield content
    except Torn as torn:
        what = f"the journal is not whole after byte {end}: {torn}"
        remedy = "finish the run with: infx runs recover"
        raise InputError(Problem(what, str(path), remedy)) from None
