"""One HTTP/1.1 connection to an inference server, built for true moments.

A socket read takes one timestamp, and where it is plain that is all. Else its bytes are kept; HTTP
is parsed a few reads later, or at once where the answer may be over. A request leaves in one write,
past the event loop's own queue where the platform allows it. One exchange is open at a time.
"""

import asyncio
import os
from array import array
from collections.abc import Callable
from typing import Any, cast

import httptools

from infx.wire.plain import PlainReads

LARGE = 16 * 1024
"""Undecoded bytes at which an exchange asks to be decoded before it ends: about 70 events.

A thousand streams so hold 16 MB of them at the most.
"""
UNPARSED = 32
"""Reads that may wait for the HTTP parser; so many are parsed in about 20 microseconds.

Fewer wait at first, so that plain reads are known soon, and none after plain ones.
"""
UNPARSED_SIZE = 4096
"""Bytes of a read that does not wait: a thousand streams so hold 128 MB of reads at the most."""
HTTP_OK = 200
STALE_NS = 20_000_000
"""A kept connection that was given up before our request came shows so at once.

One that closes later had read the request, and failed: sending it again would hide that.
"""


class Exchange:
    """One request and what came back, byte by byte, with the moment of every read.

    `body` holds the body's bytes from absolute offset `base` on. Read `i` was at `times[i]`, and
    brought the body up to absolute offset `ends[i]`; but the reads that are plain brought nothing,
    and only `plain` has their moments. None is where `decode_all` is set.

    `fault` is None for a whole response, else a word: `refused`, `unreached`, `reset`, `truncated`,
    `cancelled`, `timed-out`, `in-flight-limit`, `bad-http`, or `stale`: the connection had served
    before, and was closed without a byte of this answer.
    """

    __slots__ = (
        "base", "body", "decode_all", "end_ns", "ends", "fault", "fault_detail", "headers",
        "large_at", "plain", "sent_ns", "status", "times", "unparsed",
    )  # fmt: skip

    def __init__(self, sent_ns: int) -> None:
        self.sent_ns = sent_ns
        self.end_ns: int | None = None
        self.status: int | None = None
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()
        self.base = 0
        self.times = array("q")
        self.ends = array("q")
        self.unparsed: list[bytes] = []
        self.large_at = LARGE
        self.plain = PlainReads()
        self.decode_all = False
        self.fault: str | None = None
        self.fault_detail: str | None = None

    @property
    def first_byte_ns(self) -> int | None:
        """The read that brought the first byte of the response."""
        return self.times[0] if self.times else None

    def consume(self, size: int) -> None:
        """Let go of the body's first bytes: they are decoded."""
        del self.body[:size]
        self.base += size
        self.large_at = len(self.body) + LARGE

    def header(self, name: bytes) -> bytes:
        """Return the value of a response header, empty where it is absent."""
        return next((value for key, value in self.headers if key.lower() == name), b"")


class _Response:
    """What httptools calls for one response; body bytes go straight into the exchange."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.on_body = exchange.body.extend
        self.complete = False
        self.keep_alive = False
        self.parser: Any = httptools.HttpResponseParser(self)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._exchange.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._exchange.status = self.parser.get_status_code()

    def on_message_complete(self) -> None:
        if (self._exchange.status or 0) >= HTTP_OK:  # 1xx is interim
            self.complete = True
            self.keep_alive = self.parser.should_keep_alive()
        else:
            self._exchange.headers.clear()

    @property
    def ends_with_connection(self) -> bool:
        """Whether only the end of the connection ends the body."""
        exchange = self._exchange
        framed = exchange.header(b"content-length") or exchange.header(b"transfer-encoding")
        return exchange.status is not None and not framed

    @property
    def is_stream(self) -> bool:
        """Whether the body comes in chunks, so that its last bytes show that it may be over."""
        exchange = self._exchange
        return exchange.status is not None and bool(exchange.header(b"transfer-encoding"))


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
        self._descriptor: int | None = None
        self._response: _Response
        self._exchange: Exchange | None = None
        self._waiting = 0
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
        transport = self._transport
        if transport is None or self._exchange is not None:
            raise RuntimeError("a connection carries one exchange at a time")
        self._exchange = exchange = Exchange(self._now())
        self._response = _Response(exchange)
        self._waiting = 0
        written = self._write_at_once(transport, payload)
        if written < len(payload):
            transport.write(payload[written:])
        return exchange

    def cancel(self, fault: str, detail: str) -> None:
        """Give up the open exchange, if any, and close; what came of it until now is kept."""
        self.close()
        if self._exchange is not None:
            self._parse(self._exchange)
        self._finish(fault, detail)

    def close(self) -> None:
        """Close the socket at once; an open exchange ends as `truncated`."""
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; requests can be sent from now on."""
        self._transport = cast("asyncio.Transport", transport)
        plain = transport.get_extra_info("sslcontext") is None
        socket = transport.get_extra_info("socket") if plain else None
        self._descriptor = socket.fileno() if socket is not None else None
        self.idle_since_ns = self._now()

    def data_received(self, data: bytes) -> None:
        """Take the moment of this read, and keep its bytes where they are not plain.

        They are parsed at once where the answer may be over.
        """
        now = self._now()
        exchange = self._exchange
        if exchange is None:
            self.close()  # bytes that nobody asked for: this connection cannot be trusted further
            return
        plain = exchange.plain
        if plain.ready:
            if plain.take(data, now):
                return
            plain.ready = False
        exchange.times.append(now)
        unparsed = exchange.unparsed
        unparsed.append(data)
        # A read of four bytes or more that ends a chunked body ends with an empty line.
        if (
            len(unparsed) < self._waiting
            and 3 < len(data) < UNPARSED_SIZE
            and data[-4:] != b"\r\n\r\n"
        ):
            return
        self._parse(exchange)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the open exchange by how the connection went."""
        self._transport = None
        exchange = self._exchange
        if exchange is None:
            return
        self._parse(exchange)
        if self._exchange is not exchange:  # it was whole after all
            return
        if exc is None and self._response.ends_with_connection:
            self._finish(None, None)
        elif self._served and not exchange.times and self._now() - exchange.sent_ns < STALE_NS:
            self._finish("stale", "the server closed a connection that it had kept open")
        elif exc is None:
            self._finish("truncated", "the server closed the connection before the answer ended")
        else:
            self._finish("reset", str(exc))

    def _write_at_once(self, transport: asyncio.Transport, payload: bytes) -> int:
        """Hand the payload to the kernel now, not at the end of the loop's turn; return how much.

        uvloop writes only after all reads of a turn, which would count their work as latency.
        """
        if self._descriptor is None or transport.get_write_buffer_size():
            return 0
        try:
            return os.write(self._descriptor, payload)
        except OSError:  # the transport meets the same error, and ends the connection by it
            return 0

    def _parse(self, exchange: Exchange) -> None:
        response, body, ends, base = self._response, exchange.body, exchange.ends, exchange.base
        feed, reads, size = response.parser.feed_data, exchange.unparsed, len(body)
        plain = exchange.plain
        try:
            for read in reads:
                size = len(body)
                feed(read)
                ends.append(base + len(body))
        except httptools.HttpParserError as error:
            ends.extend([base + len(body)] * (len(exchange.times) - len(ends)))
            reads.clear()
            self._finish("bad-http", str(error))
            self.close()
            return
        if reads and not exchange.decode_all:
            plain.learn(reads[-1], bytes(body[size:]))
        reads.clear()
        if response.complete:
            self._served = True
            if not response.keep_alive:
                self.close()
            self._finish(None, None)
            return
        if response.is_stream:
            self._waiting = 0 if plain.helped() else min(UNPARSED, 2 * self._waiting or 2)
        if len(body) >= exchange.large_at:
            exchange.large_at = len(body) + LARGE
            self._on_large(exchange)

    def _finish(self, fault: str | None, detail: str | None) -> None:
        exchange = self._exchange
        if exchange is None:
            return
        self._exchange = None
        exchange.fault = fault
        exchange.fault_detail = detail
        whole = fault is None and bool(exchange.times)
        self.idle_since_ns = exchange.end_ns = exchange.times[-1] if whole else self._now()
        self._on_end(exchange)
