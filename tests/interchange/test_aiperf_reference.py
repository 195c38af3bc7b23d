"""Real exports of aiperf 0.13: read, and their own figures computed again from their records."""

import csv
import json
import os
from pathlib import Path

import pytest

from infx.flows.imported import Stated
from infx.flows.importing import import_runs
from infx.interchange.aiperf_aggregate import read
from infx.interchange.aiperf_statistics import of_requests, of_run
from infx.model.aiperf import AGGREGATE
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import MetricValue

DATA = os.environ.get("INFX_REFERENCE_DATA")
SAMPLE = Path(DATA or "/nowhere") / "engine-samples" / "aiperf-0.13-weka"
RUNS = ("plain", "agentx-scenario")
TRANSPORT = "http_req_"
ULPS = 1e-15
"""A sum in another order may differ in its last binary digit."""
WALL_NS = 256
"""aiperf takes differences of wall clocks as binary fractions, which are this far apart."""

pytestmark = pytest.mark.skipif(not SAMPLE.is_dir(), reason="needs INFX_REFERENCE_DATA")


@pytest.fixture(scope="module", params=RUNS)
def name(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def run(name, tmp_path_factory):
    return import_runs(
        SAMPLE / name, tmp_path_factory.mktemp("runs"), stated=Stated(gpus=4),
        corpus=SAMPLE / "traces",
    )  # fmt: skip


@pytest.fixture(scope="module")
def records(run) -> list[RequestRecord]:
    (point,) = run.points
    return list(run.bundle.records(point))


@pytest.fixture(scope="module")
def theirs(name):
    return read(SAMPLE / name / AGGREGATE)


def profiled(records: list[RequestRecord]) -> list[RequestRecord]:
    found = [one for one in records if one.phase is Phase.PROFILING]
    return sorted(found, key=lambda one: one.end_ns or 0)


def test_every_statistic_of_requests_is_reproduced(records, theirs) -> None:
    """All of them but those of its HTTP library, whose moments it keeps for itself."""
    ours, seen = of_requests(profiled(records)), 0
    for name, metric in theirs.metrics.items():
        if metric.p1 is None or name.startswith(TRANSPORT):
            continue
        apart = WALL_NS * 1e-6 if name in ("credit_to_start_latency", "effective_latency") else 0
        for statistic, value in metric.model_dump(exclude={"unit"}).items():
            own = getattr(ours[name], statistic)
            many = metric.count if statistic == "sum" else 1
            assert own == pytest.approx(value, rel=ULPS, abs=apart * many), (name, statistic)
            seen += 1
        assert ours[name].unit == metric.unit
    assert seen >= 14 * 17


def test_the_printed_table_is_reproduced_to_its_last_digit(name, records) -> None:
    """Two decimals, of all but differences of wall clocks, where a binary fraction may round up."""
    ours, seen = of_requests(profiled(records)), 0
    titles = {
        "Request Latency (ms)": "request_latency",
        "Time to First Token (ms)": "time_to_first_token",
        "Time to Second Token (ms)": "time_to_second_token",
        "Inter Token Latency (ms)": "inter_token_latency",
        "Inter Chunk Latency (ms)": "inter_chunk_latency",
        "Decode Duration (ms)": "decode_duration",
        "Input Sequence Length (tokens)": "input_sequence_length",
        "Output Sequence Length (tokens)": "output_sequence_length",
        "Output Token Throughput Per User (tokens/sec/user)": "output_token_throughput_per_user",
        "E2E Output Token Throughput (tokens/sec/user)": "e2e_output_token_throughput",
        "Prefill Throughput Per User (tokens/sec/user)": "prefill_throughput_per_user",
        "OSL Mismatch Diff % (%)": "osl_mismatch_diff_pct",
    }
    with (SAMPLE / name / "profile_export_aiperf.csv").open() as file:
        table = list(csv.reader(file))
    for title, *cells in table[1 : table.index([])]:
        if title in titles:
            for statistic, cell in zip(table[0][1:], cells, strict=True):
                assert f"{getattr(ours[titles[title]], statistic):.2f}" == cell, (title, statistic)
                seen += 1
    assert seen == len(titles) * 14


def test_the_figures_of_the_whole_run_are_reproduced(run, records, theirs) -> None:
    """Rates are over the phase, whose bounds aiperf tells to the microsecond."""
    (point,) = run.points
    window = next(one for one in point.phases if one.phase is Phase.PROFILING)
    ours = of_run(profiled(records), window.end_ns - window.start_ns)
    for name, metric in theirs.metrics.items():
        if metric.p50 is not None or name in ("osl_mismatch_count", "theoretical_prefix_cache_hit"):
            continue
        exact = not name.endswith(("_throughput", "_duration"))
        own = ours[name].avg
        assert own == (metric.avg if exact else pytest.approx(metric.avg, rel=1e-7)), name
    assert abs(ours["benchmark_duration"].avg - theirs.metrics["benchmark_duration"].avg) < 256e-9


def test_the_theoretical_prefix_hit_is_reproduced(run, theirs) -> None:
    (summary,) = run.result.points
    hit = summary.metrics["theoretical_prefix_hit"]
    theirs_hit = theirs.metrics["theoretical_prefix_cache_hit"]
    assert isinstance(hit, MetricValue)
    assert hit.mean == theirs_hit.sum / theirs_hit.count
    assert 100 * hit.mean == pytest.approx(theirs_hit.avg, rel=ULPS)


def test_what_was_run_is_told(run, name) -> None:
    (point,), (summary,) = run.points, run.result.points
    scenario = name == "agentx-scenario"
    workload = point.workload
    assert (point.concurrency, point.recipe.gpus, point.recipe.model) == (3, 4, "mock")
    assert workload.duration_s == (40 if scenario else 25)
    assert workload.window == ((0.25, 0.75) if scenario else None)
    assert workload.idle_cap_s == (10 if scenario else None)
    assert workload.tokenizer == "aiperf:PATH"
    imported = point.audit["imported"]
    assert imported["version"] == "0.13.0"
    assert imported.get("submission_invalid_reasons", []) == (["unsafe_override"] * scenario)
    assert run.manifest.command[:2] == ("aiperf", "profile")
    assert summary.counts.ok == summary.counts.issued == (254 if scenario else 164)
    assert summary.warmup_counts.ok == (4 if scenario else 0)
    assert "client-not-audited" in summary.reasons


def test_three_lanes_played_the_traces_in_their_order(records) -> None:
    """A sequential sampler gave trace 0, 1 and 2 to the lanes, and the next to whoever was free."""
    plays = {}
    for one in records:
        if one.turn == 0 or one.play == 0:
            plays.setdefault((one.lane, one.play), one)
    assert {lane for lane, _ in plays} == {0, 1, 2}
    for lane in range(3):
        numbers = [number for of, number in plays if of == lane]
        assert numbers == list(range(len(numbers)))


def test_without_the_corpus_the_records_tell_of_the_traces(name, tmp_path) -> None:
    """Every trace was played as a whole at least once, so its turns and outputs are known."""
    said = []
    run = import_runs(SAMPLE / name, tmp_path, stated=Stated(), talk=said.append)
    (summary,) = run.result.points
    assert said == ["without --corpus neither asked input lengths nor prefix hits are known"]
    assert summary.replay.agentx.tokens.output_expected is not None
    assert "input-total-drift" not in summary.reasons
    assert all(r.state is EndState.OK for r in run.bundle.records(run.points[0]))


def test_what_was_imported_is_kept_as_it_was(run, name) -> None:
    folder = run.bundle.path / "points" / run.points[0].directory / "imported"
    assert (folder / AGGREGATE).read_bytes() == (SAMPLE / name / AGGREGATE).read_bytes()
    assert json.loads((folder / AGGREGATE).read_text())["benchmark_id"]
