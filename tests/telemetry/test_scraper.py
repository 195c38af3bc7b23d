"""Pages each second in virtual time: ticks, slow and hung pages, and what is never raised."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from infx.clock import NS, VirtualTimeLoop
from infx.errors import MachineError
from infx.model.scrape import Miss, Page
from infx.telemetry.scraper import Scraper, scraping

A, B = "http://a/metrics", "http://b/metrics"
Story = Callable[[VirtualTimeLoop], Awaitable[None]]


def play(story: Story) -> None:
    loop = VirtualTimeLoop()
    try:
        loop.run_until_complete(story(loop))
    finally:
        loop.close()


class Server:
    """Answers after so many seconds by host; what takes 5 s is given up, as `Pages` does."""

    def __init__(self, loop: VirtualTimeLoop, **seconds: float) -> None:
        self.loop = loop
        self.seconds = seconds
        self.in_flight: dict[str, int] = {}
        self.most = 0

    async def fetch(self, url: str) -> Page | Miss:
        host = url.split("/")[2]
        self.in_flight[url] = self.in_flight.get(url, 0) + 1
        self.most = max(self.most, self.in_flight[url])
        sent = self.loop.now()
        try:
            await asyncio.sleep(min(self.seconds.get(host, 0.01), 5))
        finally:
            self.in_flight[url] -= 1
        if self.seconds.get(host, 0) >= 5:
            return Miss(url, sent, self.loop.now(), "timed-out")
        return Page(url, sent, self.loop.now(), "up 1\n")


def asked_s(kept: list[Page | Miss], url: str) -> list[float]:
    return [round((one.sent_ns - NS) / NS, 3) for one in kept if one.source == url]


def test_a_page_is_read_before_at_every_second_and_after() -> None:
    kept: list[Page | Miss] = []

    async def story(loop: VirtualTimeLoop) -> None:
        server = Server(loop)
        async with scraping([A, B, A], server.fetch, loop, kept.append) as scraper:
            await asyncio.sleep(3.5)
        assert scraper.pages == len(kept) == 10

    play(story)
    assert asked_s(kept, A) == asked_s(kept, B) == [0, 1, 2, 3, 3.51]


def test_a_slow_page_is_never_asked_twice_at_once_and_holds_up_nobody() -> None:
    kept: list[Page | Miss] = []

    async def story(loop: VirtualTimeLoop) -> None:
        server = Server(loop, b=1.7)
        async with scraping([A, B], server.fetch, loop, kept.append):
            began = loop.now()
            await asyncio.sleep(5)
            assert loop.now() - began == 5 * NS
        assert server.most == 1

    play(story)
    # Entered when b had answered; ticks at which b was still busy are left.
    assert asked_s(kept, A)[:4] == [0, 2, 3, 4]
    assert asked_s(kept, B)[:3] == [0, 2, 4]


def test_between_two_phases_a_page_is_read_now() -> None:
    kept: list[Page | Miss] = []

    async def story(loop: VirtualTimeLoop) -> None:
        async with scraping([A], Server(loop).fetch, loop, kept.append) as scraper:
            await asyncio.sleep(0.4)
            await scraper.read()
            assert kept[-1].sent_ns == round(1.41 * NS)
            assert kept[-1].received_ns == loop.now()

    play(story)


def test_a_reading_that_began_before_is_too_early_and_is_done_again() -> None:
    """At 1.005 s the page of 1 s is under way: the server may have written it before."""
    kept: list[Page | Miss] = []

    async def story(loop: VirtualTimeLoop) -> None:
        async with scraping([A], Server(loop).fetch, loop, kept.append) as scraper:
            await asyncio.sleep(0.995)
            await scraper.read()
            assert asked_s(kept, A) == [0, 1, 1.01]

    play(story)


def test_a_hung_page_holds_up_a_phase_for_a_second_and_the_end_for_its_own_limit() -> None:
    kept: list[Page | Miss] = []

    async def story(loop: VirtualTimeLoop) -> None:
        server = Server(loop)
        async with scraping([A, B], server.fetch, loop, kept.append) as scraper:
            server.seconds["b"] = 99
            await asyncio.sleep(2)
            began = loop.now()
            await scraper.read()
            assert loop.now() - began == NS
            began = loop.now()
        # The reading of 1 s is given up at 6 s, then b is asked a last time.
        assert loop.now() - began <= 10 * NS
        assert scraper.misses["timed-out"] >= 1
        assert not any(server.in_flight.values())

    play(story)


def test_a_full_disk_ends_the_reading_and_not_the_load() -> None:
    def sink(_: Page | Miss) -> None:
        raise MachineError("No space left on device")

    async def story(loop: VirtualTimeLoop) -> None:
        server = Server(loop)
        async with scraping([A], server.fetch, loop, sink) as scraper:
            await asyncio.sleep(5)
        assert scraper.pages == 1
        assert str(scraper.stopped) == "No space left on device"

    play(story)


@pytest.mark.parametrize("reason", ["http-404", "http-501"])
def test_a_server_without_the_page_is_asked_at_the_ends_only(reason: str) -> None:
    kept: list[Page | Miss] = []

    async def story(loop: VirtualTimeLoop) -> None:
        async def fetch(url: str) -> Page | Miss:
            return Miss(url, loop.now(), loop.now(), reason)

        async with scraping([A], fetch, loop, kept.append):
            await asyncio.sleep(60)

    play(story)
    assert len(kept) <= 3


def test_nothing_runs_on_when_the_load_fails() -> None:
    async def story(loop: VirtualTimeLoop) -> None:
        server = Server(loop, a=3)

        async def fail() -> None:
            async with scraping([A], server.fetch, loop, lambda _: None):
                await asyncio.sleep(1.5)
                raise RuntimeError("the load failed")

        with pytest.raises(RuntimeError, match="the load failed"):
            await fail()
        assert not server.in_flight[A]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    play(story)


def test_a_defect_in_a_reading_is_not_swallowed() -> None:
    async def story(loop: VirtualTimeLoop) -> None:
        async def fetch(url: str) -> Page | Miss:
            raise KeyError(url)

        with pytest.raises(KeyError):
            async with scraping([A], fetch, loop, lambda _: None):
                pass

    play(story)


def test_no_pages_are_no_work() -> None:
    async def story(loop: VirtualTimeLoop) -> None:
        async with scraping([], Server(loop).fetch, loop, lambda _: None) as scraper:
            assert isinstance(scraper, Scraper)
            await asyncio.sleep(2)
        assert loop.now() == 3 * NS

    play(story)
