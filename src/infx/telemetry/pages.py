"""Reading one metrics page whole, over a kept connection of its own."""

import asyncio
from collections.abc import Callable

from infx.clock import Clock
from infx.model.scrape import Miss, Page
from infx.wire.address import Address, Dial, dial, explain, parse
from infx.wire.connection import HTTP_OK, Connection, Exchange
from infx.wire.fetch import Headers, request_head

LIMIT_S = 5.0
"""A page that takes longer is given up."""
MAX_BYTES = 16 * 1024 * 1024
"""A page that is larger is given up; 16 engines of vLLM 0.26 write 0.5 MB."""


class Pages:
    """Reads pages by their URL, each over one connection that is kept open between readings.

    `headers` tells what goes with a request to an address: a key is for its own server only.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        headers: Callable[[Address], Headers] = lambda _: (),
        connect: Callable[[Address], Dial] = dial,
        limit_s: float = LIMIT_S,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._clock = clock
        self._headers = headers
        self._connect = connect
        self._limit_s = limit_s
        self._max_bytes = max_bytes
        self._kept: dict[str, tuple[Address, Dial, Connection | None]] = {}
        self._waiting: dict[Connection, asyncio.Future[Exchange]] = {}

    async def fetch(self, url: str) -> Page | Miss:
        """Read one page; every fault of the server is a miss that says it."""
        began = self._clock.now()
        try:
            async with asyncio.timeout(self._limit_s):
                exchange = await self._exchange(url)
        except TimeoutError:
            self._drop(url)
            return self._miss(url, began, "timed-out", f"no answer in {self._limit_s:g} s")
        except OSError as error:
            return self._miss(url, began, "unreached", explain(error, self._kept[url][0]).what)
        return self._page(url, exchange)

    def _page(self, url: str, exchange: Exchange) -> Page | Miss:
        sent = exchange.sent_ns
        if exchange.fault is not None:
            return self._miss(url, sent, exchange.fault, exchange.fault_detail)
        if exchange.status != HTTP_OK:
            shown = bytes(exchange.body[:80]).decode("utf-8", "replace")
            return self._miss(url, sent, f"http-{exchange.status}", shown)
        # The text format ends every line, so a page that does not was cut off by its writer.
        if not exchange.body.endswith(b"\n"):
            return self._miss(url, sent, "cut-off", "the last line has no end")
        text = exchange.body.decode("utf-8", "replace")
        return Page(url, sent, exchange.end_ns or self._clock.now(), text)

    def _miss(self, url: str, sent_ns: int, reason: str, detail: str | None) -> Miss:
        return Miss(url, sent_ns, self._clock.now(), reason, detail)

    async def _exchange(self, url: str) -> Exchange:
        """Ask over the kept connection; one that the server has closed meanwhile is replaced."""
        exchange = await self._ask(url)
        return await self._ask(url) if exchange.fault == "stale" else exchange

    async def _ask(self, url: str) -> Exchange:
        connection = await self._connection(url)
        address = self._kept[url][0]
        done: asyncio.Future[Exchange] = asyncio.get_running_loop().create_future()
        self._waiting[connection] = done
        root = Address(address.scheme, address.host, address.port, "")
        head = request_head("GET", root, address.base or "/", self._headers(address))
        connection.send(head + b"\r\n")
        try:
            return await done
        finally:
            del self._waiting[connection]

    async def _connection(self, url: str) -> Connection:
        if url not in self._kept:
            address = parse(url)
            self._kept[url] = (address, self._connect(address), None)
        address, dial_it, kept = self._kept[url]
        if kept is not None and kept.open:
            return kept
        connection = self._made()
        await dial_it(lambda: connection)
        self._kept[url] = (address, dial_it, connection)
        return connection

    def _made(self) -> Connection:
        def end(exchange: Exchange) -> None:
            waiting = self._waiting.get(connection)
            if waiting is not None and not waiting.done():
                waiting.set_result(exchange)

        def large(exchange: Exchange) -> None:
            if len(exchange.body) > self._max_bytes:
                connection.cancel("too-large", f"more than {self._max_bytes} bytes")

        connection = Connection(self._clock.now, end, large)
        return connection

    def _drop(self, url: str) -> None:
        """Close a connection on which an answer may still come."""
        address, dial_it, kept = self._kept[url]
        if kept is not None:
            kept.close()
        self._kept[url] = (address, dial_it, None)

    def close(self) -> None:
        """Close every connection."""
        for _, _, connection in self._kept.values():
            if connection is not None:
                connection.close()
