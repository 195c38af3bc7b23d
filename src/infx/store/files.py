"""Files as the store writes them: whole or not at all, and every refusal said clearly."""

import errno
import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from infx.errors import MachineError, Problem

_REMEDIES = {
    errno.ENOSPC: "free disk space, or choose another folder",
    errno.EDQUOT: "free some of your quota, or choose another folder",
    errno.EACCES: "choose a folder you may write to",
    errno.EPERM: "choose a folder you may write to",
    errno.EROFS: "choose a folder you may write to",
    errno.ENOTDIR: "choose a path that is a folder",
    errno.EEXIST: "choose a path that is a folder",
    errno.EIO: "check the disk",
}
TEMPORARY = ".tmp"
"""The suffix of files that are being written; a crash may leave one, and it holds no fact."""


def refused(path: Path, doing: str, error: OSError) -> MachineError:
    """Return the error that says what the machine refused, for which file, and what to do."""
    reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0, "check the disk and the folder")
    return MachineError(Problem(f"cannot {doing}: {reason}", str(path), remedy))


def write_all(descriptor: int, data: bytes) -> None:
    """Hand all of `data` to the kernel; raises OSError, possibly after a part was written."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader or a crash sees the old content or the new, never a part.

    Raises MachineError when the machine refuses.
    """
    write_chunks(path, (data,))


def write_chunks(path: Path, chunks: Iterable[bytes]) -> str:
    """Write a file from parts as `write_whole` does, and return the sha256 of its bytes, in hex.

    Raises MachineError when the machine refuses, and what the chunks raise; no file is left then.
    """
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    digest = hashlib.sha256()
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            for chunk in chunks:
                digest.update(chunk)
                write_all(descriptor, chunk)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise refused(path, "write the file", error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return digest.hexdigest()


def make_folder(path: Path) -> None:
    """Make a folder and its parents where they are missing; raises MachineError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(path, "make the folder", error) from error


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """Return the hex digest of a file's bytes; raises MachineError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise refused(path, "read the file", error) from error
