"""What stands between client and server in virtual time: it hears, holds back, and dies."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import orjson

from infx.clock import NS, VirtualTimeLoop
from memory_transport import MemoryTransport
from playing import Accept


@dataclass(frozen=True)
class Heard:
    """One generation request: when its last byte came, its headers in small letters, its body."""

    at_ns: int
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def number(self) -> int:
        """Return the number that ends the X-Request-ID."""
        return int(self.headers["x-request-id"].rpartition("-")[2])

    @property
    def text(self) -> str:
        return "".join(message["content"] for message in self.body["messages"])


@dataclass
class Wire:
    """Hears every request that has an id.

    `answered` has the bytes that the server wrote after each request, by its number. When request
    `stall_at` came, counted from 1, nothing passes in either direction for
    `stall_ns`. When request `die_at` came the server is gone: connections reset, new ones refused.
    """

    stall_at: int | None = None
    stall_ns: int = 40 * NS
    die_at: int | None = None
    heard: list[Heard] = field(default_factory=list)
    answered: dict[int, bytes] = field(default_factory=dict)
    dead: bool = False
    held: list[Any] = field(default_factory=list)
    stalled: bool = False

    def before(self, loop: VirtualTimeLoop, accept: Accept) -> Accept:
        """Stand before a server; see `playing.play`."""
        self._loop = loop
        self._open: set[_Ear] = set()

        def made() -> asyncio.Protocol:
            if self.dead:
                raise ConnectionRefusedError
            ear = _Ear(self, accept())
            self._open.add(ear)
            return ear

        return made

    def hear(self, head: bytes, body: bytes) -> Heard | None:
        lines = (line.partition(": ") for line in head.decode().split("\r\n")[1:])
        headers = {name.lower(): value for name, _, value in lines}
        if "x-request-id" not in headers:
            return None
        self.heard.append(Heard(self._loop.now(), headers, orjson.loads(body)))
        if len(self.heard) == self.stall_at:
            self.stalled = True
            self._loop.call_later(self.stall_ns / NS, self._go_on)
        if len(self.heard) == self.die_at:
            self.dead = True
            for ear in self._open:
                ear.transport.abort()
        return self.heard[-1]

    def passes(self, call: Any, data: bytes) -> None:
        """Do it now, or in its turn once the stall is over."""
        if self.stalled:
            self.held.append((call, data))
        else:
            call(data)

    def _go_on(self) -> None:
        self.stalled = False
        held, self.held = self.held, []
        for call, data in held:
            call(data)


class _Ear(asyncio.Protocol):
    """One connection: hears what goes to the server's own protocol."""

    def __init__(self, wire: Wire, server: asyncio.Protocol) -> None:
        self._wire = wire
        self._server = server
        self._rest = b""
        self._number: int | None = None
        self.transport: MemoryTransport

    def connection_made(self, transport: MemoryTransport) -> None:
        self.transport = transport
        send = transport.write

        def write(data: bytes) -> None:
            if self._number is not None:
                before = self._wire.answered.get(self._number, b"")
                self._wire.answered[self._number] = before + bytes(data)
            self._wire.passes(send, bytes(data))

        transport.write = write  # type: ignore[method-assign]
        self._server.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self._rest += data
        while (end := self._rest.find(b"\r\n\r\n")) >= 0:
            head = self._rest[:end]
            size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            whole = end + 4 + int(size or b"0")
            if len(self._rest) < whole:
                break
            body, self._rest = self._rest[end + 4 : whole], self._rest[whole:]
            if (heard := self._wire.hear(head, body)) is not None:
                self._number = heard.number
        if not self._wire.dead:
            self._wire.passes(self._server.data_received, data)

    def connection_lost(self, error: Exception | None) -> None:
        self._server.connection_lost(error)
