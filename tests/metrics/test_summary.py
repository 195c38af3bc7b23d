"""The summary of a point: what `--format json` prints of it."""

import pytest

from handmade import measured, record
from infx.metrics import METRICS
from infx.metrics.summary import compute_metrics, summarise_point
from infx.model.bundle import PointFile
from infx.model.launch import Endpoint
from infx.model.measured import Measured
from infx.model.recipe import BoundRecipe
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent, IncompleteTokens, MetricValue, PointSummary
from infx.model.workload import FixedWorkload

POINT = PointFile(
    point_id="p",
    recipe_digest="r",
    workload_digest="w",
    curve_key={},
    concurrency=4,
    repetition=2,
    recipe=BoundRecipe(name="endpoint"),
    workload=FixedWorkload(isl=100, osl=41),
    endpoint=Endpoint(url="http://127.0.0.1:8000"),
)
ANSWER: dict[str, object] = {
    "first": 0.5,
    "gaps": (0.25,) * 8,
    "prompt_tokens": 59,
    "asked_input": 59,
    "completion_tokens": 41,
    "asked_output": 41,
}
PER_GPU = {
    f"{name}_per_gpu"
    for name in (
        "request_rate",
        "input_throughput",
        "output_throughput",
        "total_throughput",
        "uncached_throughput",
        "goodput",
    )
}


def answer() -> RequestRecord:
    return record(**ANSWER)


def test_whole_summary() -> None:
    records = (
        answer(),
        record(sent=0.0, end=2.5, state=EndState.ERROR, reason="reset"),
        record(sent=0.0, first=0.1, phase=Phase.WARMUP),
    )
    found = summarise_point(POINT, Measured(records=records))
    assert (found.point_id, found.concurrency, found.repetition) == ("p", 4, 2)
    assert found.achieved_concurrency == 2.0
    assert not found.certified
    assert found.reasons == ("error-rate",)
    assert (found.counts.issued, found.counts.ok, found.counts.error) == (2, 1, 1)
    assert found.warmup_counts.issued == 1
    assert found.error_reasons == {"reset": 1}
    assert list(found.metrics) == list(METRICS)
    too_few = Absent(
        reason="1 requests give 1 blocks of 1; 10 are needed, from requests or repetitions"
    )
    assert found.metrics["total_throughput"] == MetricValue(
        unit="tok/s", n=1, mean=100 / 2.5, intervals={"mean": too_few}
    )
    assert found.incomplete_tokens == IncompleteTokens(requests=1, counted=0, tokens=0, chunks=0)
    assert found.steady == Absent(
        reason="1 ok requests lie wholly inside the window; 10 are needed"
    )
    assert found.metrics["goodput"] == Absent(reason="no latency target is set")


def test_it_survives_a_file() -> None:
    found = summarise_point(POINT, measured(answer(), gpus=8))
    assert PointSummary.model_validate_json(found.model_dump_json()) == found


def test_certified_only_without_a_reason() -> None:
    assert summarise_point(POINT, measured(answer())).certified
    assert summarise_point(POINT, measured(answer()), audit=("x",)).reasons == ("x",)
    unwatched = summarise_point(POINT, measured(record(**ANSWER, late_ns=None)))
    assert unwatched.reasons == ("client-not-audited",)
    assert summarise_point(POINT, measured()).reasons == ("client-not-audited", "nothing-ok")


def test_outputs_may_end_early_where_the_workload_lets_them() -> None:
    short = measured(record(**(ANSWER | {"completion_tokens": 9})))
    free = POINT.model_copy(update={"workload": FixedWorkload(isl=100, osl=41, ignore_eos=False)})
    assert summarise_point(POINT, short).reasons == ("output-shortfall",)
    assert summarise_point(free, short).certified


def test_per_gpu_only_where_the_count_is_known() -> None:
    assert set(compute_metrics(measured(answer()))) == set(METRICS)
    found = compute_metrics(measured(answer(), gpus=8))
    assert set(found) == set(METRICS) | PER_GPU
    assert found["total_throughput_per_gpu"] == MetricValue(
        unit="tok/s/gpu", n=1, mean=100 / 2.5 / 8
    )
    assert found["goodput_per_gpu"] == found["goodput"]


def test_no_gpu_serves_nothing() -> None:
    with pytest.raises(ValueError, match="0 GPUs"):
        compute_metrics(measured(answer(), gpus=0))
