"""What the bytes of an answer's events hold, however faults have written them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from infx.servers.truth.answer import DONE
from infx.servers.truth.tokens import count_words

CHANNELS = ("content", "reasoning_content", "reasoning", "tool_calls")
"""Where the text of a chat delta may stand."""

_EVENT = re.compile(rb".*?\r?\n\r?\n", re.DOTALL)
_DATA = re.compile(rb"^data: ?([^\r\n]*)", re.MULTILINE)


def split_events(events: bytes) -> list[bytes]:
    """Split a write into its events, each with the empty line that ends it."""
    return _EVENT.findall(events)


def is_done(event: bytes) -> bool:
    """Whether an event is the one that ends the stream."""
    found = _DATA.search(event)
    return found is not None and found[1] == DONE[6:-2]


def read_event(event: bytes) -> dict[str, Any] | None:
    """Return the JSON object of an event; None for `[DONE]` and comments."""
    found = _DATA.search(event)
    if found is None or not found[1].startswith(b"{"):
        return None
    chunk: dict[str, Any] = orjson.loads(found[1])
    return chunk


def write_event(chunk: Mapping[str, Any]) -> bytes:
    """Return the event of a JSON object."""
    return b"data: %b\n\n" % orjson.dumps(chunk)


def choice_of(chunk: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the only choice of a chunk, None where it has none."""
    choices = chunk.get("choices") if chunk else None
    choice: dict[str, Any] | None = choices[0] if choices else None
    return choice


def data_end(event: bytes) -> int:
    """Return the offset just past the last byte of an event's data: where a reader has it all."""
    found = _DATA.search(event)
    return found.end() if found else len(event)


def tokens_of(event: bytes) -> int:
    """Return how many tokens an event carries: one a word of its text, in any channel."""
    return sum(map(count_words, _texts(read_event(event))))


def _texts(chunk: Mapping[str, Any] | None) -> Iterator[str]:
    choice = choice_of(chunk)
    if choice is None:
        return
    delta = choice.get("delta", choice)
    for channel in ("text", *CHANNELS):
        value = delta.get(channel)
        if isinstance(value, str):
            yield value
        elif value:
            yield from (call["function"].get("arguments", "") for call in value)
