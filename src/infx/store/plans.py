"""The plan in a point's folder: mapped while the point runs, and packed where it is large.

Its text is slices of one passage, so it packs to a tenth, at the speed of a disk.
"""

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import zstandard

from infx.errors import InputError, Problem
from infx.store.bundles import PLAN
from infx.store.files import refused, write_chunks
from infx.store.frames import Torn, contents

PACKED = f"{PLAN}.zst"
PACKED_FROM = 64 << 20
"""Plans of more bytes are packed."""
_CHUNK = 1 << 24
_LEVEL = 3


def pack_plan(folder: Path, *, least: int = PACKED_FROM) -> None:
    """Replace a point's plan by its packed form if it has more than `least` bytes.

    Raises MachineError when the machine refuses; the plan is there then.
    """
    plan = folder / PLAN
    if plan.stat().st_size <= least:
        return
    write_chunks(folder / PACKED, _packed(plan))
    try:
        plan.unlink()
    except OSError as error:
        raise refused(plan, "remove the file", error) from error


def _packed(plan: Path) -> Iterator[bytes]:
    compressor = zstandard.ZstdCompressor(
        level=_LEVEL, write_checksum=True, write_content_size=True
    )
    with plan.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield compressor.compress(chunk)


def read_plan(folder: Path) -> bytes:
    """Return the bytes of a point's plan, packed or not; raises InputError where none is whole."""
    return b"".join(_chunks(folder))


def sha256_of_plan(folder: Path) -> str:
    """Return the digest of a point's plan, in hex, packed or not; raises as `read_plan`."""
    digest = sha256()
    for chunk in _chunks(folder):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(folder: Path) -> Iterator[bytes]:
    with suppress(FileNotFoundError), (folder / PLAN).open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
        return
    packed = folder / PACKED
    try:
        with packed.open("rb") as file:
            for _, chunk in contents(file):
                yield chunk
    except FileNotFoundError:
        what = "the plan that the point was run from is missing"
        raise InputError(Problem(what, str(folder / PLAN), "restore it")) from None
    except Torn as error:
        what = f"the packed plan is damaged: {error}"
        raise InputError(Problem(what, str(packed), "restore it")) from None
