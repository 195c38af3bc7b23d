"""A connection without a socket: what one protocol writes, the other receives a turn later.

Bytes may be delivered in any split, and the peer may close or reset, so a broken stream is a unit
test. It runs on the virtual loop as well as on a real one.
"""

import asyncio
from collections.abc import Callable


class MemoryTransport(asyncio.Transport):
    def __init__(self, loop: asyncio.AbstractEventLoop, split: int | None = None) -> None:
        super().__init__()
        self._loop = loop
        self._split = split
        self._closed = False
        self.protocol: asyncio.Protocol
        self.peer: MemoryTransport

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._closed:
            return
        whole = bytes(data)
        size = self._split or max(len(whole), 1)
        for start in range(0, len(whole), size):
            self._loop.call_soon(self.peer._deliver, whole[start : start + size])

    def _deliver(self, data: bytes) -> None:
        if not self._closed:
            self.protocol.data_received(data)

    def close(self) -> None:
        self._lose(None)

    def abort(self) -> None:
        """Close so that the peer sees a reset."""
        self._lose(ConnectionResetError("connection reset by peer"))

    def is_closing(self) -> bool:
        return self._closed

    def _lose(self, error: Exception | None) -> None:
        if self._closed:
            return
        self._closed = True
        self._loop.call_soon(self.protocol.connection_lost, None)
        self._loop.call_soon(self.peer._lost_by_peer, error)

    def _lost_by_peer(self, error: Exception | None) -> None:
        if not self._closed:
            self._closed = True
            self.protocol.connection_lost(error)

    def get_extra_info(self, name: str, default: object = None) -> object:
        return ("127.0.0.1", 0) if name in ("peername", "sockname") else default


def memory_dial(
    server: Callable[[], asyncio.Protocol], *, split: int | None = None
) -> Callable[[Callable[[], asyncio.Protocol]], object]:
    """Return a `wire.address.Dial` whose connections end at protocols that `server` makes.

    `split` delivers the server's bytes in pieces of that many.
    """

    async def dial(factory: Callable[[], asyncio.Protocol]) -> object:
        loop = asyncio.get_running_loop()
        near, far = MemoryTransport(loop), MemoryTransport(loop, split)
        near.peer, far.peer = far, near
        near.protocol, far.protocol = factory(), server()
        far.protocol.connection_made(far)
        near.protocol.connection_made(near)
        return near

    return dial
