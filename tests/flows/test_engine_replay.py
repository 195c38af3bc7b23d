"""Replayed sessions on a real engine: what its own counters say of reused prompts."""

import os
import sys

import pytest

from infx.clock import SystemClock, event_loop
from infx.engines import llamacpp
from infx.flows.bench import Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.flows.quickstart import quickstart_recipe, replayed
from infx.launch.local import free_port, running
from infx.model.record import EndState
from infx.model.result import MetricValue
from infx.model.workload import FixedWorkload

pytestmark = [pytest.mark.engine, pytest.mark.slow]

LANES = 2
TEMPLATE_TOKENS = 8
"""What the chat template puts before everything else, so that even a new session finds it."""


@pytest.fixture(scope="module")
def run(weights, tmp_path_factory):
    """Sessions from their start on two lanes for 8 s, about 15 s in all where a core is free."""
    folder = tmp_path_factory.mktemp("engine")
    recipe = quickstart_recipe(weights, lanes=LANES)
    plan = llamacpp.plan(recipe, port=free_port(), python=sys.executable)
    clock = SystemClock()
    options = BenchOptions(
        url=plan.endpoint.url,
        workload=FixedWorkload(isl=8, osl=8),
        concurrency=(1,),
        out=folder,
        recipe=recipe,
        model=plan.endpoint.model,
    )

    async def story():
        environment = dict(os.environ)
        async with running(plan, environment=environment, log_dir=folder / "log", clock=clock):
            asked = replayed(options, duration_s=8)
            return (await run_bench(asked, clock=clock, brake=Brake(), watch=Watch())).run

    loop = event_loop()
    try:
        return loop.run_until_complete(story())
    finally:
        loop.close()


def test_prompts_of_a_session_are_reused(run, capsys):
    """Only this proves that replayed prompts grow so that a real engine's cache knows them."""
    (point,) = run.points
    records = [one for one in run.bundle.records(point) if one.state is EndState.OK]
    firsts = [one for one in records if one.turn == 0]
    later = [one for one in records if one.turn > 0]
    assert firsts
    assert later, "no session came to its second turn"
    assert [one.cached_tokens for one in records] == [one.server["cache_n"] for one in records]
    assert max(one.cached_tokens for one in firsts) <= TEMPLATE_TOKENS
    shares = [one.cached_tokens / one.prompt_tokens for one in later]
    with capsys.disabled():
        print(f"\n{len(later)} later turns, {min(shares):.0%} to {max(shares):.0%} in the cache")
    assert sum(one.cached_tokens for one in later) > sum(one.prompt_tokens for one in later) / 2
    served, could = (
        run.result.points[0].metrics[name]
        for name in ("served_prefix_hit", "theoretical_prefix_hit")
    )
    assert isinstance(served, MetricValue)
    assert isinstance(could, MetricValue)
    assert served.mean == pytest.approx(could.mean, abs=0.1)


def test_the_engines_counters_say_the_same(run):
    """/metrics before and after the load against usage of every answer, cut ones included."""
    (point,) = run.points
    records = run.bundle.records(point)
    if all(one.state is EndState.OK for one in records):
        assert point.audit["server_cache_hits"] == sum(one.cached_tokens for one in records)
    assert point.audit["server_cache_hits"] > 0
