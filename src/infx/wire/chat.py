"""What an OpenAI-compatible server is asked, and what its streamed answer says.

Decoding is apart from reading: `AnswerDecoder` works on bytes and read moments that a connection
has collected, in slices, whenever there is time for it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from infx.errors import InputError, Problem, nearest
from infx.model.record import EndState, Issue, RequestRecord
from infx.model.workload import Api
from infx.wire.connection import LARGE, Exchange
from infx.wire.sse import Event, next_event

PATHS: Mapping[Api, str] = {"chat": "/v1/chat/completions", "completions": "/v1/completions"}
KEPT_TEXT = 64 * 1024
"""Bytes kept of a sampled answer."""

_OVERFLOW = ("context length", "maximum context", "context_length_exceeded", "prompt is too long")
_OVERFLOW_LLAMACPP = "exceed_context_size_error"
_RESERVED = ("messages", "prompt", "stream", "stream_options", "model", "max_tokens", "n")
_SLICE = 16


def body_frame(
    *, api: Api, model: str, settings: Mapping[str, Any], extra: Mapping[str, Any]
) -> tuple[bytes, bytes, bytes]:
    """Return what stands before the token limit, between it and the prompt, and after the prompt.

    `extra` wins over `settings`; it may not touch what the plan decides.
    """
    taken = reserved_fields(extra)
    if taken:
        raise InputError(*taken)
    fields = {"model": model, **settings, **extra}
    fields |= {"stream": True, "stream_options": {"include_usage": True}}
    opening = orjson.dumps(fields)[:-1] + b',"max_tokens":'
    if api == "chat":
        return opening, b',"messages":[', b"]}"
    return opening, b',"prompt":', b"}"


def reserved_fields(extra: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return a problem for each of the extra body's fields that the plan decides."""
    remedy = f"leave out {', '.join(_RESERVED)}: infx sets them"
    return tuple(
        Problem(f"the extra body sets {key}", "--extra-body", remedy)
        for key in extra
        if key in _RESERVED
    )


class AnswerDecoder:
    """Turns an exchange's bytes into a record, a slice at a time.

    With `keep_text` the answer's own text (not its reasoning) is kept, up to 64 KiB.
    """

    def __init__(self, exchange: Exchange, *, keep_text: bool) -> None:
        self.exchange = exchange
        self._position = 0
        self._read = 0
        self._keep_text = keep_text
        self._text: list[str] = []
        self._text_size = 0
        self._first: int | None = None
        self._first_output: int | None = None
        self._last = 0
        self._gaps: list[int] = []
        self._finish: str | None = None
        self._done = False
        self._usage: Mapping[str, Any] | None = None
        self._first_chunk_tokens: int | None = None
        self._server: dict[str, float] | None = None
        self._error: str | None = None
        self._malformed: str | None = None

    def step(self, now: Callable[[], int], deadline_ns: int) -> bool:
        """Decode whole events until the deadline; return True when nothing is left for now."""
        exchange = self.exchange
        body = exchange.body
        closed = exchange.end_ns is not None
        if not self._is_stream():
            return True
        budget = _SLICE
        while (event := next_event(body, self._position, closed=closed)) is not None:
            self._position = event.next
            self._take(event)
            budget -= 1
            if not budget:
                if now() >= deadline_ns:
                    return False
                budget = _SLICE
        del body[: self._position]
        exchange.base += self._position
        exchange.large_at = len(body) + LARGE
        self._position = 0
        return True

    def record(self, issue: Issue) -> RequestRecord:
        """Return what became of `issue`, once the exchange ended and all of it is decoded."""
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
            reason=reason,
            detail=detail[:500] if detail else None,
            status=exchange.status,
            first_byte_ns=exchange.first_byte_ns,
            first_content_ns=self._first,
            first_output_ns=self._first_output,
            gaps_ns=tuple(self._gaps),
            finish=self._finish or ("done" if self._done else None),
            prompt_tokens=_count(usage, "prompt_tokens"),
            completion_tokens=_count(usage, "completion_tokens"),
            reasoning_tokens=_count(usage.get("completion_tokens_details"), "reasoning_tokens"),
            cached_tokens=_count(usage.get("prompt_tokens_details"), "cached_tokens"),
            first_chunk_tokens=self._first_chunk_tokens,
            text="".join(self._text) if self._keep_text else None,
            server=self._server,
        )

    def _is_stream(self) -> bool:
        exchange = self.exchange
        media = exchange.header(b"content-type").lower()
        return exchange.status == 200 and media.startswith(b"text/event-stream")

    def _take(self, event: Event) -> None:
        if event.data == b"[DONE]":
            self._done = True
            return
        try:
            chunk = orjson.loads(event.data)
        except orjson.JSONDecodeError as error:
            self._malformed = self._malformed or f"{error}: {event.data[:80]!r}"
            return
        if not isinstance(chunk, dict):
            self._malformed = self._malformed or f"not an object: {event.data[:80]!r}"
            return
        if event.kind == b"error" or chunk.get("error"):
            self._error = self._error or _error_text(chunk)
            return
        self._take_chunk(chunk, event.end)

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
        output = delta.get("content") or delta.get("text") or _calls(delta.get("tool_calls"))
        if output or delta.get("reasoning_content") or delta.get("reasoning"):
            self._content(end, output)
        if choice.get("finish_reason"):
            self._finish = str(choice["finish_reason"])

    def _content(self, end: int, output: object) -> None:
        moment = self._moment(end)
        if self._first is None:
            self._first = moment
            self._first_chunk_tokens = _count(self._usage, "completion_tokens")
        else:
            self._gaps.append(moment - self._last)
        self._last = moment
        if not output:
            return
        if self._first_output is None:
            self._first_output = moment
        if self._keep_text and isinstance(output, str) and self._text_size < KEPT_TEXT:
            kept = output[: KEPT_TEXT - self._text_size]
            self._text.append(kept)
            self._text_size += len(kept.encode())

    def _moment(self, end: int) -> int:
        """Return when the byte before body offset `end` was read."""
        ends, index = self.exchange.ends, self._read
        absolute = self.exchange.base + end
        while ends[index] < absolute:
            index += 1
        self._read = index
        return self.exchange.times[index]

    def _judge(self) -> tuple[EndState, str | None, str | None]:
        exchange = self.exchange
        if exchange.fault == "cancelled":
            return EndState.CANCELLED_AT_END, "cancelled", exchange.fault_detail
        if exchange.status is not None and exchange.status != 200:
            return _refusal(exchange.status, bytes(exchange.body))
        if self._error:
            overflow = _is_overflow(self._error)
            state = EndState.OVERFLOW if overflow else EndState.ERROR
            return state, "context-overflow" if overflow else "in-stream-error", self._error
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


def _refusal(status: int, body: bytes) -> tuple[EndState, str, str]:
    detail = f"HTTP {status}: {_body_text(body)}"
    if _is_overflow(detail):
        return EndState.OVERFLOW, "context-overflow", detail
    words = {401: "unauthorized", 403: "unauthorized", 404: "not-found", 429: "rate-limited"}
    return EndState.ERROR, words.get(status, f"http-{status}"), detail


def _is_overflow(text: str) -> bool:
    lower = text.lower()
    return _OVERFLOW_LLAMACPP in lower or any(phrase in lower for phrase in _OVERFLOW)


def _body_text(body: bytes) -> str:
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body[:300].decode("utf-8", "replace")
    return _error_text(parsed) if isinstance(parsed, dict) else str(parsed)[:300]


def _error_text(chunk: dict[str, Any]) -> str:
    error = chunk.get("error", chunk)
    if isinstance(error, dict):
        kind = error.get("type") or error.get("code") or ""
        return f"{error.get('message', error)} ({kind})" if kind else str(error.get("message"))
    return str(error)


def prompt_tokens(reply: object) -> int | None:
    """Return the server's count of the prompt in a whole (not streamed) answer, if it has one."""
    return _count(reply.get("usage"), "prompt_tokens") if isinstance(reply, Mapping) else None


def _calls(calls: object) -> bool:
    """Whether a tool-call delta carries any text: a name or arguments."""
    functions = [c.get("function") for c in _list(calls) if isinstance(c, dict)]
    return any(isinstance(f, dict) and (f.get("name") or f.get("arguments")) for f in functions)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(usage: object, key: str) -> int | None:
    value = usage.get(key) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def api_named(name: str) -> Api:
    """Return the API of that name, or raise InputError with the nearest."""
    for api in PATHS:
        if api == name:
            return api
    raise InputError(Problem(f"unknown API {name}", None, nearest(name, PATHS)))
