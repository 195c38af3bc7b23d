"""Zip archives of strangers: looked at in full before a byte is unpacked, and in memory only.

Nothing is written to a disk, so that no name of an entry ever becomes a path.
"""

import stat
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from infx.errors import InputError, Problem

_ENCRYPTED = 0x1
_REMEDY = "take the archive from the forge again, or give a folder with the files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large an archive may be, and what it may hold.

    It may hold so many entries, bytes of one of them and of all, and bytes for each packed one.
    `slack` are bytes that a small entry may have beyond that ratio.
    """

    archive_bytes: int = 32 * 1024 * 1024
    entries: int = 10_000
    entry_bytes: int = 16 * 1024 * 1024
    total_bytes: int = 1024 * 1024 * 1024
    ratio: int = 200
    slack: int = 64 * 1024


LIMITS = Limits()


def read_zip(path: Path, names: Collection[str], limits: Limits = LIMITS) -> dict[str, bytes]:
    """Return the entries whose last name is in `names`, by their paths in the archive.

    The whole archive is checked first. Raises InputError with every problem: it is no zip or is
    damaged; an entry is absolute, leads upwards, has a drive, a NUL or a backslash in its name, is
    a link or a device, is encrypted, packed by an unknown method, stands twice, or overlaps another
    one; there are too many entries, or too many bytes.
    """
    try:
        size = path.stat().st_size
        if size > limits.archive_bytes:
            what = f"the archive has {size} bytes, more than {limits.archive_bytes}"
            raise InputError(Problem(what, str(path), _REMEDY))
        with ZipFile(path) as archive:
            found = archive.infolist()
            problems = [Problem(what, str(path), _REMEDY) for what in _faults(found, limits)]
            if problems:
                raise InputError(*problems)
            wanted = [one for one in found if one.filename.rpartition("/")[2] in names]
            return {one.filename: _unpacked(archive, one, limits) for one in wanted}
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, OverflowError) as error:
        raise InputError(Problem(f"the archive is damaged: {error}", str(path), _REMEDY)) from None
    except OSError as error:
        what = f"the archive cannot be read: {error.strerror or error}"
        raise InputError(Problem(what, str(path), "check the path")) from None


def _unpacked(archive: ZipFile, one: ZipInfo, limits: Limits) -> bytes:
    """Return an entry's bytes, and never more than its limit whatever its head says."""
    with archive.open(one) as file:
        data = file.read(limits.entry_bytes + 1)
        if len(data) > limits.entry_bytes or file.read(1):
            raise BadZipFile(f"{_shown(one)} is larger than it says")
    if len(data) != one.file_size:
        raise BadZipFile(f"{_shown(one)} has {len(data)} bytes and says {one.file_size}")
    return data


def _faults(found: Sequence[ZipInfo], limits: Limits) -> Iterator[str]:
    if len(found) > limits.entries:
        yield f"the archive has {len(found)} entries, more than {limits.entries}"
        return
    folded: set[str] = set()
    for one in found:
        yield from (f"{_shown(one)} {why}" for why in _entry_faults(one, limits))
        name = one.filename.rstrip("/").casefold()
        known = name in folded
        folded.add(name)
        if known:
            yield f"{_shown(one)} stands twice, or is one file with another on some systems"
    total = sum(one.file_size for one in found)
    if total > limits.total_bytes:
        yield f"the entries have {total} bytes together, more than {limits.total_bytes}"
    order = sorted(found, key=lambda one: one.header_offset)
    for before, after in pairwise(order):
        if after.header_offset < before.header_offset + before.compress_size:
            yield f"{_shown(after)} overlaps {_shown(before)}"


def _entry_faults(one: ZipInfo, limits: Limits) -> Iterator[str]:
    name = one.orig_filename
    parts = name.rstrip("/").split("/")
    if "\0" in name or "\\" in name or not name.isprintable():
        yield "has characters that no path here may have"
    if name.startswith("/") or ":" in parts[0]:
        yield "is an absolute path"
    if any(part in ("", ".", "..") for part in parts):
        yield "leads out of the archive, or has parts without a name"
    kind = stat.S_IFMT(one.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        yield "is a link or a device"
    if one.flag_bits & _ENCRYPTED:
        yield "is encrypted"
    if one.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        yield "is packed by a method that is not read here"
    if one.file_size > limits.entry_bytes:
        yield f"has {one.file_size} bytes, more than {limits.entry_bytes}"
    elif one.file_size > limits.ratio * one.compress_size + limits.slack:
        yield f"unpacks {one.compress_size} bytes to {one.file_size}"


def _shown(one: ZipInfo) -> str:
    return repr(one.orig_filename[:120])
