"""Numbers of a real engine, held against the ones that it states of itself.

llama.cpp puts its own timings into the last event of a stream. `prompt_ms` runs from taking the
prompt up to its first sampled token; `predicted_ms` from there to the last token, and
`predicted_per_token_ms` divides that by the gaps between tokens (n - 1), as TPOT does.
"""

import os
import sys
from statistics import median

import pytest

from infx.clock import SystemClock, event_loop
from infx.engines import llamacpp
from infx.flows.bench import Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.flows.quickstart import quickstart_recipe
from infx.launch.local import free_port, running
from infx.model.record import Phase
from infx.model.result import MetricValue
from infx.model.workload import FixedWorkload

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ISL, OSL = 64, 32
REQUESTS = {"chat": 20, "completions": 4}


@pytest.fixture(scope="module")
def runs(weights, tmp_path_factory):
    """One run of each API at concurrency 1, on one server: under 40 s where a core is free."""
    folder = tmp_path_factory.mktemp("engine")
    recipe = quickstart_recipe(weights, lanes=1)
    plan = llamacpp.plan(recipe, port=free_port(), python=sys.executable)
    clock = SystemClock()

    async def measure(api):
        options = BenchOptions(
            url=plan.endpoint.url,
            workload=FixedWorkload(
                isl=ISL, osl=OSL, range_ratio=1.0, api=api, requests=REQUESTS[api], warmups=1
            ),
            concurrency=(1,),
            out=folder,
            recipe=recipe,
            model=plan.endpoint.model,
        )
        return (await run_bench(options, clock=clock, brake=Brake(), watch=Watch())).run

    async def story():
        environment = dict(os.environ)
        async with running(plan, environment=environment, log_dir=folder / "log", clock=clock):
            return {api: await measure(api) for api in REQUESTS}

    loop = event_loop()
    try:
        return loop.run_until_complete(story())
    finally:
        loop.close()


def profiled(run):
    (point,) = run.points
    records = run.bundle.records(point)
    return [record for record in records if record.phase is Phase.PROFILING]


def metric(run, name):
    (point,) = run.result.points
    value = point.metrics[name]
    assert isinstance(value, MetricValue), value
    return value


def test_tpot_is_the_engines_own_time_a_token(runs, capsys):
    """Only this proves TPOT against an engine: the truth server's pace is scripted."""
    records = profiled(runs["chat"])
    assert len(records) == 20
    for record in records:
        timings = record.server
        assert timings["predicted_n"] == record.completion_tokens == OSL
        gaps = timings["predicted_ms"] / (OSL - 1)
        assert timings["predicted_per_token_ms"] == pytest.approx(gaps, rel=1e-6)
    own = median(record.server["predicted_per_token_ms"] for record in records) / 1000
    tpot = metric(runs["chat"], "tpot")
    with capsys.disabled():
        print(f"\nTPOT p50 {tpot.p50 * 1000:.3f} ms, the engine's own {own * 1000:.3f} ms")
    assert tpot.n == 20
    assert tpot.p50 == pytest.approx(own, rel=0.05)


@pytest.mark.parametrize("api", REQUESTS)
def test_ttft_is_never_below_the_engines_prompt_time(runs, capsys, api):
    """Only this proves that a first token is never seen before the engine can have made it."""
    records = profiled(runs[api])
    excess = [
        (record.first_content_ns - record.sent_ns) / 1e6 - record.server["prompt_ms"]
        for record in records
    ]
    with capsys.disabled():
        print(
            f"\nTTFT beyond the engine's prompt time, {api}: "
            f"median {median(excess):.2f} ms, {min(excess):.2f} to {max(excess):.2f} ms"
        )
    assert len(excess) == REQUESTS[api]
    assert min(excess) >= 0


@pytest.mark.parametrize("api", REQUESTS)
def test_prompts_and_answers_have_the_asked_length(runs, api):
    """Only this proves the calibration on a real tokenizer with a real chat template."""
    for record in profiled(runs[api]):
        assert record.asked_input == ISL
        assert abs(record.prompt_tokens - ISL) <= max(4, ISL / 100)
        assert record.completion_tokens == OSL
    assert metric(runs[api], "input_drift").mean == 0
    assert metric(runs[api], "output_shortfall").mean == 0
    assert not {"input-drift", "output-shortfall"} & set(runs[api].result.reasons)
