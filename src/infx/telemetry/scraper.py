"""Reading metrics pages each second beside the load, so that the load does not notice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress

from infx.clock import NS, Clock
from infx.errors import MachineError, Problem
from infx.model.scrape import Miss, Page

Fetch = Callable[[str], Awaitable[Page | Miss]]
"""Reads one page of a URL. It never raises for the server's faults: they are misses."""
Sink = Callable[[Page | Miss], None]
"""Keeps what was read; it may raise MachineError, and reading ends then."""

INTERVAL_S = 1.0
PATIENCE_S = 1.0
"""How long a reading between two phases may hold them up."""
AT_REST_S = 10.0
"""The same before the load and after it."""
NO_PAGE = frozenset({"http-404", "http-405", "http-501"})
"""Misses that say that there is no such page: it is not asked for again each second."""


class Scraper:
    """The readings of some pages. One request a page is in flight at most, whatever is asked.

    `pages` and `misses` count what was read and not; `stopped` says why nothing is kept any more.
    """

    def __init__(
        self, urls: Iterable[str], fetch: Fetch, clock: Clock, sink: Sink, *, interval_s: float
    ) -> None:
        self.urls = tuple(dict.fromkeys(urls))
        self.pages = 0
        self.misses: dict[str, int] = {}
        self.stopped: Problem | None = None
        self._fetch = fetch
        self._clock = clock
        self._sink = sink
        self._interval_ns = round(interval_s * NS)
        self._start_ns = clock.now()
        self._in_flight: dict[str, asyncio.Task[None]] = {}
        self._without: set[str] = set()

    async def read(self, *, patience_s: float = PATIENCE_S) -> None:
        """Read every page now, and wait until all are there, or for `patience_s` at most.

        Called between two phases, it parts their counters. A page that is being read already was
        asked for too early to tell: it is read again.
        """
        early = [task for task in self._in_flight.values() if not task.done()]
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                if early:
                    await asyncio.wait(early)
                tasks = [self._begin(url) for url in self.urls]
                if tasks:
                    await asyncio.wait(tasks)

    async def watch(self, url: str) -> None:
        """Read one page at every tick, for ever; a tick at which it is still being read is left."""
        while self.stopped is None and url not in self._without:
            await asyncio.sleep(self._to_next_tick())
            self._begin(url)

    def _to_next_tick(self) -> float:
        since = self._clock.now() - self._start_ns
        return (self._interval_ns - since % self._interval_ns) / NS

    def _begin(self, url: str) -> asyncio.Task[None]:
        """Return the reading of a page that is in flight, or begin one."""
        task = self._in_flight.get(url)
        if task is None or task.done():
            task = self._in_flight[url] = asyncio.create_task(self._read_one(url))
        return task

    async def _read_one(self, url: str) -> None:
        if self.stopped is not None:
            return
        scrape = await self._fetch(url)
        if isinstance(scrape, Miss):
            self.misses[scrape.reason] = self.misses.get(scrape.reason, 0) + 1
            if scrape.reason in NO_PAGE:
                self._without.add(url)
        else:
            self.pages += 1
        try:
            self._sink(scrape)
        except MachineError as error:
            self.stopped = error.problems[0]

    async def end(self) -> None:
        """Give up what is in flight; a defect in a reading is raised here."""
        tasks = list(self._in_flight.values())
        for task in tasks:
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result


@asynccontextmanager
async def scraping(
    urls: Iterable[str], fetch: Fetch, clock: Clock, sink: Sink, *, interval_s: float = INTERVAL_S
) -> AsyncIterator[Scraper]:
    """Read the pages of `urls` on entering, at every tick, and on leaving; errors go to the sink.

    Neither a slow, hung or dying page nor a full disk raises here: `Scraper.stopped` tells of the
    latter.
    """
    scraper = Scraper(urls, fetch, clock, sink, interval_s=interval_s)
    await scraper.read(patience_s=AT_REST_S)
    watches = [asyncio.create_task(scraper.watch(url)) for url in scraper.urls]
    try:
        yield scraper
        await scraper.read(patience_s=AT_REST_S)
    finally:
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
        await scraper.end()
