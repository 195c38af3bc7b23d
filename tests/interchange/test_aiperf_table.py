"""aiperf's tables of a run: what is printed of figures made by hand, and read again."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from handmade import record
from infx.flows.imported import Stated
from infx.flows.importing import import_runs
from infx.interchange import aiperf_aggregate, aiperf_names, aiperf_table
from infx.interchange.aiperf_figures import figures
from infx.model.record import EndState
from outgoing import outgoing
from refusals import refusal

DATA = os.environ.get("INFX_REFERENCE_DATA")
SAMPLE = Path(DATA or "/nowhere") / "engine-samples" / "aiperf-0.13-weka"
UNKNOWN_TO_US = ("HTTP ", "Effective ", "Active ", "Tokens In Flight", "OSL Mismatch Count")
"""aiperf's own transport, its sweep over concurrency, and a count that it keeps beside."""


def requests():
    """Latencies of 1, 2, 3 and 4 s with 10 tokens each, and one that failed."""
    ok = [
        record(request=n, first=0.5, gaps=(n + 0.5,), prompt_tokens=30, completion_tokens=10)
        for n in range(4)
    ]
    return (*ok, record(request=4, end=1.0, state=EndState.ERROR, status=503, reason="http-503"))


def test_statistics_are_printed_to_two_decimals_in_the_order_of_tags(tmp_path: Path) -> None:
    """Of 1, 2, 3, 4: p75 is 3.25, p90 3.7 and the population's deviation the root of 1.25."""
    text = aiperf_table.write(outgoing(*requests()), tmp_path).read_bytes().decode()
    spreads, singles = text.split("\r\n\r\n")
    lines = spreads.split("\r\n")
    assert lines[0] == "Metric,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,std"
    assert (
        "Request Latency (ms),2500.00,1000.00,4000.00,10000.00,1030.00,1150.00,1300.00,1750.00,"
        "2500.00,3250.00,3700.00,3850.00,3970.00,1118.03"
    ) in lines
    assert [line.partition(",")[0] for line in lines[1:4]] == [
        "Credit-to-Start Latency (ms)", "Decode Duration (ms)",
        "E2E Output Token Throughput (tokens/sec/user)",
    ]  # fmt: skip
    assert singles.split("\r\n")[:3] == [
        "Metric,Value", "Benchmark Duration (sec),4.00",
        "Completed Requests (Success + Error),5.00",
    ]  # fmt: skip
    assert "Request Error Rate (%),20.00" in singles
    assert text.endswith("\r\n")


def test_what_was_written_is_read(tmp_path: Path) -> None:
    going = outgoing(*requests())
    found = aiperf_table.read(aiperf_table.write(going, tmp_path))
    told = aiperf_aggregate.metrics(going)
    assert len(found) == len(told)
    assert found["Request Latency (ms)"]["std"] == 1118.03
    assert found["Request Count"] == {"avg": 4.0}


def test_a_run_without_an_ok_request_has_its_counts_alone(tmp_path: Path) -> None:
    path = aiperf_table.write(outgoing(requests()[-1]), tmp_path)
    assert path.read_text().startswith("Metric,Value\n")
    assert aiperf_table.read(path)["Request Error Rate (%)"] == {"avg": 100.0}


def test_every_metric_that_is_written_has_a_name(tmp_path: Path) -> None:
    full = record(
        request=0, first=0.5, gaps=(1.0, 1.0), output_at=0.5, prompt_tokens=30, asked_output=12,
        completion_tokens=10, reasoning_tokens=3, cached_tokens=4,
    )  # fmt: skip
    tags = {*figures(full), *aiperf_aggregate.metrics(outgoing(full))}
    assert tags <= aiperf_names.NAMES.keys()
    short = replace(full, state=EndState.OVERFLOW)
    assert aiperf_aggregate.metrics(outgoing(full, short)).keys() <= aiperf_names.NAMES.keys()


def test_each_line_that_is_not_aiperfs_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    assert "cannot be read" in refusal(lambda: aiperf_table.read(path))
    path.write_text("Metric,Value\nA,1.00\nA,2.00\nB,x\nC\n\nD,1.00\n")
    assert refusal(lambda: aiperf_table.read(path)).splitlines() == [
        f"{path}:3: A stands there twice",
        f"{path}:4: a figure of B is no number",
        f"{path}:5: C has 0 figures in place of 1",
        f"{path}:7: 'D' stands under no head of aiperf's",
    ]
    path.write_text("")
    assert refusal(lambda: aiperf_table.read(path)) == f"{path}: it has no metric"


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="needs INFX_REFERENCE_DATA")
@pytest.mark.parametrize("name", ["plain", "agentx-scenario"])
def test_the_table_of_a_real_run_is_written_again(name: str, tmp_path: Path) -> None:
    """Row by row to the printed digit, but for differences of aiperf's wall clocks."""
    from infx.flows.exporting import export_run

    run = import_runs(SAMPLE / name, tmp_path / "runs", stated=Stated(), corpus=SAMPLE / "traces")
    export_run(run.bundle.path, tmp_path / "out", format="aiperf")
    theirs = aiperf_table.read(SAMPLE / name / "profile_export_aiperf.csv")
    ours = aiperf_table.read(tmp_path / "out" / "profile_export_aiperf.csv")
    shared = [row for row in theirs if not row.startswith(UNKNOWN_TO_US)]
    shared += ["Effective Latency (CO-aware) (ms)"]
    assert set(shared) <= ours.keys()
    assert len(shared) >= 30
    assert {*ours} - {*shared} == {"Context Overflow Count", "Error Request Count"}
    clocks = ("Credit-to-Start Latency (ms)", "Effective Latency (CO-aware) (ms)")
    for row in shared:
        if row in clocks:
            assert ours[row] == pytest.approx(theirs[row], abs=0.011 * 400)
        else:
            assert ours[row] == theirs[row], row
    order = [row for row in theirs if row in ours]
    assert order == [row for row in ours if row in theirs]
