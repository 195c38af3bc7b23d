"""A run with the shape of a real one: latencies rise with concurrency, a few requests fail."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from infx.flows.curves import series_of
from infx.metrics.per_request import latencies
from infx.metrics.summary import summarise_point
from infx.model import identity
from infx.model.bundle import ClockAnchor, Manifest, PhaseWindow, PointFile
from infx.model.launch import Endpoint, LaunchPlan, ProcessPlan
from infx.model.measured import Measured
from infx.model.recipe import BoundRecipe
from infx.model.record import EndState, Phase, RequestRecord, Slo
from infx.model.result import RunResult
from infx.model.workload import FixedWorkload
from infx.report.content import Report, ReportedPoint

DOMINATED = 4
"""The concurrency at which the demo server is slow, so that its point is off the frontier."""

MODEL = "HuggingFaceTB/SmolLM2-135M-Instruct"


def request(number: int, lane: int, sent: int, chance: Random, load: int) -> RequestRecord:
    """Return one successful request of a server that slows down under `load` lanes."""
    if load == DOMINATED:
        load = 12
    ttft = round(25e6 * (1 + 0.3 * load) * chance.lognormvariate(0, 0.3))
    tokens = chance.randint(48, 64)
    gaps = tuple(
        round(7e6 * (1 + 0.11 * load) * chance.lognormvariate(0, 0.12)) for _ in range(tokens - 1)
    )
    first = sent + ttft
    prompt = chance.randint(102, 128)
    return RequestRecord(
        request=number,
        session=number,
        turn=0,
        lane=lane,
        phase=Phase.PROFILING,
        state=EndState.OK,
        due_ns=sent,
        sent_ns=sent,
        end_ns=first + sum(gaps) + 400_000,
        asked_input=prompt,
        asked_output=tokens,
        status=200,
        first_byte_ns=first,
        first_content_ns=first,
        first_output_ns=first,
        gaps_ns=gaps,
        finish="length",
        prompt_tokens=prompt,
        completion_tokens=tokens,
        late_ns=20_000,
    )


def requests(lanes: int, per_lane: int, *, troubled: bool) -> tuple[RequestRecord, ...]:
    """Return the requests of a closed loop of `lanes`; a troubled one has unhappy ends too."""
    chance = Random(lanes)
    free = [1_000_000_000 + lane * 1_000_000 for lane in range(lanes)]
    made = []
    for number in range(lanes * per_lane):
        lane = min(range(lanes), key=free.__getitem__)
        record = request(number, lane, free[lane], chance, lanes)
        if troubled and number % 23 == 7:
            record = replace(
                record, state=EndState.ERROR, reason="connection-reset", completion_tokens=None
            )
        made.append(record)
        free[lane] = (record.end_ns or 0) + 500_000
    if troubled:
        made[-1] = replace(
            made[-1], state=EndState.LOST, end_ns=None, first_content_ns=None, gaps_ns=()
        )
    return tuple(made)


def point_of(lanes: int, per_lane: int, model: str, *, troubled: bool) -> ReportedPoint:
    """Return one point with its file, its requests and its summary."""
    recipe = BoundRecipe(
        name="llamacpp-smollm2",
        engine="llama.cpp",
        model=model,
        precision="q8_0",
        hardware="cpu",
        flags={"ctx-size": 16384, "parallel": 8, "cont-batching": True},
        environment={"OMP_NUM_THREADS": "2"},
    )
    workload = FixedWorkload(seed=7, isl=128, osl=64)
    digests = identity.recipe_digest(recipe), identity.workload_digest(workload)
    key = identity.point_id(recipe=digests[0], workload=digests[1], concurrency=lanes)
    records = requests(lanes, per_lane, troubled=troubled)
    ends = [r.end_ns for r in records if r.end_ns]
    window = PhaseWindow(phase=Phase.PROFILING, start_ns=1_000_000_000, end_ns=max(ends, default=0))
    endpoint = Endpoint(url="http://127.0.0.1:18080", model=model)
    argv = ("python", "-m", "infx.servers.llamacpp", "--port", "18080", "--parallel", "8")
    file = PointFile(
        point_id=key,
        recipe_digest=digests[0],
        workload_digest=digests[1],
        curve_key=identity.curve_key(recipe, workload),
        concurrency=lanes,
        recipe=recipe,
        workload=workload,
        endpoint=endpoint,
        launch=LaunchPlan(
            engine="llamacpp", processes=(ProcessPlan(name="server", argv=argv),), endpoint=endpoint
        ),
        plan_digest=identity.digest({"plan": lanes}),
        calibration={"tokens_per_word": 1.31, "lengths": [64, 128, 256]},
        phases=(window,),
    )
    measured = Measured(records=records, slo=Slo(ttft=0.2))
    summary = summarise_point(file, measured, audit=())
    return ReportedPoint(file, summary, records, latencies(measured))


def build(
    lanes: tuple[int, ...] = (1, 2, 4, 8),
    *,
    model: str = MODEL,
    per_lane: int = 10,
    troubled: int | None = None,
    simulated: bool = False,
) -> Report:
    """Return the report of a run over `lanes`; at the `troubled` concurrency requests fail."""
    points = tuple(point_of(n, per_lane, model, troubled=n == troubled) for n in lanes)
    summaries = tuple(point.summary for point in points)
    certified = all(summary.certified for summary in summaries)
    manifest = Manifest(
        run="20260914-101112-calm-otter",
        command=("infx", "bench", "http://127.0.0.1:18080", "--concurrency", "1,2,4,8"),
        state="finished",
        started="2026-09-14T10:11:12+00:00",
        ended="2026-09-14T10:12:40+00:00",
        simulated=simulated,
        anchor=ClockAnchor(monotonic_ns=1, wall_ns=1_800_000_000_000_000_000),
        versions={"infx": "0.1.0", "python": "3.11.9", "xllamacpp": "2026.10.1"},
        host={
            "cpu_model": "AMD EPYC 7B13",
            "usable_cores": 2,
            "kernel": "6.1.0",
            "cpu_governor": None,
        },
    )
    result = RunResult(
        run=manifest.run,
        bundle=f"runs/{manifest.run}",
        certified=certified,
        reasons=tuple(dict.fromkeys(word for summary in summaries for word in summary.reasons)),
        simulated=simulated,
        points=summaries,
    )
    return Report(manifest, result, points, series_of(result))


@pytest.fixture(scope="session")
def demo() -> Callable[..., Report]:
    """Build a demo report; see `build`."""
    return build
