"""Samples beside a point, from the server's page to figures."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

import bundled
from asked import ask, served_by
from infx.clock import NS, VirtualTimeLoop
from infx.errors import InputError
from infx.flows.freshness import workers
from infx.flows.telemetry import facts, pages_of, server_metrics_of, telemetry
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.record import Phase
from infx.model.result import Absent, MetricValue
from infx.servers.truth.script import EngineModel, Script
from infx.store.bundle_audit import verify
from infx.store.bundle_reader import open_bundle
from infx.telemetry.scraper import Scraper
from infx.wire.address import Dial, parse
from infx.wire.fetch import Client
from memory_transport import memory_dial

URL = "http://here/metrics"


def _cached(usage: dict[str, Any]) -> int:
    cached: int = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return cached


def measured(
    tmp_path: Path,
    script: Script,
    load: Callable[[Client, Scraper, VirtualTimeLoop], Awaitable[tuple[int, int]]],
) -> tuple[Path, PointFile, dict[str, object]]:
    """Run a load beside telemetry as a point does; the load returns its profiling window."""
    loop = VirtualTimeLoop()
    client = served_by(script, loop)
    writer = bundled.begin(tmp_path, 1)
    (name,) = writer.manifest.points
    folder = writer.path / "points" / name

    async def story() -> tuple[tuple[int, int], dict[str, object]]:
        async with telemetry(client, loop, directory=folder) as scraper:
            window = await load(client, scraper, loop)
        return window, dict(facts(scraper))

    try:
        (start, end), said = loop.run_until_complete(story())
    finally:
        loop.close()
    window = PhaseWindow(phase=Phase.PROFILING, start_ns=start, end_ns=end)
    bundled.finish_point(writer, 1)
    writer.close("finished", "2027-01-15T08:01:00+00:00")
    point = open_bundle(writer.path).points[0].model_copy(update={"phases": (window,)})
    return writer.path, point, said


@pytest.mark.parametrize("dialect", ["vllm", "sglang"])
def test_the_servers_own_count_of_the_profiling_phase(tmp_path: Path, dialect: str) -> None:
    """A warmup, then the same prompt twice: only the latter are counted, and hits as in `usage`.

    The page read between the phases parts them, though they are less than a second apart.
    """
    asked: list[dict[str, Any]] = []

    async def load(client: Client, scraper: Scraper, loop: VirtualTimeLoop) -> tuple[int, int]:
        await ask(client, 40, 4)
        await scraper.read()
        start = loop.now()
        asked.extend([await ask(client, 60, 8), await ask(client, 60, 8)])
        return start, loop.now()

    script = Script(engine=EngineModel(block_size=4), dialect=dialect)
    run, point, said = measured(tmp_path, script, load)
    found = server_metrics_of(open_bundle(run), point)
    assert not isinstance(found, Absent)
    assert found.dialect == dialect
    prompt = sum(one["prompt_tokens"] for one in asked)
    figures = {name: getattr(one, "mean", None) for name, one in found.metrics.items()}
    assert figures["prompt_tokens"] == prompt
    assert figures["generation_tokens"] == 16
    hit = figures["prefix_hit"]
    assert hit == sum(map(_cached, asked)) / prompt
    assert _cached(asked[1]) > 50
    assert (said["metrics_missed"], said["metrics_stopped"]) == ({}, None)
    assert verify(run) == ()


def test_a_server_without_the_page_says_why_there_is_nothing(tmp_path: Path) -> None:
    """The truth server is told to have none by a path that it does not know."""
    loop = VirtualTimeLoop()
    client = served_by(Script(), loop)
    writer = bundled.begin(tmp_path, 1)
    folder = writer.path / "points" / writer.manifest.points[0]

    async def story() -> Scraper:
        how = {"directory": folder, "urls": ["http://here/no-metrics"]}
        async with telemetry(client, loop, **how) as scraper:
            await asyncio.sleep(5)
        return scraper

    said = facts(loop.run_until_complete(story()))
    loop.close()
    assert said["metrics_pages"] == 0
    assert said["metrics_missed"] == {"http-404": 2}
    window = PhaseWindow(phase=Phase.PROFILING, start_ns=NS, end_ns=2 * NS)
    point = bundled.point(1).model_copy(update={"phases": (window,), "audit": said})
    found = server_metrics_of(open_bundle(writer.path), point)
    assert found == Absent(reason="no metrics page was read: http-404")


def test_what_is_no_url_is_said_before_the_load(tmp_path: Path) -> None:
    loop = VirtualTimeLoop()

    async def story() -> None:
        client = served_by(Script(), loop)
        async with telemetry(client, loop, directory=tmp_path, urls=["worker:9/metrics"]):
            pytest.fail("nothing is read")

    with pytest.raises(InputError, match="not an http or https URL"):
        loop.run_until_complete(story())
    loop.close()


def test_a_point_that_never_profiled_has_no_window(tmp_path: Path) -> None:
    run = bundled.finished(tmp_path, 1)
    found = server_metrics_of(open_bundle(run), bundled.point(1))
    assert found == Absent(reason="the point has no profiling phase")


def test_a_key_goes_to_its_own_server_only() -> None:
    loop = VirtualTimeLoop()
    client = served_by(Script(), loop)
    heard: list[bytes] = []

    class Ear(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = cast("asyncio.Transport", transport)

        def data_received(self, data: bytes) -> None:
            heard.append(data)
            self.transport.write(b"HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nup 1\n")

    pages = pages_of(client, loop, connect=lambda _: cast(Dial, memory_dial(Ear)))
    loop.run_until_complete(pages.fetch("http://worker:9/metrics"))
    loop.close()
    assert heard
    assert b"Bearer" not in heard[0]
    own, other = workers(client, [URL, "http://worker:9/metrics"])
    assert own is client
    assert (other.address.url, other.headers) == ("http://worker:9", ())


@pytest.mark.engine
def test_llama_cpp_counts_a_prefix_that_it_kept(weights: Path, tmp_path: Path) -> None:
    """The same prompt three times: by the server's own count most of two of them was cached."""
    import sys

    from infx.clock import SystemClock
    from infx.engines import llamacpp
    from infx.launch.local import free_port, running
    from infx.model.recipe import BoundRecipe, Site
    from infx.wire.address import dial

    clock = SystemClock()
    flags = {"parallel": 1, "ctx-size": 2048, "threads": 1}
    recipe = BoundRecipe(
        name="smol", model="smollm2", flags=flags, site=Site(paths={"weights": str(weights)})
    )
    plan = llamacpp.plan(recipe, port=free_port(), python=sys.executable)
    writer = bundled.begin(tmp_path / "runs", 1)
    folder = writer.path / "points" / writer.manifest.points[0]

    async def story() -> PhaseWindow:
        async with running(plan, environment={}, log_dir=tmp_path, clock=clock) as live:
            address = parse(live.endpoint.url)
            client = Client(address, dial(address), (), clock)
            async with telemetry(client, clock, directory=folder) as scraper:
                start = clock.now()
                for _ in range(3):
                    await ask(client, 200, 4, "smollm2")
                end = clock.now()
            assert scraper.misses == {}
        return PhaseWindow(phase=Phase.PROFILING, start_ns=start, end_ns=end)

    window = asyncio.run(story())
    point = bundled.point(1).model_copy(update={"phases": (window,)})
    found = server_metrics_of(open_bundle(writer.path), point)
    assert not isinstance(found, Absent)
    assert found.dialect == "llamacpp"
    hit, made = found.metrics["prefix_hit"], found.metrics["generation_tokens"]
    assert isinstance(hit, MetricValue)
    assert isinstance(made, MetricValue)
    assert 0.5 < hit.mean < 0.67
    assert made.mean == 12
