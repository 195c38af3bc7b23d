"""What a server may know before a point is measured, and how it is told to forget it."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from asked import ask, served_by
from infx.cli.verdict import judge
from infx.clock import VirtualTimeLoop
from infx.flows.freshness import not_fresh, reset, served
from infx.flows.telemetry import pages_of
from infx.servers.truth.script import Script
from infx.store.datasets import demo_path
from infx.wire.address import Dial, parse
from infx.wire.fetch import Client
from memory_transport import memory_dial
from playing import play
from replaying import PACE, agentic

URL = "http://here/metrics"


def test_what_a_server_served_before_is_its_own_count() -> None:
    loop = VirtualTimeLoop()
    client = served_by(Script(dialect="vllm"), loop)
    pages = pages_of(client, loop)

    async def story() -> tuple[object, int, object]:
        first = await served(pages, [URL])
        usage = await ask(client, 40, 4)
        return first, usage["prompt_tokens"], await served(pages, [URL])

    before, asked, after = loop.run_until_complete(story())
    loop.close()
    assert before == ({"server_tokens_before": 0.0}, "vllm")
    assert after == ({"server_tokens_before": asked}, "vllm")


def test_a_page_that_cannot_be_read_is_no_fresh_server() -> None:
    loop = VirtualTimeLoop()
    pages = pages_of(served_by(Script(), loop), loop)
    said, dialect = loop.run_until_complete(served(pages, ["http://here/none"]))
    loop.close()
    absent = "http://here/none: http-404"
    assert said == {"server_tokens_before": None, "server_tokens_absent": absent}
    assert dialect is None


def answering(status: int, body: bytes, heard: list[bytes], loop: VirtualTimeLoop) -> Client:
    class Replies(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = cast("asyncio.Transport", transport)

        def data_received(self, data: bytes) -> None:
            heard.append(data.split(b" HTTP")[0])
            head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n"
            self.transport.write(head.encode() + body)

    return Client(parse("http://here"), cast(Dial, memory_dial(Replies)), (), loop)


@pytest.mark.parametrize(
    ("dialect", "status", "body", "path", "ok"),
    [
        ("sglang", 200, b"Cache flushed.\n", b"POST /flush_cache", True),
        ("sglang", 400, b"Flush cache failed.\n", b"POST /flush_cache", False),
        ("vllm", 200, b'{"success":true}', b"POST /reset_prefix_cache?reset_external=true", True),
        ("vllm", 200, b'{"success":false}', b"POST /reset_prefix_cache?reset_external=true", False),
        ("dynamo-vllm", 200, b"", b"POST /reset_prefix_cache?reset_external=true", True),
        ("vllm", 404, b"{}", b"POST /reset_prefix_cache?reset_external=true", False),
    ],
)
def test_a_reset_is_done_when_the_server_says_so(
    dialect: str, status: int, body: bytes, path: bytes, ok: bool
) -> None:
    loop = VirtualTimeLoop()
    heard: list[bytes] = []
    client = answering(status, body, heard, loop)
    said = loop.run_until_complete(reset([client], dialect))
    loop.close()
    assert heard == [path]
    (one,) = cast("list[dict[str, object]]", said["cache_reset"])
    assert one["ok"] is ok
    assert f"HTTP {status}" in str(one["said"])
    audit = {"server_tokens_before": 10.0, **said}
    assert not_fresh(audit, shared=True) is not ok


def test_an_engine_without_a_way_is_told_nothing() -> None:
    loop = VirtualTimeLoop()
    heard: list[bytes] = []
    said = loop.run_until_complete(reset([answering(200, b"", heard, loop)], "llamacpp"))
    loop.close()
    assert heard == []
    assert said == {
        "cache_reset": [
            {
                "url": "http://here",
                "ok": False,
                "said": "infx knows no way to reset the cache of llamacpp",
            }
        ]
    }


@pytest.mark.parametrize(
    ("before", "shared", "own", "reason"),
    [
        (0.0, False, 0, False),
        (10.0, False, 0, True),
        (10.0, False, 10, False),
        (11.0, False, 10, True),
        (0.0, True, 0, True),
        (None, False, 0, False),
        (None, True, 0, True),
    ],
)
def test_when_a_server_may_know_the_prompts(
    before: float | None, shared: bool, own: float, reason: bool
) -> None:
    audit = {"server_tokens_before": before}
    assert not_fresh(audit, shared=shared, own_tokens=own) is reason


def test_one_reset_of_two_clears_nothing() -> None:
    done, refused = ({"url": "x", "ok": ok, "said": ""} for ok in (True, False))
    assert not_fresh({"cache_reset": [done, refused]}, shared=True)
    assert not not_fresh({"cache_reset": [done, done]}, shared=True)
    assert not_fresh({"cache_reset": []}, shared=True)


@pytest.mark.parametrize("reset_cache", [False, True])
def test_the_second_point_on_one_server_is_not_fresh(tmp_path: Path, reset_cache: bool) -> None:
    """Asked to forget, this server answers 404, so the attempt is recorded and clears nothing.

    The first point only had the counts that sized its prompts before it.
    """
    outcome, _, _ = play(
        tmp_path, Script(**PACE), workload=agentic(duration_s=3.0, warmups_per_lane=0),
        corpus=demo_path(), concurrency=(1, 2), reset_cache=reset_cache,
    )  # fmt: skip
    first, second = outcome.run.result.points
    assert "server-not-fresh" not in first.reasons
    assert "server-not-fresh" in second.reasons
    (said,) = outcome.run.points[1].audit.get("cache_reset", [{"ok": None}])
    assert said["ok"] is (False if reset_cache else None)
    assert judge(outcome, max_error=0.1, strict=True).code == 1
    assert judge(outcome, max_error=0.1, strict=False).code == 0
