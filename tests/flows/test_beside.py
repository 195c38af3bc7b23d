"""What is read beside a point: the host's pressure, and whether the server knew the prompts."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from infx.clock import VirtualTimeLoop
from infx.flows.bench import Watch, run_bench
from infx.flows.beside import Moment, between, prefix_hit, read
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.flows.runs import Run
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import EngineModel, Script
from infx.servers.truth.server import TruthServer
from infx.wire.address import parse
from infx.wire.fetch import Client
from memory_transport import memory_dial
from playing import play

ONE = "vllm:prefix_cache_hits_total 5\nvllm:prefix_cache_queries_total 100\n"
PAGES = [
    (ONE, (5.0, 100.0)),
    (
        """sglang:cached_tokens_total{from="device"} 2
sglang:cached_tokens_total{from="host"} 3
sglang:prompt_tokens_total 50
""",
        (5.0, 50.0),
    ),
    # llama.cpp counts what it processed apart from what it had
    ("llamacpp:prompt_tokens_total 40\nllamacpp:prompt_tokens_cached_total 8\n", (8.0, 48.0)),
]
BLIND = [
    (200, "up 1\n", "/metrics has no counters of a prompt cache that infx knows"),
    (404, "no such page", "/metrics answers HTTP 404"),
    (200, "<html>", "http://here:80/metrics: line 1 is no Prometheus sample"),
]


class Replies(asyncio.Protocol):
    """Answers whatever is asked with one page."""

    def __init__(self, status: int, body: str) -> None:
        self._answer = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n{body}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(self._answer.encode())


def moment(status: int, body: str) -> Moment:
    loop = VirtualTimeLoop()
    address = parse("http://here:80")
    client = Client(address, memory_dial(lambda: Replies(status, body)), (), loop)
    try:
        return loop.run_until_complete(read(client, loop))
    finally:
        loop.close()


@pytest.mark.parametrize(("page", "counted"), PAGES, ids=["vllm", "sglang", "llamacpp"])
def test_every_engine_counts_in_its_own_words(page: str, counted: tuple[float, float]) -> None:
    found = moment(200, page)
    assert (found.hits, found.queries) == counted


@pytest.mark.parametrize(("status", "body", "why"), BLIND, ids=["other", "absent", "no-page"])
def test_what_is_not_there_is_null_with_its_reason(status: int, body: str, why: str) -> None:
    facts = between(moment(status, body), moment(status, body))
    assert facts["server_cache_hits"] is facts["server_cache_queries"] is None
    assert str(facts["server_cache_absent"]).startswith(why.replace(":80", ""))


def test_the_figures_of_a_point_are_the_growth_over_it() -> None:
    before = Moment(0, 1_000, 5.0, 100.0)
    after = Moment(2_000_000_000, 501_000, 6.0, 300.0)
    assert between(before, after) == {
        "cpu_pressure": 0.25, "server_cache_hits": 1.0, "server_cache_queries": 200.0,
    }  # fmt: skip


def test_a_restarted_server_and_a_host_without_pressure_say_so() -> None:
    facts = between(Moment(0, None, 5.0, 100.0), Moment(9, 7, 1.0, 20.0))
    assert facts["cpu_pressure"] is None
    assert facts["server_cache_hits"] is None
    assert facts["server_cache_absent"] == "the server's counters began anew"


@pytest.mark.parametrize(
    ("hits", "queries", "template", "known"),
    [(10, 1000, 0, True), (9, 1000, 0, False), (500, 1000, 491, False), (500, 1000, 490, True),
     (0, 0, 0, False), (None, None, 0, False)],
)  # fmt: skip
def test_one_percent_beyond_the_template(
    hits: float | None, queries: float | None, template: int, known: bool
) -> None:
    audit = {"server_cache_hits": hits, "server_cache_queries": queries}
    assert prefix_hit(audit, template_tokens=template) is known


def test_t11_a_server_that_knows_the_prompts_does_not_certify(tmp_path: Path) -> None:
    """A fixed seed and a warm prefix cache made results up to 2.3 times better
    (vllm-project/vllm#52884, #54227).

    The same run a second time on one server finds all its prompts in the prefix cache.
    """
    loop = VirtualTimeLoop()
    script = Script(engine=EngineModel(block_size=16))
    server = TruthServer(script, loop, lambda _: None)
    options = BenchOptions(
        url="http://truth.test:8000",
        workload=FixedWorkload(isl=256, osl=4, range_ratio=1.0, requests=8, warmups=0),
        concurrency=(2,),
        out=tmp_path,
    )

    async def run() -> Run:
        outcome = await run_bench(
            options, clock=loop, brake=Brake(), watch=Watch(), connect=memory_dial(server.protocol)
        )
        return outcome.run

    cold, warm = loop.run_until_complete(run()), loop.run_until_complete(run())
    loop.close()
    for known, one in ((False, cold), (True, warm)):
        (point,) = one.points
        (summary,) = one.result.points
        assert ("prefix-cache-hit" in summary.reasons) is known
        assert point.audit["server_cache_queries"] == 8 * 256
        # The template's block is shared; the last block of a prompt is never taken from the cache.
        assert (point.audit["server_cache_hits"] >= 8 * 240) is known


def test_t11_no_point_asks_what_another_asked(tmp_path: Path) -> None:
    """See above. Points of one run, repetitions too, ask one server with a prefix cache.

    It finds the template's one block in it, and nothing of any prompt.
    """
    outcome, _, _ = play(
        tmp_path,
        Script(engine=EngineModel(block_size=16)),
        workload=FixedWorkload(isl=256, osl=4, range_ratio=1.0, requests=8, warmups=2),
        concurrency=(1, 2, 4),
        repetitions=2,
    )
    assert len(outcome.run.points) == 6
    for point, summary in zip(outcome.run.points, outcome.run.result.points, strict=True):
        assert point.audit["server_cache_queries"] == 10 * 256
        assert point.audit["server_cache_hits"] <= 10 * 16
        assert "prefix-cache-hit" not in summary.reasons
