"""One HTTP/1.1 connection to an inference server, built for true moments.

On a socket read it takes one timestamp and appends; nothing is decoded there. A request leaves in
one write. One exchange is open at a time.
"""

import asyncio
from array import array
from collections.abc import Callable
from typing import Any, cast

import httptools

LARGE = 64 * 1024
"""Undecoded bytes at which an exchange asks to be decoded before it ends."""


class Exchange:
    """One request and what came back, byte by byte, with the moment of every read.

    `body` holds the bytes from absolute offset `base` on; `times[i]` is the read that brought the
    body up to absolute offset `ends[i]`. `fault` is None for a whole response, else a word:
    `refused`, `unreached`, `reset`, `truncated`, `cancelled`, `bad-http`, or `stale`: the
    connection had served before, and was closed without a byte of this answer.
    """

    __slots__ = (
        "base", "body", "end_ns", "ends", "fault", "fault_detail", "first_byte_ns", "headers",
        "large_at", "sent_ns", "status", "times",
    )  # fmt: skip

    def __init__(self, sent_ns: int) -> None:
        self.sent_ns = sent_ns
        self.first_byte_ns: int | None = None
        self.end_ns: int | None = None
        self.status: int | None = None
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()
        self.base = 0
        self.times = array("q")
        self.ends = array("q")
        self.large_at = LARGE
        self.fault: str | None = None
        self.fault_detail: str | None = None

    def header(self, name: bytes) -> bytes:
        """Return the value of a response header, empty where it is absent."""
        return next((value for key, value in self.headers if key.lower() == name), b"")


class Connection(asyncio.Protocol):
    """A client connection. `on_end(exchange)` is called once for every exchange begun.

    `on_large(exchange)` is called when an open exchange holds many undecoded bytes.
    """

    def __init__(
        self,
        now: Callable[[], int],
        on_end: Callable[[Exchange], None],
        on_large: Callable[[Exchange], None],
    ) -> None:
        self._now = now
        self._on_end = on_end
        self._on_large = on_large
        self._transport: asyncio.Transport | None = None
        self._parser: Any = None
        self._exchange: Exchange | None = None
        self._read_ns = 0
        self._until_close = False
        self._served = False
        self.idle_since_ns = 0

    @property
    def open(self) -> bool:
        """Whether a request can be sent now."""
        return self._transport is not None and self._exchange is None

    @property
    def exchange(self) -> Exchange | None:
        """The exchange that is in flight."""
        return self._exchange

    def send(self, payload: bytes) -> Exchange:
        """Write one whole request and begin its exchange."""
        if self._transport is None or self._exchange is not None:
            raise RuntimeError("a connection carries one exchange at a time")
        self._parser = httptools.HttpResponseParser(self)
        self._until_close = False
        self._exchange = exchange = Exchange(self._now())
        self._transport.write(payload)
        return exchange

    def cancel(self, reason: str) -> None:
        """Give up the open exchange, if any, and close."""
        if self._exchange is not None:
            self._finish("cancelled", reason)
        self.close()

    def close(self) -> None:
        """Close the socket at once; an open exchange ends as `truncated`."""
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; requests can be sent from now on."""
        self._transport = cast("asyncio.Transport", transport)
        self.idle_since_ns = self._now()

    def data_received(self, data: bytes) -> None:
        """Take the moment of this read, and hand the bytes to the HTTP parser."""
        self._read_ns = self._now()
        exchange = self._exchange
        if exchange is None:
            self.close()  # bytes that nobody asked for: this connection cannot be trusted further
            return
        if exchange.first_byte_ns is None:
            exchange.first_byte_ns = self._read_ns
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._finish("bad-http", str(error))
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the open exchange by how the connection went."""
        self._transport = None
        if self._exchange is None:
            return
        if exc is None and self._until_close:
            self._finish(None, None)
        elif self._served and self._exchange.first_byte_ns is None:
            self._finish("stale", "the server closed a connection that it had kept open")
        elif exc is None:
            self._finish("truncated", "the server closed the connection before the answer ended")
        else:
            self._finish("reset", str(exc))

    # httptools callbacks

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a response header as it came."""
        if self._exchange is not None:
            self._exchange.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Note the status, and whether only the end of the connection ends the body."""
        exchange = self._exchange
        if exchange is not None:
            exchange.status = self._parser.get_status_code()
            framed = exchange.header(b"content-length") or exchange.header(b"transfer-encoding")
            self._until_close = not framed

    def on_body(self, body: bytes) -> None:
        """Append body bytes and the moment of their read."""
        exchange = self._exchange
        if exchange is None:
            return
        exchange.body += body
        exchange.times.append(self._read_ns)
        exchange.ends.append(exchange.base + len(exchange.body))
        if len(exchange.body) >= exchange.large_at:
            exchange.large_at = len(exchange.body) + LARGE
            self._on_large(exchange)

    def on_message_complete(self) -> None:
        """End the exchange; interim (1xx) responses end nothing."""
        exchange = self._exchange
        if exchange is None or (exchange.status or 0) < 200:
            return
        self._served = True
        if not self._parser.should_keep_alive():
            self.close()
        self._finish(None, None)

    def _finish(self, fault: str | None, detail: str | None) -> None:
        exchange = self._exchange
        if exchange is None:
            return
        self._exchange = None
        exchange.fault = fault
        exchange.fault_detail = detail
        self.idle_since_ns = exchange.end_ns = self._now() if fault else self._read_ns
        self._on_end(exchange)
