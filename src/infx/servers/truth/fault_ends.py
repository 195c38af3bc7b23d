"""Faults that end an answer otherwise than its script: refused, short, failed, cut or hanging."""

from collections.abc import Callable

from infx.servers.truth.answer import DONE, usage
from infx.servers.truth.cue import Cue
from infx.servers.truth.events import (
    choice_of,
    data_end,
    is_done,
    read_event,
    split_events,
    tokens_of,
    write_event,
)
from infx.servers.truth.http import frame
from infx.servers.truth.passing import Passing
from infx.servers.truth.refusal import Refusal
from infx.servers.truth.reply import Outlet

HEAD = "head"
"""The place before the first byte of an answer."""

ENDS = ("done", "finish", "nothing")
"""What an answer without a token may still hold."""

_FAILURE = {"message": "the engine died", "type": "server_error", "code": 500}
_RETRY_AFTER = {429: (("Retry-After", "1"),), 503: (("Retry-After", "1"),)}
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


def refuse(_: Outlet, cue: Cue) -> Outlet:
    """Refuse the request with the HTTP status of the argument; raises Refusal."""
    status = int(cue.argument)
    headers = _RETRY_AFTER.get(status, ())
    raise Refusal(status, "refused by the script", code=_CODES.get(status), headers=headers)


def overflow(_: Outlet, cue: Cue) -> Outlet:
    """Refuse the request as longer than the context, in vLLM's words; raises Refusal."""
    asked = cue.ask.prompt_tokens
    what = f"This model's maximum context length is {asked - 1} tokens, you requested {asked}."
    raise Refusal(400, what, code="context_length_exceeded")


class Stop(Passing):
    """Stops by itself with the chunk that reaches so many tokens, `ignore_eos` or not."""

    def __init__(self, outlet: Outlet, cue: Cue) -> None:
        super().__init__(outlet)
        self._limit = int(cue.argument)
        self._ask = cue.ask
        self._done = 0

    def send(self, events: bytes, tokens: int) -> None:
        """Pass events on until the limit; then finish the stream as complete."""
        if self.over:
            return
        before, kept = self._done, []
        for event in split_events(events):
            self._done += tokens_of(event)
            if self._done >= self._limit and not is_done(event):
                kept.append(self._last(event))
                self._end(b"".join(kept), self._done - before)
                return
            kept.append(event)
        self.outlet.send(events, tokens)

    def _last(self, event: bytes) -> bytes:
        chunk = read_event(event) or {}
        choice = choice_of(chunk)
        if choice is not None:
            choice["finish_reason"] = "stop"
        last = write_event(chunk)
        if self._ask.include_usage:
            counts = usage(self._ask, done=self._done, cached=None)
            last += write_event({**chunk, "choices": [], "usage": counts})
        return last + DONE

    def _end(self, events: bytes, tokens: int) -> None:
        self.outlet.send(events, tokens)
        self.outlet.finish()
        self.over = True


class Failed(Passing):
    """Puts an error object into the stream after so many tokens, and ends it cleanly."""

    def __init__(self, outlet: Outlet, cue: Cue, *, named: bool) -> None:
        super().__init__(outlet)
        self._left = int(cue.argument)
        self._error = b"event: error\n" * named + write_event({"error": _FAILURE})
        self._error += b"" if named else DONE

    def send(self, events: bytes, tokens: int) -> None:
        """Pass events on until the place of the error; then send it and finish."""
        if self.over:
            return
        kept, passed = b"", 0
        for event in split_events(events):
            carried = tokens_of(event)
            if carried > self._left or is_done(event):
                self.outlet.send(kept + self._error, passed)
                self.outlet.finish()
                self.over = True
                return
            self._left -= carried
            passed += carried
            kept += event
        self.outlet.send(events, tokens)


class Empty(Passing):
    """Answers 200 without a token, at the moment of the first one."""

    def __init__(self, outlet: Outlet, cue: Cue) -> None:
        super().__init__(outlet)
        self._what = cue.argument

    def send(self, events: bytes, tokens: int) -> None:
        """Keep everything back, and end when the first token is due."""
        if self.over or not tokens:
            return
        self.over = True
        if rest := self._rest(split_events(events)[-1]):
            self.outlet.send(rest, 0)
        self.outlet.finish()

    def _rest(self, event: bytes) -> bytes:
        if self._what == "nothing":
            return b""
        if self._what == "done":
            return DONE
        chunk = read_event(event) or {}
        silent = {"index": 0, "delta": {}, "finish_reason": "stop"}
        if "delta" not in (choice_of(chunk) or {}):
            silent = {"index": 0, "text": "", "finish_reason": "stop"}
        return write_event({**chunk, "choices": [silent]}) + DONE


class Cut(Passing):
    """Passes the stream up to a place in it; there it acts once and keeps the rest back.

    The place is a number of tokens: a whole number is the place before the event that brings the
    next one, a fraction lies inside an event. `head` is before the first byte of the answer, at the
    moment of the first token.
    """

    def __init__(self, outlet: Outlet, cue: Cue, act: Callable[[Outlet], None]) -> None:
        super().__init__(outlet)
        self._headless = cue.argument == HEAD
        self._at = 0.0 if self._headless else float(cue.argument)
        self._act = act
        self._done = 0

    def open(self) -> None:
        """Pass the head on, unless nothing may leave."""
        if not self._headless:
            self.outlet.open()

    def send(self, events: bytes, tokens: int) -> None:
        """Pass what stands before the place on; act when it is reached."""
        if self.over or (self._headless and not tokens):
            return
        kept, passed = b"", 0
        for event in split_events(events):
            carried = tokens_of(event)
            if self._done + carried > self._at or (not carried and self._done >= self._at):
                if kept:
                    self.outlet.send(kept, passed)
                if share := (self._at - self._done) / max(carried, 1):
                    self._send_part(event, share)
                self.over = True
                self._act(self.outlet)
                return
            self._done += carried
            passed += carried
            kept += event
        self.outlet.send(events, tokens)

    def _send_part(self, event: bytes, share: float) -> None:
        framed = frame(event)
        start = framed.index(b"\r\n") + 2
        self.outlet.write(framed[: start + max(1, int(data_end(event) * share))], 0)


def reset(outlet: Outlet) -> None:
    """Reset the connection."""
    outlet.abort()


def close(outlet: Outlet) -> None:
    """Close the connection cleanly."""
    outlet.close()


def hang(_: Outlet) -> None:
    """Do nothing, for ever."""
