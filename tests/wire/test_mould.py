"""Events are cut apart exactly as at every blank line, whatever stands in them."""

from hypothesis import given
from hypothesis import strategies as st

from infx.wire.mould import plain_pieces

BODIES = st.lists(st.sampled_from([b"\n", b"\n\n", b"data: x", b": c", b"d"])).map(b"".join)


@given(BODIES, st.sampled_from([b"\n\n", b""]))
def test_pieces_are_what_stands_between_blank_lines(body: bytes, end: bytes) -> None:
    whole = bytearray(body + end)
    cut = whole.rfind(b"\n\n")
    expected = [] if cut < 0 else bytes(whole[:cut]).split(b"\n\n")
    assert plain_pieces(whole) == expected


def test_other_line_ends_go_the_long_way() -> None:
    assert plain_pieces(bytearray(b"data: x\r\n\r\ndata: y\n\n")) == []
