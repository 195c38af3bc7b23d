"""One answer on its way: it makes the events, and in the end its log entry."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from infx.clock import Clock
from infx.servers.truth.answer import DONE, form, usage, whole, with_usage
from infx.servers.truth.ask import Ask
from infx.servers.truth.counters import Counters
from infx.servers.truth.log import End, Sent
from infx.servers.truth.script import Script
from infx.servers.truth.words import answer_text


class Outlet(Protocol):
    """Where one answer leaves.

    The connection is one: it stamps what it hands to the transport, and closes the reply when the
    answer is over. Another may stand between a reply and its connection, to hold back, cut or
    change what passes (`TruthServer(between=...)`); the log then still says what was really sent.
    `tokens` is how many tokens a write carries.
    """

    def respond(
        self, status: int, body: bytes, headers: Sequence[tuple[str, str]] = (), *, tokens: int = 0
    ) -> None:
        """Send a whole response, JSON unless `headers` say otherwise, and end it."""

    def open(self) -> None:
        """Send the head of a stream of events."""

    def send(self, events: bytes, tokens: int) -> None:
        """Hand events to the transport in one write."""

    def write(self, data: bytes, tokens: int) -> None:
        """Hand raw bytes of the body to the transport: less than a chunk, or more than one."""

    def finish(self) -> None:
        """End the stream cleanly."""

    def close(self) -> None:
        """Close the connection cleanly, in the stream or after it."""

    def close_idle(self, seconds: float) -> None:
        """Close the connection after its answer, when nothing is asked for so long."""

    def abort(self) -> None:
        """Reset the connection."""


@dataclass(frozen=True, slots=True)
class Books:
    """What all replies of one server share.

    `created` is its start in Unix seconds, `serials` numbers the replies.
    """

    script: Script
    clock: Clock
    counters: Counters
    log: Callable[[Sent], None]
    created: int
    serials: Iterator[int]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request as it came in: its X-Request-ID, when it was read, and the faults that strike."""

    request_id: str | None
    received_ns: int
    faults: tuple[str, ...] = ()


class Reply:
    """The live state of one answer, from arrival to its log entry.

    Timing admits it once and then calls `emit` until that returns False. The connection closes it.
    """

    def __init__(self, ask: Ask, outlet: Outlet, books: Books, arrival: Arrival) -> None:
        self.ask = ask
        self.received_ns = arrival.received_ns
        self.admitted_ns: int | None = None
        self.cached: int | None = None
        self.done = 0
        self._closed = False
        self._outlet = outlet
        self._books = books
        self._arrival = arrival
        self._first_ns: int | None = None
        self._last_ns: int | None = None
        prefix = "chatcmpl" if ask.api == "chat" else "cmpl"
        self._identity = f"{prefix}-{arrival.request_id or next(books.serials)}"
        self._form = form(
            ask, identity=self._identity, created=books.created, model=books.script.model
        )
        # Kept here, because a chunk should cost no walk through other values.
        self._clock = books.clock
        self._counters = books.counters
        self._stream = ask.stream
        self._limit = ask.tokens
        self._cut = ask.reasoning_tokens
        self._seed = ask.seed
        self._step = books.script.tokens_per_chunk
        self._count_all = ask.continuous_usage
        self._role_first = books.script.role_chunk == "first-token" and ask.api == "chat"

    def admit(self, moment_ns: int, cached: int | None) -> None:
        """Leave the queue: open the stream, and send the role if it comes at admission.

        `cached` is how many prompt tokens the prefix cache holds, None where there is none.
        """
        self.admitted_ns = moment_ns
        self.cached = cached
        counters = self._counters
        counters.queue.add(moment_ns - self.received_ns)
        if cached is not None:
            counters.prefix_queries += self.ask.prompt_tokens
            counters.prefix_hits += cached
        if self.ask.stream:
            self._outlet.open()
            if self._books.script.role_chunk == "admission" and self.ask.api == "chat":
                self._outlet.send(self._role(), 0)

    def emit(self, chunks: int = 1) -> bool:
        """Generate the next `chunks` chunks in one write; return whether tokens remain."""
        if self._closed:
            return False
        before = self.done
        events = b"" if before or not self._role_first else self._role()
        events += self._chunk()
        while chunks > 1 and self.done < self._limit:
            events += self._chunk()
            chunks -= 1
        tokens = self.done - before
        self._last_ns = self._clock.now()
        if not before:
            self._first(self._last_ns)
        self._counters.generation_tokens += tokens
        if self._stream:
            self._outlet.send(events, tokens)
        if self.done < self._limit:
            return True
        self._complete()
        return False

    def close(self, end: End, *, writes: tuple[tuple[int, int], ...], stalls: int) -> None:
        """End, and write the log entry: nothing is generated after this."""
        self._closed = True
        ask, ended_ns = self.ask, self._clock.now()
        if end == "completed":
            self._counters.e2e.add(ended_ns - self.received_ns)
        self._counters.finished["length" if end == "completed" else "abort"] += 1
        self._books.log(
            Sent(
                request_id=self._arrival.request_id,
                api=ask.api,
                stream=ask.stream,
                status=200,
                end=end,
                received_ns=self.received_ns,
                ended_ns=ended_ns,
                admitted_ns=self.admitted_ns,
                first_token_ns=self._first_ns,
                last_token_ns=self._last_ns,
                prompt_tokens=ask.prompt_tokens,
                cached_tokens=self.cached,
                asked_tokens=ask.tokens,
                completion_tokens=self.done,
                reasoning_tokens=min(self.done, ask.reasoning_tokens),
                stalls=stalls,
                writes=writes,
                faults=self._arrival.faults,
            )
        )

    def _role(self) -> bytes:
        return self._counted(self._form.role) if self._count_all else self._form.role

    def _counted(self, event: bytes) -> bytes:
        return with_usage(event, usage(self.ask, done=self.done, cached=self.cached))

    def _chunk(self) -> bytes:
        """Take the next tokens; a chunk never mixes reasoning and content."""
        first, cut = self.done, self._cut
        reasoning = first < cut
        self.done = min(first + self._step, cut if reasoning else self._limit)
        text = answer_text(self._seed, first, self.done - first)
        if first in (0, cut):
            text = text[1:]
        head = self._form.reasoning if reasoning else self._form.content
        event = head + text + (self._form.going if self.done < self._limit else self._form.final)
        return self._counted(event) if self._count_all else event

    def _first(self, now: int) -> None:
        self._first_ns = now
        counters = self._counters
        counters.prompt_tokens += self.ask.prompt_tokens
        counters.cached_tokens += self.cached or 0
        counters.ttft.add(now - self.received_ns)

    def _complete(self) -> None:
        if self._stream:
            last = self._counted(self._form.empty) if self.ask.include_usage else b""
            self._outlet.send(last + DONE, 0)
            self._outlet.finish()
        else:
            self._outlet.respond(200, self._whole(), tokens=self._limit)

    def _whole(self) -> bytes:
        ask, books = self.ask, self._books
        texts = (
            answer_text(ask.seed, 0, self._cut).decode().lstrip(),
            answer_text(ask.seed, self._cut, ask.tokens - self._cut).decode().lstrip(),
        )
        about = {"id": self._identity, "created": books.created, "model": books.script.model}
        return whole(ask, about, texts=texts, cached=self.cached)
