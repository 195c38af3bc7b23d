"""Events come out the same, however the bytes were split and whatever the line ends are."""

from hypothesis import given
from hypothesis import strategies as st

from infx.wire.sse import Event, next_event

LINES = st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=["Cs"]), max_size=9)
EVENTS = st.lists(st.lists(LINES, min_size=1, max_size=3), min_size=1, max_size=6)


def read_all(buffer: bytes, *, closed: bool = False) -> list[Event]:
    grown, events, position = bytearray(buffer), [], 0
    while (event := next_event(grown, position, closed=closed)) is not None:
        events.append(event)
        position = event.next
    return events


def test_the_plain_case() -> None:
    stream = b'data: {"a":1}\n\ndata: [DONE]\n\n'
    assert read_all(stream) == [
        Event(b"message", b'{"a":1}', 13, 15),
        Event(b"message", b"[DONE]", 27, 29),
    ]


def test_comments_names_and_missing_spaces() -> None:
    stream = b": ping\n\nevent: error\ndata:x\nid: 7\n\n: bye\ndata: y\n\n"
    assert [(e.kind, e.data) for e in read_all(stream)] == [(b"error", b"x"), (b"message", b"y")]


def test_an_event_is_whole_only_with_its_blank_line_unless_the_stream_closed() -> None:
    assert read_all(b"data: x\n") == []
    assert [e.data for e in read_all(b"data: x", closed=True)] == [b"x"]
    assert [e.data for e in read_all(b"data: x\r\n", closed=True)] == [b"x"]


@given(EVENTS, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["data: ", "data:"]), st.data())
def test_every_split_gives_the_same_events(
    events: list[list[str]], eol: str, field: str, data: st.DataObject
) -> None:
    # A value that begins with a space loses one when the field has none of its own.
    field = "data: " if any(line.startswith(" ") for event in events for line in event) else field
    stream = "".join(
        "".join(f"{field}{line}{eol}" for line in event) + eol for event in events
    ).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)))))
    buffer, seen, position = bytearray(), [], 0
    for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        buffer += stream[start:stop]
        while (event := next_event(buffer, position)) is not None:
            position = event.next
            seen.append(event)
    assert [event.data.decode() for event in seen] == ["\n".join(lines) for lines in events]
    assert seen == read_all(stream)
    assert all(stream[e.end : e.end + 1] in (b"\r", b"\n") for e in seen)
