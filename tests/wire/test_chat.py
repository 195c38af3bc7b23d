"""What an answer meant, for every way in which it can come and go."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import orjson
import pytest

from infx.clock import NS, VirtualTimeLoop
from infx.errors import InputError
from infx.model.record import EndState, Issue, Phase, RequestRecord
from infx.wire.answer import AnswerDecoder
from infx.wire.chat import body_frame
from infx.wire.connection import Connection, Exchange
from memory_transport import MemoryTransport, memory_dial
from streamed import DONE, END, HEAD, chunked, delta, event, usage

Act = Callable[[MemoryTransport], None]


class Scripted(asyncio.Protocol):
    """Writes pieces at whole virtual seconds after a request, or acts on its transport."""

    def __init__(self, script: dict[float, bytes | Act]) -> None:
        self.script = script

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        for second, step in self.script.items():
            if isinstance(step, bytes):
                loop.call_later(second, self.transport.write, step)
            else:
                loop.call_later(second, step, self.transport)


def ask(script: dict[float, bytes | Act], *, split: int | None = None) -> RequestRecord:
    """Return the record of one request; moments are seconds after it was sent, in whole ns.

    It is the same whether its text is kept, so that every event is decoded, or not.
    """
    record = ask_once(script, split=split, keep_text=True)
    assert ask_once(script, split=split, keep_text=False) == replace(record, text=None)
    return record


def ask_once(
    script: dict[float, bytes | Act], *, split: int | None, keep_text: bool
) -> RequestRecord:
    loop = VirtualTimeLoop()

    async def run() -> tuple[Exchange, AnswerDecoder]:
        done: asyncio.Future[Exchange] = loop.create_future()
        connection = Connection(loop.now, done.set_result, lambda _: None)
        await memory_dial(lambda: Scripted(script), split=split)(lambda: connection)
        decoder = AnswerDecoder(connection.send(b"GET"), keep_text=keep_text)
        return await done, decoder

    try:
        exchange, decoder = loop.run_until_complete(run())
    finally:
        loop.close()
    assert decoder.step(lambda: 0, 1)
    issue = Issue(0, 0, 0, 0, Phase.PROFILING, exchange.sent_ns, exchange.sent_ns, None, 3)
    return decoder.record(issue)


def after(record: RequestRecord, moment: int | None) -> float | None:
    return None if moment is None else (moment - record.sent_ns) / NS


GOOD: dict[float, bytes | Act] = {
    1: HEAD + chunked(delta(role="assistant", content="")),
    2: chunked(delta(content="one")),
    4: chunked(delta(content=" two")),
    5: chunked(delta(content=" thr\u00e9e")),
    6: chunked(delta(finish="length")),
    7: chunked(usage(31, 3, prompt_tokens_details={"cached_tokens": 16})),
    8: chunked(DONE) + END,
}


@pytest.mark.parametrize("split", [None, 1, 2, 3, 7, 64])
def test_a_good_answer_in_every_split(split: int | None) -> None:
    record = ask(GOOD, split=split)
    assert (record.state, record.finish) == (EndState.OK, "length")
    assert after(record, record.first_byte_ns) == 1
    assert after(record, record.first_content_ns) == 2
    assert record.gaps_ns == (2 * NS, 1 * NS)
    assert after(record, record.last_content_ns) == 5
    assert after(record, record.end_ns) == 8
    assert (record.prompt_tokens, record.completion_tokens, record.cached_tokens) == (31, 3, 16)
    assert record.text == "one two thr\u00e9e"


def test_reasoning_is_content_but_not_output() -> None:
    record = ask({
        1: HEAD + chunked(delta(reasoning_content="hm")),
        2: chunked(delta(reasoning="so")),
        3: chunked(delta(content="yes", finish="stop")) + chunked(DONE) + END,
    })  # fmt: skip
    assert after(record, record.first_content_ns) == 1
    assert after(record, record.first_output_ns) == 3
    assert record.text == "yes"


def test_a_tool_call_is_output_and_an_empty_one_is_not() -> None:
    call = {"index": 0, "function": {"name": "ls", "arguments": ""}}
    record = ask({
        1: HEAD + chunked(delta(tool_calls=[{"index": 0, "function": {"arguments": ""}}])),
        2: chunked(delta(tool_calls=[call])),
        3: chunked(delta(finish="tool_calls")) + chunked(DONE) + END,
    })  # fmt: skip
    assert record.state is EndState.OK
    assert after(record, record.first_output_ns) == 2


def test_tokens_of_the_first_chunk_are_known_with_continuous_usage() -> None:
    counts = {"prompt_tokens": 9, "completion_tokens": 4}
    first = event(choices=[{"delta": {"content": "a b c d"}}], usage=counts)
    record = ask({1: HEAD + chunked(first), 2: chunked(delta(finish="stop")) + END})
    assert record.first_chunk_tokens == 4


def test_completions_and_the_timings_of_llamacpp() -> None:
    last = event(choices=[], timings={"prompt_ms": 178.5, "predicted_per_token_ms": 11.9, "x": "y"})
    record = ask({
        1: HEAD + chunked(event(choices=[{"text": "hi", "finish_reason": None}])),
        2: chunked(event(choices=[{"text": "", "finish_reason": "length"}])) + chunked(last) + END,
    })  # fmt: skip
    assert record.state is EndState.OK
    assert record.server == {"prompt_ms": 178.5, "predicted_per_token_ms": 11.9}


def reply(status: str, body: bytes, media: str = "application/json") -> bytes:
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


OVERFLOW = b'{"error":{"message":"This model\'s maximum context length is 8","code":400}}'
FIRST = HEAD + chunked(delta(content="one"))


@pytest.mark.parametrize(
    ("script", "state", "reason"),
    [
        ({1: FIRST, 2: chunked(event(error={"message": "x"})) + END}, "error", "in-stream-error"),
        ({1: FIRST, 2: chunked(b"event: error\ndata: {}\n\n") + END}, "error", "in-stream-error"),
        ({1: FIRST, 2: END}, "error", "truncated"),
        ({1: FIRST, 2: MemoryTransport.close}, "error", "truncated"),
        ({1: FIRST, 2: MemoryTransport.abort}, "error", "reset"),
        ({1: HEAD, 2: MemoryTransport.abort}, "error", "reset"),
        ({1: MemoryTransport.close}, "error", "truncated"),
        ({1: HEAD + chunked(DONE) + END}, "error", "empty"),
        ({1: HEAD + END}, "error", "empty"),
        ({1: FIRST, 2: chunked(b"data: {nonsense\n\n") + END}, "error", "malformed"),
        ({1: FIRST, 2: chunked(b"data: [1]\n\n") + END}, "error", "malformed"),
        ({1: reply("200 OK", b"<html>", "text/html")}, "error", "not-a-stream"),
        ({1: reply("401 No", b"{}")}, "error", "unauthorized"),
        ({1: reply("429 Slow", b"{}")}, "error", "rate-limited"),
        ({1: reply("503 Busy", b"busy")}, "error", "http-503"),
        ({1: reply("400 Bad", OVERFLOW)}, "overflow", "context-overflow"),
        ({1: b"no http at all\r\n\r\n"}, "error", "bad-http"),
    ],
)  # fmt: skip
def test_what_is_not_a_good_answer(
    script: dict[float, bytes | Act], state: str, reason: str
) -> None:
    record = ask(script)
    assert (record.state, record.reason) == (state, reason)
    assert record.detail


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Longer than the Context Length of 8"},
        {"message": "The MAXIMUM context is 8"},
        {"message": "Your prompt is too long"},
        {"message": "400", "type": "invalid_request_error", "code": "context_length_exceeded"},
        {"message": "too large", "code": 400, "type": "exceed_context_size_error"},
    ],
)
def test_a_prompt_that_does_not_fit_is_told_by_any_word_of_the_error(error: dict) -> None:
    """In the body of a refusal and in a stream alike; also where a code stands beside a type."""
    refused = ask({1: reply("400 Bad", orjson.dumps({"error": error}))})
    assert (refused.state, refused.reason) == ("overflow", "context-overflow")
    streamed = ask({1: HEAD + chunked(event(error=error)) + END})
    assert (streamed.state, streamed.reason) == ("overflow", "context-overflow")


def test_another_refusal_is_no_overflow() -> None:
    said = {"message": "the context is not known", "code": "length_required"}
    record = ask({1: reply("400 Bad", orjson.dumps({"error": said}))})
    assert (record.state, record.reason) == ("error", "http-400")


def test_a_finished_answer_without_done_or_framing_is_good() -> None:
    assert ask({1: FIRST, 2: chunked(delta(finish="stop")) + END}).state is EndState.OK
    cut = ask({1: FIRST, 2: chunked(delta(finish="stop")), 3: MemoryTransport.close})
    assert cut.state is EndState.OK


@pytest.mark.parametrize(
    "junk", [b'{"choices":5}', b'{"choices":[7]}', b'{"usage":{"prompt_tokens":"x"}}']
)
def test_odd_chunks_do_no_harm(junk: bytes) -> None:
    record = ask({1: FIRST, 2: chunked(b"data: " + junk + b"\n\n" + delta(finish="stop")) + END})
    assert record.state is EndState.OK
    assert record.prompt_tokens is None


def test_decoding_stops_at_its_deadline_and_goes_on_later() -> None:
    exchange = Exchange(0)
    exchange.status, exchange.end_ns = 200, 1
    exchange.headers = [(b"Content-Type", b"text/event-stream")]
    exchange.body += delta(content="x") * 100
    exchange.times.append(1)
    exchange.ends.append(len(exchange.body))
    decoder = AnswerDecoder(exchange, keep_text=True)
    steps = 1
    while not decoder.step(lambda: 10, 10):
        steps += 1
    assert steps == 7  # 16 events a look at the clock
    issue = Issue(0, 0, 0, 0, Phase.PROFILING, 0, 0, None, 100)
    assert decoder.record(issue).chunks == 100


def test_an_extra_body_adds_but_never_decides_what_the_plan_decides() -> None:
    opening, middle, closing = body_frame(
        api="chat", model="m", settings={"temperature": 0}, extra={"temperature": 1, "top_k": 1}
    )
    body = orjson.loads(opening + b"7" + middle + b'{"role":"user","content":"x"}' + closing)
    assert body == {
        "model": "m", "temperature": 1, "top_k": 1, "stream": True, "max_tokens": 7,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "x"}],
    }  # fmt: skip
    with pytest.raises(InputError, match="the extra body sets stream"):
        body_frame(api="chat", model="m", settings={}, extra={"stream": False})
