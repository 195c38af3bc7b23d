"""Complete zstd frames, one after the other: the outer form of every journal.

A frame is whole or it is not there. Its end is found from the block headers of RFC 8878 section
3.1.1, before anything is decompressed, so that a torn tail and a bomb are both seen in time.
"""

from collections.abc import Iterator
from typing import BinaryIO

import zstandard

MAGIC = b"\x28\xb5\x2f\xfd"
MAX_CONTENT = 1 << 30
_MAX_HEADER = 18
_RLE, _RESERVED = 1, 3

_compressor = zstandard.ZstdCompressor(level=1, write_checksum=True, write_content_size=True)
_decompressor = zstandard.ZstdDecompressor()


class Torn(Exception):
    """What stands at the file's position is not a whole frame."""


def pack(content: bytes) -> bytes:
    """Return one frame that carries its content's size and checksum."""
    return _compressor.compress(content)


def contents(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the content of each frame with the offset at which the frame ends.

    Raises Torn at the first place that is not a whole, undamaged frame with size and checksum.
    """
    end = 0
    while frame := _frame(file):
        end += len(frame)
        try:
            content = _decompressor.decompress(frame)
        except zstandard.ZstdError as error:
            raise Torn(str(error)) from error
        yield end, content


def _frame(file: BinaryIO) -> bytes:
    """Read the bytes of the next frame; empty at the end of the file."""
    start = file.read(_MAX_HEADER)
    if not start:
        return b""
    try:
        header = zstandard.get_frame_parameters(start)
        size = zstandard.frame_header_size(start)
    except zstandard.ZstdError as error:
        raise Torn(str(error)) from error
    if not header.has_checksum or not 0 < header.content_size <= MAX_CONTENT:
        raise Torn("the frame lacks its checksum, or states no usable size")
    parts = [start[:size]]
    file.seek(size - len(start), 1)
    last = False
    while not last:
        block = int.from_bytes(_exactly(file, 3, parts), "little")
        last, kind = bool(block & 1), block >> 1 & 3
        if kind == _RESERVED:
            raise Torn("the frame has a block of no known kind")
        _exactly(file, 1 if kind == _RLE else block >> 3, parts)
    _exactly(file, 4, parts)
    return b"".join(parts)


def _exactly(file: BinaryIO, size: int, parts: list[bytes]) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise Torn("the file ends inside a frame")
    parts.append(data)
    return data
