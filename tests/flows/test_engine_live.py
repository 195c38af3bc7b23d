"""A conversation without recorded answers on a real engine: it finds what it said in its cache."""

import os
import sys
from pathlib import Path

import pytest

from infx.clock import SystemClock, event_loop
from infx.engines import llamacpp
from infx.flows.bench import Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.flows.quickstart import quickstart_recipe
from infx.flows.replaying import stated
from infx.launch.local import free_port, running
from infx.model.agentic import AgenticWorkload
from recorded import corpus

pytestmark = [pytest.mark.engine, pytest.mark.slow]

QUESTIONS = ("Tell me about the sea.", "And what of its tides?", "Thank you.")
TAIL = 8
"""Tokens at the end of an answer that its cache may not have, and at the seams of messages."""


def test_a_later_prompt_hits_the_answer_that_the_engine_generated(
    weights: Path, tmp_path: Path
) -> None:
    """Only an engine that keeps what it generated can show that the very answer came back."""
    turns = [{"messages": [{"role": "user", "content": q}], "max_tokens": 24} for q in QUESTIONS]
    path = corpus(tmp_path, {"session_id": "talk", "turns": turns})
    recipe = quickstart_recipe(weights, lanes=1)
    plan = llamacpp.plan(recipe, port=free_port(), python=sys.executable)
    clock = SystemClock()
    workload = AgenticWorkload.under(
        "custom", corpus=f"sha256:{'0' * 64}", window=None, duration_s=None, warmups_per_lane=0,
        temperature=0.0,
    )  # fmt: skip
    options = BenchOptions(
        url=plan.endpoint.url,
        workload=stated(workload, path),
        corpus=path,
        concurrency=(1,),
        out=tmp_path / "runs",
        recipe=recipe,
        model=plan.endpoint.model,
    )

    async def story():
        log = tmp_path / "log"
        async with running(plan, environment=dict(os.environ), log_dir=log, clock=clock):
            return (await run_bench(options, clock=clock, brake=Brake(), watch=Watch())).run

    loop = event_loop()
    try:
        run = loop.run_until_complete(story())
    finally:
        loop.close()
    (point,) = run.points
    first, second, third = sorted(run.bundle.records(point), key=lambda one: one.turn)
    for before, after in ((first, second), (second, third)):
        assert after.cached_tokens > before.prompt_tokens + before.completion_tokens - TAIL
        assert after.prompt_tokens > before.prompt_tokens + before.completion_tokens
    assert point.audit["live_answers"]["joined"] == 3
