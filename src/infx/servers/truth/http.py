"""One HTTP/1.1 connection: requests in, and one answer at a time out."""

import asyncio
import struct
from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET
from typing import cast

import httptools

from infx.clock import Clock
from infx.servers.truth.log import End
from infx.servers.truth.pace import Turns
from infx.servers.truth.refusal import Refusal
from infx.servers.truth.reply import Reply

BODY_LIMIT = 256 << 20
"""Bytes of a request body; more are refused with 413."""

PIPELINE_LIMIT = 16
"""Requests that may wait behind an answer before the connection is no longer read."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived; header names are lower case.

    `received_ns` is when its last byte was read. `problem` is why it cannot be served at all.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    received_ns: int
    keep_alive: bool
    problem: Refusal | None = None


Handle = Callable[[Request, "Connection"], None]


def frame(events: bytes) -> bytes:
    """Return events as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(events), events)


class Connection(asyncio.Protocol):
    """Parses requests, keeps their order, frames and stamps the answers.

    It is the outlet of its replies. `handle` answers a request at once or sets `reply`, which it
    closes when the answer is over; `left` is told of a reply that was cut off.
    """

    def __init__(
        self,
        handle: Handle,
        left: Callable[[Reply], None],
        clock: Clock,
        *,
        opened: set["Connection"],
        turns: Turns,
    ) -> None:
        self.reply: Reply | None = None
        self._handle = handle
        self._left = left
        self._clock = clock
        self._opened = opened
        self._turns = turns
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._body_size = 0
        self._deaf = False
        self._waiting: deque[Request] = deque()
        self._current: Request | None = None
        self._stalls = 0
        self._moments = array("q")
        self._tokens = array("q")
        self._aborted = False
        self._served = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; with no write buffer on a socket every stall is known."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass of it
        self._opened.add(self)
        if transport.get_extra_info("socket") is not None:
            self._transport.set_write_buffer_limits(high=0)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the answer under way."""
        self._opened.discard(self)
        end: End = "server-closed" if self._aborted else "client-closed"
        self._hang_up()
        reply = self.reply
        if reply is not None:
            self._close_reply(end)
            self._left(reply)

    def pause_writing(self) -> None:
        """Count that the socket is full; the engine goes on, as real ones do."""
        self._stalls += 1

    def resume_writing(self) -> None:
        """Need nothing: nothing was held back."""

    def data_received(self, data: bytes) -> None:
        """Parse what was read; complete requests are served in order."""
        if self._deaf:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._deaf = True
        except httptools.HttpParserError as error:
            self._reject(Refusal(400, f"the request is not valid HTTP/1.1: {error}"))

    def on_message_begin(self) -> None:
        """Forget the last request."""
        self._url = b""
        self._headers = {}
        self._body = []
        self._body_size = 0

    def on_url(self, url: bytes) -> None:
        """Gather the target; it may come in pieces."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep one header."""
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Ask for the body when the client waits for that."""
        if self._headers.get("expect", "").lower() == "100-continue" and self._current is None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body."""
        self._body_size += len(body)
        if self._body_size <= BODY_LIMIT:
            self._body.append(body)
        elif not self._deaf:
            self._reject(Refusal(413, f"the body is longer than {BODY_LIMIT} bytes"))

    def on_message_complete(self) -> None:
        """Queue the request behind those before it."""
        if self._deaf:
            return
        if self._parser.get_http_version() != "1.1":
            self._reject(Refusal(505, "HTTP/1.1 is served"))
            return
        self._deaf = not self._parser.should_keep_alive()
        self._enqueue(None, keep_alive=not self._deaf)

    def _reject(self, problem: Refusal) -> None:
        self._deaf = True
        self._enqueue(problem, keep_alive=False)

    def _enqueue(self, problem: Refusal | None, *, keep_alive: bool) -> None:
        request = Request(
            method=self._parser.get_method().decode() if problem is None else "",
            path=self._url.decode("latin-1").partition("?")[0],
            headers=self._headers,
            body=b"".join(self._body) if problem is None else b"",
            received_ns=self._clock.now(),
            keep_alive=keep_alive,
            problem=problem,
        )
        self._body = []
        self._waiting.append(request)
        if len(self._waiting) > PIPELINE_LIMIT + (self._current is None):
            self._transport.pause_reading()
        self._turns.add(self._serve)

    def _serve(self) -> None:
        if self._current is not None or not self._waiting:
            return
        self._current = request = self._waiting.popleft()
        self._served += 1
        if len(self._waiting) == PIPELINE_LIMIT:
            self._transport.resume_reading()
        self._stalls = 0
        self._moments = array("q")
        self._tokens = array("q")
        self._handle(request, self)
        if self._current is request:
            self._current = replace(request, body=b"")  # long prompts are not kept for the answer

    def _close_reply(self, end: End) -> None:
        reply, self.reply = self.reply, None
        if reply is not None:
            writes = tuple(zip(self._moments, self._tokens, strict=True))
            reply.close(end, writes=writes, stalls=self._stalls)

    def _end(self) -> None:
        self._close_reply("completed")
        request, self._current = self._current, None
        if request is None or not request.keep_alive:
            self._transport.close()
        elif self._waiting:
            self._turns.add(self._serve)

    def _head(self, status: int, headers: Sequence[tuple[str, str]]) -> bytes:
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers]
        if self._current is not None:
            if "x-request-id" in self._current.headers:
                lines.append(f"X-Request-ID: {self._current.headers['x-request-id']}")
            if not self._current.keep_alive:
                lines.append("Connection: close")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def respond(
        self, status: int, body: bytes, headers: Sequence[tuple[str, str]] = (), *, tokens: int = 0
    ) -> None:
        """Send a whole response and go on to the next request."""
        named = {name.lower() for name, _ in headers}
        kind = () if "content-type" in named else (("Content-Type", "application/json"),)
        head = self._head(status, (*kind, *headers, ("Content-Length", str(len(body)))))
        self.write(head + body, tokens)
        self._end()

    def open(self) -> None:
        """Send the head of a stream of events."""
        self._transport.write(
            self._head(
                200,
                (
                    ("Content-Type", "text/event-stream; charset=utf-8"),
                    ("Cache-Control", "no-cache"),
                    ("Transfer-Encoding", "chunked"),
                ),
            )
        )

    def send(self, events: bytes, tokens: int) -> None:
        """Write events as one chunk."""
        self.write(frame(events), tokens)

    def write(self, data: bytes, tokens: int) -> None:
        """Stamp raw bytes and hand them to the transport."""
        if self._aborted:
            return
        self._moments.append(self._clock.now())
        self._tokens.append(tokens)
        self._transport.write(data)

    def finish(self) -> None:
        """Write the chunk that ends the body and go on to the next request."""
        self._transport.write(b"0\r\n\r\n")
        self._end()

    def close(self) -> None:
        """Close the connection once what was written has left; serve nothing more on it."""
        self._hang_up()
        self._transport.close()

    def close_idle(self, seconds: float) -> None:
        """Close the connection when it is still idle after so long."""
        served = self._served

        def close() -> None:
            if self._current is None and self._served == served:
                self.close()

        asyncio.get_running_loop().call_later(seconds, close)

    def abort(self) -> None:
        """Reset the connection at once."""
        self._hang_up()
        socket = self._transport.get_extra_info("socket")
        if socket is not None:  # else the kernel would close it cleanly
            socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _hang_up(self) -> None:
        self._aborted = True
        self._deaf = True
        self._waiting.clear()
