"""Results of serving clients: read strictly, and their requests told again."""

import json
import os
from pathlib import Path

import pytest

from infx.flows.imported import Stated
from infx.flows.importing_serving import Asked, import_results
from infx.interchange.serving_result import read, requests
from infx.model.record import EndState
from infx.model.result import Absent, MetricValue
from refusals import refusal

DATA = os.environ.get("INFX_REFERENCE_DATA")
SAMPLE = Path(DATA or "/nowhere") / "engine-samples" / "vllm-0.26.0-h200"
RESULT = SAMPLE / "vllm-bench-serve-c64.json"
MS = 1_000_000


def result(**facts: object) -> dict:
    """Two requests on one connection, the second of which failed."""
    told = {
        "model_id": "m", "num_prompts": 2, "completed": 1, "duration": 2.0,
        "total_input_tokens": 30, "total_output_tokens": 3, "request_throughput": 0.5,
        "output_throughput": 1.5, "total_token_throughput": 16.5, "max_concurrency": 1,
        "input_lens": [30, 30], "output_lens": [3, 0], "ttfts": [0.1, 0.0],
        "itls": [[0.02, 0.03], []], "start_times": [5.0, 6.0], "errors": ["", "reset"],
        "mean_ttft_ms": 100.0, "median_ttft_ms": 100.0, "p99.9_ttft_ms": 100.0,
    }  # fmt: skip
    return told | facts


def written(folder: Path, **facts: object) -> Path:
    path = folder / "r.json"
    path.write_text(json.dumps({k: v for k, v in result(**facts).items() if v is not None}))
    return path


def test_a_request_is_told_by_its_chunks(tmp_path: Path) -> None:
    """Sent at 5 s: the first chunk after 100 ms, and two after 20 and 30 ms more."""
    first, second = requests(read(written(tmp_path)), 1)
    assert first.sent_ns == 5_000 * MS
    assert first.first_content_ns == 5_100 * MS
    assert first.gaps_ns == (20 * MS, 30 * MS)
    assert first.end_ns == 5_150 * MS
    assert (first.prompt_tokens, first.completion_tokens) == (30, 3)
    assert second.state is EndState.ERROR
    assert (second.detail, second.end_ns, second.prompt_tokens) == ("reset", None, None)
    assert {one.lane for one in (first, second)} == {0}


def test_requests_stand_in_the_order_of_their_sends_on_lanes_that_are_free(tmp_path: Path) -> None:
    """Sends at 6, 5 and 5.1 s take 150 ms each: two overlap, and the third finds lane 0 free."""
    whole = {
        "num_prompts": 3, "completed": 3, "max_concurrency": 2, "input_lens": [1, 2, 3],
        "output_lens": [3] * 3, "ttfts": [0.1] * 3, "itls": [[0.02, 0.03]] * 3,
        "start_times": [6.0, 5.0, 5.1], "errors": [""] * 3,
    }  # fmt: skip
    found = requests(read(written(tmp_path, **whole)), 2)
    assert [(one.prompt_tokens, one.lane) for one in found] == [(2, 0), (3, 1), (1, 0)]


def test_statistics_have_our_names_and_seconds(tmp_path: Path) -> None:
    found = read(written(tmp_path))
    assert found.times_s("ttft") == {"mean": 0.1, "p50": 0.1}
    assert found.times_s("tpot") == {}


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, completed=3, errors=[""])
    said = refusal(lambda: read(path))
    assert "more requests were completed than asked" in said
    said = refusal(lambda: read(written(tmp_path, errors=[""])))
    assert "errors has 1 entries for 2 requests" in said
    path.write_text('{"model_id": 3}')
    lines = refusal(lambda: read(path)).splitlines()
    assert lines[0].startswith(f"{path}: model_id: Input should be a valid string; give the result")
    assert len(lines) == 9


@pytest.mark.skipif(not RESULT.is_file(), reason="needs INFX_REFERENCE_DATA")
def test_the_figures_of_a_real_result_are_computed_again(tmp_path: Path) -> None:
    """Of 192 requests at 64 at once: every printed TTFT and chunk gap to the nanosecond.

    The client reads its clock a second time for the end of an answer, so its TPOT is some
    nanoseconds off that of the chunks. Throughput is over the time from the first send to the last
    content; the client counts from before its first send, and so has 0.05 % less.
    """
    from infx.clock import SystemClock

    asked = Asked((512, 128), 1.0)
    run = import_results(RESULT, tmp_path, stated=Stated(gpus=1), asked=asked, clock=SystemClock())
    (summary,) = run.result.points
    theirs = read(RESULT)
    seen = 0
    for ours, name in (("ttft", "ttft"), ("tpot", "tpot"), ("chunk_gap", "itl")):
        metric = summary.metrics[ours]
        assert isinstance(metric, MetricValue)
        for statistic, value in theirs.times_s(name).items():
            near = pytest.approx(value, abs=2e-9, rel=1e-6 if ours == "tpot" else 0)
            assert getattr(metric, statistic) == near, (ours, statistic)
            seen += 1
    assert seen == 12
    total = summary.metrics["total_throughput"]
    assert isinstance(total, MetricValue)
    assert total.mean == pytest.approx(theirs.total_token_throughput, rel=1e-3)
    assert summary.counts.ok == summary.counts.issued == 192
    assert summary.reasons == ("client-not-audited",)
    assert isinstance(summary.metrics["output_shortfall"], Absent)
    assert {one.lane for one in run.records(summary.point_id)} == set(range(64))
