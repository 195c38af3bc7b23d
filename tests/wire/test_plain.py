"""Plain reads are told apart rightly, and skipping the parsers for them changes no figure."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.record import EndState, Issue, Phase, RequestRecord
from infx.wire.answer import AnswerDecoder
from infx.wire.connection import Connection, Exchange
from streamed import DONE, END, HEAD, chunked, delta, event, usage

BEGIN = HEAD + chunked(delta(role="assistant", content=""))
FINISH = chunked(delta(finish="length")) + chunked(usage(3, 5)) + chunked(DONE) + END


class Sink(asyncio.Transport):
    """Takes everything."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def abort(self) -> None:
        pass


def answer(reads: Sequence[bytes], *, keep_text: bool = False) -> tuple[Exchange, RequestRecord]:
    """Return what became of a request that was sent at 0, its reads coming at 1, 2, 3."""
    ended: list[Exchange] = []
    connection = Connection(count(-1).__next__, ended.append, lambda _: None)
    connection.connection_made(Sink())
    exchange = connection.send(b"GET")
    decoder = AnswerDecoder(exchange, keep_text=keep_text)
    for one in reads:
        connection.data_received(one)
    if not ended:
        connection.connection_lost(None)
    assert ended == [exchange]
    while not decoder.step(lambda: 0, 1):
        pass
    issue = Issue(0, 0, 0, 0, Phase.PROFILING, exchange.sent_ns, exchange.sent_ns, None, 3)
    return exchange, decoder.record(issue)


def paced(*texts: str) -> list[bytes]:
    return [chunked(delta(content=text)) for text in texts]


WORDS = [f" word{number}" for number in range(200)]


def test_most_of_a_paced_answer_is_never_parsed() -> None:
    exchange, record = answer([BEGIN, *paced(*WORDS), FINISH])
    assert len(exchange.plain.moments) == 200 - 2  # the model read and the one before it
    assert record.state is EndState.OK
    assert (record.first_content_ns, record.last_content_ns) == (2, 201)
    assert record.gaps_ns == (1,) * 199


def test_kept_text_is_whole() -> None:
    exchange, record = answer([BEGIN, *paced(*WORDS), FINISH], keep_text=True)
    assert not exchange.plain.moments
    assert record.text == "".join(WORDS)


@pytest.mark.parametrize(
    "reads",
    [
        [b"%X\r\n%b\r\n" % (len(one), one) for one in (delta(content=word) for word in WORDS)],
        [chunked(delta(reasoning_content=word)) for word in WORDS],
        [chunked(event(choices=[{"index": 0, "text": word}])) for word in WORDS],
    ],
    ids=["upper-case sizes", "reasoning", "completions"],
)
def test_other_forms_are_plain_too(reads: list[bytes]) -> None:
    exchange, record = answer([BEGIN, *reads, FINISH])
    assert len(exchange.plain.moments) == 200 - 2
    assert len(record.gaps_ns) == 199


def test_reasoning_is_no_output_and_what_follows_it_is() -> None:
    reasoning = [chunked(delta(reasoning_content=word)) for word in WORDS]
    exchange, record = answer([BEGIN, *reasoning, *paced(*WORDS), FINISH])
    assert (record.first_content_ns, record.first_output_ns) == (2, 202)
    assert len(exchange.plain.moments) > 300


def test_many_chunks_in_a_read_are_plain_too() -> None:
    reads = [b"".join(paced(*WORDS[at : at + 16])) for at in range(0, 200, 16)]
    exchange, record = answer([BEGIN, *reads, FINISH])
    assert len(exchange.plain.moments) == 200 - 2 * 16
    assert record.gaps_ns == (*([0] * 15 + [1]) * 12, *[0] * 7)


def test_several_events_in_a_chunk_are_parsed() -> None:
    reads = [chunked(delta(content=one) + delta(content=one)) for one in WORDS]
    exchange, record = answer([BEGIN, *reads, FINISH])
    assert not exchange.plain.moments
    assert len(record.gaps_ns) == 399


@pytest.mark.parametrize("by", [-1, 1])
def test_a_chunk_of_another_size_than_it_says_is_parsed(by: int) -> None:
    body = delta(content=" word7")
    lying = b"%x\r\n%b\r\n" % (len(body) + by, body)
    reads = [BEGIN, *paced(*WORDS[:40]), lying, *paced(*WORDS[:40]), FINISH]
    _, record = answer(reads)
    assert record.reason == "bad-http"
    decoded = answer(reads, keep_text=True)[1]  # it sees the fault a few reads later
    assert record == replace(decoded, text=None, end_ns=record.end_ns)


ODD = {
    "no token": delta(content=""),
    "a quote in the text": delta(content='say "yes"'),
    "a finish": delta(content=" word7", finish="stop"),
    "two choices": event(choices=[{"index": i, "delta": {"content": " x"}} for i in range(2)]),
    "an error": event(error={"message": "out of memory", "code": 500}),
    "a line end in the text": delta(content=" a|b").replace(b"|", b"\n"),
    "a comment before it": b": ping\n\n" + delta(content=" word7"),
    "a line end too many": delta(content=" word7") + b"\n",
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_what_is_not_plain_is_parsed(odd: bytes) -> None:
    reads = [BEGIN, *paced(*WORDS[:40]), chunked(odd), *paced(*WORDS[:40]), FINISH]
    exchange, record = answer(reads)
    assert 42 not in exchange.plain.moments
    assert record == replace(answer(reads, keep_text=True)[1], text=None)


def test_half_an_event_before_it_makes_a_read_a_part_of_that() -> None:
    """Its chunk is whole, and its bytes are an event's, but they continue another line."""
    half = chunked(b'data: {"choices":[')
    _, record = answer([BEGIN, *paced(*WORDS[:40]), half, *paced(" word1"), FINISH])
    assert record.reason == "malformed"


def test_half_a_chunk_before_it_makes_a_read_a_part_of_that() -> None:
    whole = paced(" word1")[0]
    outer = b": %b\n\n" % whole.replace(b"\n", b"")
    begun, rest = chunked(outer)[:8], chunked(outer)[8:]
    reads = [BEGIN, *paced(*WORDS[:40]), begun, rest, *paced(*WORDS[:5]), FINISH]
    assert len(answer(reads)[1].gaps_ns) == 44


EVENTS = st.one_of(
    st.text(max_size=12).map(lambda text: delta(content=text)),
    st.text(max_size=12).map(lambda text: delta(reasoning_content=text)),
    st.sampled_from(
        [
            *(one for name, one in ODD.items() if name != "a line end in the text"),
            b": ping\n\n",
        ]
    ),
)


@given(
    st.lists(st.tuples(EVENTS, st.integers(1, 12)), max_size=12),
    st.sampled_from([chunked, lambda body: b"%X\r\n%b\r\n" % (len(body), body)]),
    st.lists(st.integers(1, 600), max_size=8),
    st.integers(1, 4),
)
def test_reading_plainly_changes_nothing(events, frame, cuts, coalesced) -> None:  # type: ignore[no-untyped-def]
    """Runs of events, chunked one by one, in reads of some chunks each, some cut anywhere."""
    chunks = [frame(one) for one, times in events for _ in range(times)]
    reads = [b"".join(chunks[at : at + coalesced]) for at in range(0, len(chunks), coalesced)]
    for number, cut in enumerate(cuts):
        at = number * 7 % max(len(reads), 1)
        if reads:
            reads[at : at + 1] = [part for part in (reads[at][:cut], reads[at][cut:]) if part]
    reads = [BEGIN, *reads, FINISH]
    assert answer(reads)[1] == replace(answer(reads, keep_text=True)[1], text=None)
