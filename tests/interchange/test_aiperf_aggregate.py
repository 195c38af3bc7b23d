"""aiperf's aggregate: figures by hand, and what it says of the point as a submission."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from handmade import record
from infx.interchange import aiperf_aggregate
from infx.model.record import EndState, Phase
from outgoing import WORKLOAD, outgoing, replayed
from refusals import refusal


def told(tmp_path: Path, *records, **more) -> dict:
    return json.loads(aiperf_aggregate.write(outgoing(*records, **more), tmp_path).read_text())


def requests():
    """Latencies of 1, 2, 3 and 4 s, 30 tokens in and 10 out; one failed, one did not fit."""
    ok = [
        record(
            request=n,
            first=0.5,
            gaps=(n + 0.5,),
            prompt_tokens=30,
            completion_tokens=10,
            turn=n % 2,
        )
        for n in range(4)
    ]
    failed = record(request=4, end=1.0, state=EndState.ERROR, status=503, reason="http-503")
    overflow = record(request=5, end=1.0, state=EndState.OVERFLOW, reason="overflow")
    warmup = record(request=6, first=9.0, phase=Phase.WARMUP)
    return (*ok, failed, overflow, warmup)


def test_statistics_are_those_of_the_field(tmp_path: Path) -> None:
    """Of 1, 2, 3, 4: p75 is 3.25, p90 3.7 and the population's deviation the root of 1.25."""
    found = told(tmp_path, *requests())["request_latency"]
    assert found == {
        "unit": "ms", "avg": 2500, "min": 1000, "max": 4000, "count": 4, "sum": 10_000,
        "std": pytest.approx(1000 * 1.25**0.5), "p1": pytest.approx(1030),
        "p5": pytest.approx(1150), "p10": pytest.approx(1300), "p25": pytest.approx(1750),
        "p50": 2500, "p75": pytest.approx(3250), "p90": pytest.approx(3700),
        "p95": pytest.approx(3850), "p99": pytest.approx(3970),
    }  # fmt: skip


def test_figures_of_the_whole_run(tmp_path: Path) -> None:
    """Four ok requests in a phase of 10 s, the last content after 4 s; one of five failed.

    Each turn has 2 blocks, of which 1 would be known.
    """
    found = told(tmp_path, *requests())
    figures = {
        "request_count": 4, "completed_request_count": 5, "error_request_count": 1,
        "context_overflow_count": 1, "request_error_rate": 20, "total_isl": 120, "total_osl": 40,
        "benchmark_duration": 4, "request_throughput": 0.4, "input_token_throughput": 12,
        "output_token_throughput": 4, "total_token_throughput": 16,
        "theoretical_prefix_cache_hit": 50,
    }  # fmt: skip
    assert {name: found[name]["avg"] for name in figures} == pytest.approx(figures)
    assert (found["theoretical_prefix_cache_hit"]["count"]) == 8
    assert found["warmup_metrics"]["time_to_first_token"]["avg"] == 9000
    assert [(one["error_details"]["type"], one["count"]) for one in found["error_summary"]] == [
        ("http-503", 1), ("overflow", 1),
    ]  # fmt: skip


def test_a_sum_with_a_hole_is_left_out(tmp_path: Path) -> None:
    whole = record(request=0, first=1.0, prompt_tokens=30, completion_tokens=10)
    hole = record(request=1, first=1.0, prompt_tokens=30)
    found = told(tmp_path, whole, hole)
    assert found["total_isl"]["avg"] == 60
    assert not found.keys() & {"total_osl", "output_token_throughput", "total_token_throughput"}


def test_a_run_under_other_settings_is_no_submission(tmp_path: Path) -> None:
    """The last observation is at 4 s of 10, and nothing says how late the client read."""
    quiet = [replace(one, late_ns=None) for one in requests()[:4]]
    metadata = told(tmp_path, *quiet)["metadata"]
    assert metadata["scenario"] == "agentx"
    assert metadata["submission_valid"] is False
    assert metadata["submission_invalid_reasons"][:2] == ["unsafe_override", "client-not-audited"]
    assert "insufficient_profile_metric_coverage" in metadata["submission_invalid_reasons"]
    assert metadata["dataset"] == {"corpus": WORKLOAD.corpus}
    (coverage,) = metadata["metric_duration_coverage"]
    assert coverage == {
        "phase_name": "profiling", "expected_duration_seconds": 10, "required_ratio": 0.95,
        "ttft_ratio": 0.05, "inter_token_latency_ratio": 0.4,
    }  # fmt: skip


def test_a_certified_run_under_the_rule_is_a_submission(tmp_path: Path) -> None:
    from infx.model.agentic import AgenticWorkload

    full = AgenticWorkload.under("full", corpus=WORKLOAD.corpus)
    going = outgoing(*requests()[:4], point=replayed(full))
    sure = going.summary.model_copy(update={"certified": True, "reasons": ()})
    path = aiperf_aggregate.write(replace(going, summary=sure), tmp_path)
    assert json.loads(path.read_text())["metadata"]["submission_valid"] is True


def test_what_is_no_aggregate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "profile_export_aiperf.json"
    assert "cannot be read" in refusal(lambda: aiperf_aggregate.read(path))
    path.write_text('{"was_cancelled": 3, "metadata": {"scenario": 4}}')
    assert refusal(lambda: aiperf_aggregate.read(path)).splitlines() == [
        f"{path}: was_cancelled is not aiperf's: Input should be a valid boolean",
        f"{path}: metadata.scenario is not aiperf's: Input should be a valid string",
    ]
