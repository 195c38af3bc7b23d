"""What a streamed answer says.

Decoding is apart from reading: `AnswerDecoder` works on bytes and read moments that a connection
has collected, in slices, whenever there is time for it.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from operator import sub
from typing import Any

import orjson

from infx.model.gaps import Gaps
from infx.model.record import EndState, Issue, RequestRecord
from infx.wire.connection import Exchange
from infx.wire.failure import error_text, is_overflow, refusal
from infx.wire.mould import LINE_END, NO_MOULD, QUOTE, mould_of, plain_pieces, plain_text
from infx.wire.sse import next_event
from infx.wire.tool_calls import ToolCalls, names_or_arguments
from infx.wire.usage import count

KEPT_TEXT = 64 * 1024
"""Bytes kept of a sampled answer."""
_CANCELLED = {
    "cancelled": EndState.CANCELLED_AT_END,
    "in-flight-limit": EndState.CANCELLED_BY_PLAN,
}
_NO_LIMIT = 1 << 62
_SLICE = 16


class AnswerDecoder:
    """Turns an exchange's bytes into a record, a slice at a time.

    With `keep_text` the answer's own text (not its reasoning) is kept, up to 64 KiB. With
    `keep_message` all of it is, and its tool calls.
    """

    def __init__(self, exchange: Exchange, *, keep_text: bool, keep_message: bool = False) -> None:
        self.exchange = exchange
        self.keep_message = keep_message
        self._calls = ToolCalls() if keep_message else None
        self._pieces: Iterator[bytes] = iter(())
        self._offset = 0
        self._mould = NO_MOULD
        self._read = 0
        self._keep_text = exchange.decode_all = keep_text or keep_message
        self._room = _NO_LIMIT if keep_message else KEPT_TEXT
        self._text: list[str] = []
        self._text_size = 0
        self._first: int | None = None
        self._first_output: int | None = None
        self._moments: list[int] = []
        self._finish: str | None = None
        self._done = False
        self._usage: Mapping[str, Any] | None = None
        self._first_chunk_tokens: int | None = None
        self._server: dict[str, float] | None = None
        self._error: str | None = None
        self._too_long = False
        self._malformed: str | None = None

    def step(self, now: Callable[[], int], deadline_ns: int) -> bool:
        """Decode whole events until the deadline; return True when nothing is left for now."""
        exchange = self.exchange
        if not self._is_stream():
            return True
        while self._drain(now, deadline_ns):
            pieces = plain_pieces(exchange.body)
            if not pieces:
                return self._read_odd(now, deadline_ns)
            self._pieces, self._offset = iter(pieces), exchange.base
            exchange.consume(sum(map(len, pieces)) + 2 * len(pieces))
        return False

    def _drain(self, now: Callable[[], int], deadline_ns: int) -> bool:
        """Decode the pieces at hand; return False when the deadline came first."""
        while batch := list(islice(self._pieces, _SLICE)):
            done = 0
            while done < len(batch):
                done = self._take_moulded(batch, done)
                if done < len(batch):
                    self._take_piece(batch[done])
                    done += 1
            if len(batch) == _SLICE and now() >= deadline_ns:
                return False
        return True

    def _take_moulded(self, pieces: list[bytes], start: int) -> int:
        """Take events that differ from an earlier plain one in their text alone, from `start` on.

        This decodes them without building their JSON. Return which event is the first of another
        kind.
        """
        before, after = self._mould
        head, tail = len(before), len(after)
        ends, times, moments = self.exchange.ends, self.exchange.times, self._moments
        offset, index = self._offset, self._read
        position = start
        for position in range(start, len(pieces)):
            piece = pieces[position]
            text = piece[head:-tail]
            if (
                not text
                or QUOTE in text
                or LINE_END in text
                or not piece.startswith(before)
                or not piece.endswith(after)
            ):
                break
            offset += len(piece)
            while ends[index] < offset:
                index += 1
            offset += 2  # the blank line between events
            moments.append(times[index])
        else:
            position = len(pieces)
        self._offset, self._read = offset, index
        return position

    def _take_piece(self, piece: bytes) -> None:
        """Take one event, whatever it is."""
        self._offset += len(piece) + 2
        plain = plain_text(piece)
        if plain is not None:
            text, output = plain
            self._content(self._offset - 2, text if output else None)
            if not self._keep_text:
                self._mould = mould_of(piece, text) or self._mould
        else:
            event = next_event(bytearray(piece), 0, closed=True)
            if event is not None:
                self._take(event.kind, event.data, self._offset - 2)

    def _read_odd(self, now: Callable[[], int], deadline_ns: int) -> bool:
        """Decode what is not plain: other line ends, or a stream's unfinished last event."""
        exchange = self.exchange
        closed = exchange.end_ns is not None
        position = 0
        finished = True
        budget = _SLICE
        while (event := next_event(exchange.body, position, closed=closed)) is not None:
            position = event.next
            self._take(event.kind, event.data, exchange.base + event.end)
            budget -= 1
            if not budget:
                if now() >= deadline_ns:
                    finished = False
                    break
                budget = _SLICE
        exchange.consume(position)
        return finished

    def _take(self, kind: bytes, data: bytes, end: int) -> None:
        if data == b"[DONE]":
            self._done = True
            return
        try:
            chunk = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            self._malformed = self._malformed or f"{error}: {data[:80]!r}"
            return
        if not isinstance(chunk, dict):
            self._malformed = self._malformed or f"not an object: {data[:80]!r}"
            return
        if kind == b"error" or chunk.get("error"):
            if self._error is None:
                self._error, self._too_long = error_text(chunk), is_overflow(data)
            return
        self._take_chunk(chunk, end)

    def _take_chunk(self, chunk: dict[str, Any], end: int) -> None:
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        timings = chunk.get("timings")
        if isinstance(timings, dict):
            self._server = {k: float(v) for k, v in timings.items() if isinstance(v, int | float)}
        for choice in _list(chunk.get("choices")):
            if isinstance(choice, dict):
                self._take_choice(choice, end)

    def _take_choice(self, choice: dict[str, Any], end: int) -> None:
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = choice
        calls = delta.get("tool_calls")
        if calls and self._calls is not None:
            self._calls.take(calls)
        output = delta.get("content") or delta.get("text") or names_or_arguments(calls)
        if output or delta.get("reasoning_content") or delta.get("reasoning"):
            self._content(end, output)
        if choice.get("finish_reason"):
            self._finish = str(choice["finish_reason"])

    def _content(self, end: int, output: object) -> None:
        """Take content whose last byte stands before absolute body offset `end`."""
        ends, index = self.exchange.ends, self._read
        while ends[index] < end:
            index += 1
        self._read = index
        moment = self.exchange.times[index]
        if self._first is None:
            self._first = moment
            self._first_chunk_tokens = count(self._usage, "completion_tokens")
        self._moments.append(moment)
        if self._first_output is None and output:
            self._first_output = moment
        if self._keep_text and isinstance(output, str) and self._text_size < self._room:
            kept = output[: self._room - self._text_size]
            self._text.append(kept)
            self._text_size += len(kept.encode())

    def message(self) -> bytes:
        """Return what was said so far as the assistant's message of a later prompt, as JSON."""
        calls = self._calls.member() if self._calls is not None else {}
        return orjson.dumps({"role": "assistant", "content": "".join(self._text), **calls})

    def record(self, issue: Issue, late_ns: Callable[[int], int] = lambda _: 0) -> RequestRecord:
        """Return what became of `issue`, once the exchange ended and all of it is decoded.

        `late_ns` tells how late the read at a moment may have been.
        """
        state, reason, detail = self._judge()
        usage = self._usage or {}
        exchange = self.exchange
        return RequestRecord(
            request=issue.request,
            session=issue.session,
            turn=issue.turn,
            lane=issue.lane,
            phase=issue.phase,
            state=state,
            due_ns=issue.due_ns,
            sent_ns=issue.sent_ns,
            end_ns=exchange.end_ns,
            asked_input=issue.asked_input,
            asked_output=issue.asked_output,
            play=issue.play,
            reason=reason,
            detail=detail[:500] if detail else None,
            status=exchange.status,
            first_byte_ns=exchange.first_byte_ns,
            first_content_ns=self._first,
            first_output_ns=self._first_output,
            late_ns=late_ns(self._first) if self._first is not None else None,
            gaps_ns=self._gaps(),
            finish=self._finish or ("done" if self._done else None),
            prompt_tokens=count(usage, "prompt_tokens"),
            completion_tokens=count(usage, "completion_tokens"),
            reasoning_tokens=count(usage.get("completion_tokens_details"), "reasoning_tokens"),
            cached_tokens=count(usage.get("prompt_tokens_details"), "cached_tokens"),
            first_chunk_tokens=self._first_chunk_tokens,
            text="".join(self._text) if self._keep_text else None,
            server=self._server,
        )

    def _gaps(self) -> Gaps:
        """Return the distances between the moments of content, plain reads among them."""
        moments = sorted([*self._moments, *self.exchange.plain.moments])
        return Gaps(list(map(sub, moments[1:], moments)))

    def _is_stream(self) -> bool:
        exchange = self.exchange
        media = exchange.header(b"content-type").lower()
        return exchange.status == 200 and media.startswith(b"text/event-stream")

    def _judge(self) -> tuple[EndState, str | None, str | None]:
        exchange = self.exchange
        if exchange.fault in _CANCELLED:
            return _CANCELLED[exchange.fault], exchange.fault, exchange.fault_detail
        if exchange.status is not None and exchange.status != 200:
            return refusal(exchange.status, bytes(exchange.body))
        if self._error:
            state = EndState.OVERFLOW if self._too_long else EndState.ERROR
            return state, "context-overflow" if self._too_long else "in-stream-error", self._error
        if exchange.fault and not (self._finish and self._first is not None):
            return EndState.ERROR, exchange.fault, exchange.fault_detail
        if not self._is_stream():
            media = exchange.header(b"content-type").decode("latin-1") or "no content type"
            shown = bytes(exchange.body[:200]).decode("utf-8", "replace")
            return EndState.ERROR, "not-a-stream", f"{media}: {shown}"
        if self._malformed:
            return EndState.ERROR, "malformed", self._malformed
        if self._first is None:
            return EndState.ERROR, "empty", "the answer ended without a token"
        if not self._finish and not self._done:
            return EndState.ERROR, "truncated", "the answer ended without a finish reason"
        return EndState.OK, None, None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
