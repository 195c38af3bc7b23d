"""A frame is whole or it is not there."""

from io import BytesIO

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.store.frames import Torn, contents, pack


def read(data):
    return list(contents(BytesIO(data)))


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=400), max_size=4), st.integers(1, 1000))
def test_contents_come_back_with_the_ends_of_their_frames(pieces, times):
    frames = [pack(piece * times) for piece in pieces]
    ends = [sum(map(len, frames[: n + 1])) for n in range(len(frames))]
    assert read(b"".join(frames)) == [
        (end, piece * times) for end, piece in zip(ends, pieces, strict=True)
    ]


def test_every_frame_before_a_cut_is_read_and_the_cut_is_said():
    first, second = pack(b"first"), pack(b"second" * 50_000)
    for cut in range(len(first) + 1, len(first) + len(second)):
        frames = contents(BytesIO((first + second)[:cut]))
        assert next(frames) == (len(first), b"first")
        with pytest.raises(Torn):
            next(frames)


def test_a_bomb_is_refused_by_its_stated_size(monkeypatch):
    monkeypatch.setattr("infx.store.frames.MAX_CONTENT", 1000)
    assert read(pack(b"0" * 1000))
    with pytest.raises(Torn, match="no usable size"):
        read(pack(b"0" * 1001))


@pytest.mark.parametrize(
    "frame",
    [
        zstandard.ZstdCompressor(write_checksum=False).compress(b"{}\n"),
        zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress(b"{}\n"),
        b"\x50\x2a\x4d\x18\x04\0\0\0abcd",
        b"plain text, not compressed\n",
    ],
)
def test_frames_that_no_journal_writes_are_refused(frame):
    with pytest.raises(Torn):
        read(frame)
