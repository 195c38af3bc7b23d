"""One page over a real connection that may hang, be cut off, refuse, or say too much."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from infx.clock import NS, VirtualTimeLoop
from infx.model.scrape import Miss, Page
from infx.telemetry.pages import Pages
from infx.wire.address import Dial
from memory_transport import memory_dial

URL = "http://here/metrics"


class Speaker(asyncio.Protocol):
    """Does with each request what its line of a script says."""

    def __init__(self, script: list[Callable[[asyncio.Transport], None]], heard: list[bytes]):
        self._script = script
        self._heard = heard

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._heard.append(b"connected")

    def data_received(self, data: bytes) -> None:
        self._heard.append(data)
        self._script.pop(0)(self._transport)


def answer(body: str, status: int = 200, length: int | None = None):
    head = f"HTTP/1.1 {status} X\r\nContent-Length: {length or len(body)}\r\n\r\n"
    return lambda transport: transport.write((head + body).encode())


def truncated(transport):
    answer("up 1\n", length=99)(transport)
    transport.close()


def closing(transport):
    answer("up 1\n")(transport)
    transport.close()


def hang(transport):
    pass


CASES = {
    "http-500": (answer("overloaded", 500), "overloaded"),
    "truncated": (truncated, "the server closed the connection before the answer ended"),
    "cut-off": (answer("up 1\nprompt_tokens_total 13"), "the last line has no end"),
    "reset": (lambda transport: transport.abort(), "connection reset by peer"),
    "timed-out": (hang, "no answer in 5 s"),
    "bad-http": (lambda transport: transport.write(b"hello\r\n\r\n"), None),
    "too-large": (answer("up 1\n" * 40_000), "more than 100000 bytes"),
}


def fetched(script, *, times: int = 1, heard: list[bytes] | None = None, headers=()):
    loop = VirtualTimeLoop()
    said: list[bytes] = [] if heard is None else heard
    dial = cast(Dial, memory_dial(lambda: Speaker(script, said), split=65536))
    pages = Pages(loop, connect=lambda _: dial, max_bytes=100_000, headers=lambda _: headers)

    async def story() -> list[Page | Miss]:
        found = []
        for _ in range(times):
            found.append(await pages.fetch(URL))
            await asyncio.sleep(1)
        return found

    try:
        return loop.run_until_complete(story())
    finally:
        pages.close()
        loop.close()


def test_a_page_with_the_moments_of_its_reading() -> None:
    (page,) = fetched([answer("up 1\n")])
    assert page == Page(URL, NS, NS, "up 1\n")


@pytest.mark.parametrize("reason", CASES)
def test_every_fault_is_a_miss_with_its_reason_and_the_next_page_is_read(reason: str) -> None:
    fault, detail = CASES[reason]
    miss, page = fetched([fault, answer("up 1\n")], times=2)
    assert isinstance(miss, Miss)
    assert (miss.source, miss.reason) == (URL, reason)
    assert detail is None or miss.detail == detail
    assert isinstance(page, Page)


def test_a_late_answer_is_never_taken_for_the_next_page() -> None:
    def late(transport):
        asyncio.get_running_loop().call_later(5.5, answer("up 0\n"), transport)

    miss, page = fetched([late, answer("up 1\n")], times=2)
    assert isinstance(miss, Miss)
    assert page.text == "up 1\n"


def test_one_connection_is_kept_and_the_key_goes_along() -> None:
    heard: list[bytes] = []
    key = (("Authorization", "Bearer x"),)
    fetched([answer("up 1\n")] * 3, times=3, heard=heard, headers=key)
    assert heard.count(b"connected") == 1
    asked = b"GET /metrics HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer x\r\n\r\n"
    assert heard.count(asked) == 3


def test_a_connection_that_the_server_closed_is_replaced() -> None:
    found = fetched([closing, answer("up 2\n")], times=2)
    assert [one.text for one in found] == ["up 1\n", "up 2\n"]


def test_a_server_that_is_not_there_is_a_miss() -> None:
    async def refuse(_: object) -> object:
        raise ConnectionRefusedError(111, "Connection refused")

    loop = VirtualTimeLoop()
    pages = Pages(loop, connect=lambda _: refuse)
    try:
        miss = loop.run_until_complete(pages.fetch(URL))
    finally:
        loop.close()
    assert isinstance(miss, Miss)
    assert (miss.reason, miss.detail) == ("unreached", "connection refused")
