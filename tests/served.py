"""A truth server on a free port of this host, in a thread of its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from infx.clock import SystemClock
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from infx.servers.truth.server import Between, TruthServer


@contextmanager
def truth_server(
    script: Script, log: list[Sent] | None = None, *, between: Between | None = None
) -> Iterator[str]:
    """Serve while the block runs; give the base URL. `log` gets each generation request."""
    loop = asyncio.new_event_loop()
    keep = ([] if log is None else log).append
    server = TruthServer(script, SystemClock(), keep, between=between)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def listen() -> asyncio.Server:
        return await loop.create_server(server.protocol, "127.0.0.1", 0)

    async def leave(listener: asyncio.Server) -> None:
        server.stop()
        listener.close()
        await listener.wait_closed()

    listener = asyncio.run_coroutine_threadsafe(listen(), loop).result(10)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(leave(listener), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
