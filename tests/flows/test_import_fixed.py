"""Old runs of fixed lengths: what their artifacts say, and no figure more."""

import json
from pathlib import Path

import pytest

from infx.clock import SystemClock
from infx.flows.compare import compare_runs
from infx.flows.imported import Stated
from infx.flows.importing_rows import import_rows
from infx.flows.importing_serving import Asked, import_results
from infx.flows.report import write_report
from infx.flows.runs import Run, verify_run
from infx.model.result import Absent, Counts, MetricValue
from refusals import refusal

SINGLE = {
    "hw": "b200", "model": "m", "infmax_model_prefix": "dsr1", "framework": "trt",
    "precision": "fp4", "spec_decoding": "mtp", "image": "i:1", "disagg": False,
    "is_multinode": False, "isl": 8192, "osl": 1024, "conc": 64, "tp": 4, "pp": 2, "pcp_size": 1,
    "ep": 4, "dp_attention": "true", "tput_per_gpu": 1000.0, "output_tput_per_gpu": 100.0,
    "mean_ttft": 0.8, "median_ttft": 0.75, "p99_ttft": 1.5, "std_ttft": 0.25, "p99.9_ttft": 2.0,
    "mean_tpot": 0.0125, "median_tpot": 0.0125, "mean_intvty": 80.0, "median_intvty": 80.0,
    "p90_intvty": 50.0, "std_intvty": 9.0, "mean_itl": 0.02, "mean_e2el": 13.0,
    "median_e2el": 12.5, "recipe_fingerprint": "",
}  # fmt: skip
MULTI = {
    **{key: one for key, one in SINGLE.items() if key not in ("tp", "pp", "pcp_size", "ep")},
    "hw": "gb200", "is_multinode": True, "disagg": True, "prefill_num_workers": 2,
    "prefill_tp": 4, "decode_num_workers": 1, "decode_tp": 8, "num_prefill_gpu": 8,
    "num_decode_gpu": 24, "output_tput_per_gpu": 400.0, "input_tput_per_gpu": 3000.0,
}  # fmt: skip


def rows(folder: Path, *found: dict, name: str = "agg_bmk.json") -> Run:
    path = folder / name
    path.write_text(json.dumps(found))
    return import_rows(path, folder / "runs", clock=SystemClock())


def metric(run: Run, name: str, place: int = 0) -> MetricValue:
    found = run.result.points[place].metrics[name]
    assert isinstance(found, MetricValue)
    return found


def test_a_row_is_taken_over_in_our_names_and_units(tmp_path: Path) -> None:
    """Four by two accelerators: 1000 tok/s of each are 8000, and 100 of output are 800."""
    run = rows(tmp_path, SINGLE)
    (summary,) = run.result.points
    ttft = metric(run, "ttft")
    assert (ttft.unit, ttft.n, ttft.mean, ttft.p50, ttft.p99, ttft.std) == (
        "s", None, 0.8, 0.75, 1.5, 0.25,
    )  # fmt: skip
    assert (ttft.p90, ttft.p95) == (None, None)
    assert metric(run, "chunk_gap").mean == 0.02
    speed = metric(run, "interactivity")
    assert (speed.p50, speed.p90, speed.std) == (80.0, 50.0, None)
    assert metric(run, "total_throughput").mean == 8000
    assert metric(run, "total_throughput_per_gpu").mean == 1000
    assert metric(run, "output_throughput").mean == 800
    assert run.points[0].recipe.gpus == 8
    assert summary.traits["topology"] == "tp4 pp2 ep4"
    assert (summary.certified, summary.reasons) == (
        False, ("client-not-audited", "requests-not-kept"),
    )  # fmt: skip


def test_what_a_row_lacks_is_absent_with_a_reason(tmp_path: Path) -> None:
    run = rows(tmp_path, {**SINGLE, "mean_e2el": "nan", "tput_per_gpu": 0})
    (summary,) = run.result.points
    reasons = {name: one.reason for name, one in summary.metrics.items() if isinstance(one, Absent)}
    assert reasons["e2el"] == "the row has no mean_e2el"
    assert reasons["total_throughput"] == "the row has no tput_per_gpu"
    assert reasons["input_throughput"] == "the row has no input_tput_per_gpu"
    assert (
        reasons["goodput"]
        == reasons["itl"]
        == ("what was imported keeps no single requests and does not say it")
    )
    assert isinstance(summary.counts, Absent)
    assert summary.counts == summary.warmup_counts
    assert run.bundle.records(run.points[0]) == ()
    assert run.manifest.started == "date not stated"


def test_roles_share_out_their_own_tokens(tmp_path: Path) -> None:
    """400 tok/s of 24 decode and 3000 of 8 prefill accelerators; 1000 of all 32."""
    run = rows(tmp_path, MULTI)
    assert metric(run, "output_throughput").mean == 9600
    assert metric(run, "output_throughput_per_gpu").mean == 300
    assert metric(run, "input_throughput").mean == 24_000
    assert metric(run, "total_throughput").mean == 32_000
    assert run.result.points[0].traits["topology"] == "prefill 2 x tp4, decode 1 x tp8"


def test_a_single_node_shares_out_among_all_though_it_tells_roles(tmp_path: Path) -> None:
    """4 by 2 accelerators: 100 tok/s of output for each of them, not of the 3 that decode."""
    run = rows(tmp_path, {**SINGLE, "num_prefill_gpu": 5, "num_decode_gpu": 3, "std_ttft": 0})
    assert run.points[0].recipe.gpus == 8
    assert metric(run, "output_throughput").mean == 800
    assert metric(run, "ttft").std == 0


def test_accelerators_that_nobody_counts_have_no_sum(tmp_path: Path) -> None:
    unknown = {key: one for key, one in MULTI.items() if key != "num_decode_gpu"}
    run = rows(tmp_path, unknown)
    total = run.result.points[0].metrics["total_throughput"]
    assert total == Absent(reason="the row has no number of accelerators")
    assert metric(run, "total_throughput_per_gpu").mean == 1000
    assert run.points[0].recipe.gpus is None


def test_such_a_bundle_is_whole_and_reported(tmp_path: Path) -> None:
    run = rows(tmp_path, SINGLE, MULTI, SINGLE)
    assert [point.repetition for point in run.points] == [0, 0, 1]
    assert verify_run(run.bundle.path) == ()
    page = write_report(run, tmp_path / "r.html").read_text()
    assert "not counted by what was imported" in page
    assert '"timelines":[]' in page
    kept = run.bundle.path / "points" / run.points[0].directory / "imported" / "row.json"
    assert json.loads(kept.read_text())["p99.9_ttft"] == 2.0


def test_two_sweeps_are_compared_server_by_server(tmp_path: Path) -> None:
    """Images may differ; hardware may not. Without single requests no difference is named."""
    old = rows(tmp_path, SINGLE, MULTI, name="old.json")
    new = rows(
        tmp_path, {**SINGLE, "image": "i:2", "tput_per_gpu": 1100.0}, {**SINGLE, "hw": "h200"},
        name="new.json",
    )  # fmt: skip
    found = compare_runs(old, new, assume_same_server=True)
    same, gone, come = found.points
    ratios = {(one.metric, one.statistic): one.ratio for one in same.metrics}
    assert ratios["total_throughput", "mean"] == pytest.approx(1.1)
    assert {one.word for one in same.metrics} == {"not comparable"}
    assert "single requests were not kept" in (same.metrics[0].reason or "")
    assert "the recipes differ in image" in same.notes
    assert gone.reason == "B has no such server at this point"
    assert come.reason == "A has no such server at this point"


def test_rows_of_sessions_are_passed_over_and_a_bad_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agg_bmk.json"
    path.write_text("[]")
    said = refusal(lambda: import_rows(path, tmp_path, clock=SystemClock()))
    assert said == f"{path}: it has no row of fixed sequences; import replays with --format aiperf"
    path.write_text(json.dumps([{**SINGLE, "conc": "x"}, {"hw": 1}]))
    lines = refusal(lambda: import_rows(path, tmp_path, clock=SystemClock())).splitlines()
    assert len(lines) > 4
    assert all(line.startswith(f"{path}:1: ") for line in lines)


def totals(folder: Path, concurrency: int = 4, **facts: object) -> Path:
    told = {
        "model_id": "m", "num_prompts": 10 * concurrency, "completed": 10 * concurrency - 1,
        "duration": 2.0, "total_input_tokens": 30, "total_output_tokens": 3,
        "request_throughput": 0.5, "output_throughput": 1.5, "total_token_throughput": 16.0,
        "max_concurrency": concurrency, "mean_ttft_ms": 100.0, "median_ttft_ms": 90.0,
        "mean_tpot_ms": 9.0, "benchmark_start_time_unix": 1_800_000_000.0,
    }  # fmt: skip
    path = folder / f"c{concurrency}.json"
    path.write_text(json.dumps(told | facts))
    return path


def results(path: Path, out: Path, **asked: object) -> Run:
    stated = Stated(gpus=4)
    return import_results(path, out, stated=stated, asked=Asked(**asked), clock=SystemClock())


def test_a_result_without_details_has_its_counts_and_figures(tmp_path: Path) -> None:
    (folder := tmp_path / "results").mkdir()
    for concurrency in (4, 8):
        totals(folder, concurrency)
    run = results(folder, tmp_path / "runs", shape=(8192, 1024))
    first, _ = run.result.points
    assert first.counts == Counts(
        issued=40, ok=39, error=1, overflow=0, cancelled_at_end=0, cancelled_by_plan=0, lost=0
    )
    assert (metric(run, "ttft").n, metric(run, "ttft").p50) == (39, 0.09)
    assert metric(run, "tpot").n is None  # how many had two tokens is not told
    assert metric(run, "total_throughput_per_gpu").mean == 4
    assert metric(run, "input_throughput").mean == 15  # 30 tokens in 2 s
    assert run.manifest.started == "2027-01-15T08:00:00.000+00:00"
    assert run.manifest.run.startswith("20270115T080000Z-")
    assert {point.workload_digest for point in run.points} == {run.points[0].workload_digest}
    assert verify_run(run.bundle.path) == ()


def test_rows_and_results_of_one_client_ask_the_same(tmp_path: Path) -> None:
    run = results(totals(tmp_path, 64), tmp_path / "runs", shape=(8192, 1024))
    assert run.points[0].workload_digest == rows(tmp_path, SINGLE).points[0].workload_digest


def test_lengths_that_nobody_states_are_asked_for(tmp_path: Path) -> None:
    (folder := tmp_path / "results").mkdir()
    paths = [totals(folder, 4), totals(folder, 8, request_rate=3.0, burstiness=0.0)]
    said = refusal(lambda: results(folder, tmp_path / "runs"))
    assert said.splitlines() == [
        f"{path}: it does not say which lengths were asked; state them with --shape, such as 8k1k"
        for path in paths
    ]
    assert "greater than 0" in refusal(lambda: results(paths[1], tmp_path, shape=(64, 8)))
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no .json file in it" in refusal(lambda: results(empty, tmp_path))


def test_a_rate_makes_an_open_loop(tmp_path: Path) -> None:
    path = totals(tmp_path, 4, request_rate=3.0, burstiness=0.5)
    run = results(path, tmp_path / "runs", shape=(64, 8))
    assert run.points[0].rate == 3.0
    assert run.result.points[0].traits["arrivals"] == "gamma 0.5 arrivals"
