"""The whole story, from plan to report, on the truth server with the injected clock."""

from pathlib import Path

import pytest

from infx.clock import NS
from infx.flows.report import write_report
from infx.flows.runs import open_run, verify_run
from infx.model.record import EndState, Phase, Slo
from infx.model.result import MetricValue
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import EngineModel, Script
from playing import play


def test_from_plan_to_report(tmp_path: Path) -> None:
    """Every moment that the client states is the server's own, to the nanosecond."""
    outcome, log, _ = play(
        tmp_path, Script(ttft_s=0.05, itl_s=0.005), slo=Slo(ttft=1.0), repetitions=2
    )
    run = outcome.run
    assert run.manifest.state == "finished"
    assert verify_run(run.bundle.path) == ()
    sent = {row.request_id: row for row in log if row.stream}
    seen = 0
    for point in run.points:
        records = run.bundle.records(point)
        assert [len([r for r in records if r.phase is phase]) for phase in Phase] == [
            2 * point.concurrency, 10 * point.concurrency,
        ]  # fmt: skip
        for record in records:
            name = f"infx-{point.point_id[:12]}-r{point.repetition}-{record.request}"
            truth = sent[name]
            assert record.state is EndState.OK
            assert record.sent_ns == truth.received_ns
            assert record.first_content_ns == truth.first_token_ns
            assert record.last_content_ns == truth.last_token_ns
            assert record.prompt_tokens == record.asked_input == truth.prompt_tokens == 64
            assert record.completion_tokens == record.asked_output == 32
            seen += 1
    assert seen == len(sent)
    for point in run.result.points:
        ttft, tpot, itl = (point.metrics[name] for name in ("ttft", "tpot", "itl"))
        assert isinstance(ttft, MetricValue)
        assert isinstance(tpot, MetricValue)
        assert isinstance(itl, MetricValue)
        assert (ttft.p50, ttft.p99) == (pytest.approx(0.05), pytest.approx(0.05))
        assert tpot.mean == itl.mean == pytest.approx(0.005)
        # 32 tokens in 50 ms + 31 gaps of 5 ms, on every lane at once
        rate = point.metrics["output_throughput"]
        assert isinstance(rate, MetricValue)
        assert rate.mean == pytest.approx(point.concurrency * 32 / 0.205, rel=1e-3)
        assert point.achieved_concurrency == pytest.approx(point.concurrency, rel=0.01)
    page = write_report(open_run(run.bundle.path), tmp_path / "report.html").read_text()
    assert run.manifest.run in page


def test_two_servers_are_asked_the_same(tmp_path: Path) -> None:
    first, _, _ = play(tmp_path / "a", Script())
    second, _, _ = play(tmp_path / "b", Script(itl_s=0.02, model="other"))
    plans = [[point.plan_digest for point in outcome.run.points] for outcome in (first, second)]
    assert plans[0] == plans[1]
    assert len(set(plans[0])) == 3
    assert [p.point_id for p in first.run.points] != [p.point_id for p in second.run.points]


def test_an_hour_by_time_takes_its_time_and_no_more(tmp_path: Path) -> None:
    workload = FixedWorkload(isl=64, osl=600, range_ratio=1.0, duration_s=3600)
    outcome, _, _ = play(
        tmp_path, Script(ttft_s=10, itl_s=0.5, tokens_per_chunk=10), workload=workload,
        concurrency=(4,), grace_s=60.0,
    )  # fmt: skip
    (point,) = outcome.run.points
    window = point.phases[-1]
    # A request lasts 10 s + 59 gaps of 0.5 s; the last ones began before the hour ended.
    assert 3600 * NS <= window.end_ns - window.start_ns <= 3640 * NS
    counts = outcome.run.result.points[0].counts
    assert counts.ok == counts.issued == 4 * 92


def test_what_the_grace_cuts_is_counted_not_lost(tmp_path: Path) -> None:
    workload = FixedWorkload(isl=64, osl=100, range_ratio=1.0, duration_s=25, warmups=0)
    outcome, log, _ = play(
        tmp_path, Script(ttft_s=1, itl_s=0.1), workload=workload, concurrency=(2,), grace_s=1.0
    )
    counts = outcome.run.result.points[0].counts
    assert (counts.issued, counts.ok, counts.cancelled_at_end) == (6, 4, 2)
    assert [row.end for row in log if row.stream][-2:] == ["client-closed"] * 2
    assert "censored" in outcome.run.result.reasons


def test_latency_rises_with_load_on_an_engine(tmp_path: Path) -> None:
    engine = EngineModel(slots=2, prefill_rate=2000.0, step_base_s=0.01, step_per_sequence_s=0.002)
    outcome, _, _ = play(tmp_path, Script(engine=engine), concurrency=(1, 2, 8))
    tpot = [point.metrics["tpot"] for point in outcome.run.result.points]
    ttft = [point.metrics["ttft"] for point in outcome.run.result.points]
    assert all(isinstance(value, MetricValue) for value in (*tpot, *ttft))
    assert tpot[0].mean < tpot[1].mean
    assert ttft[0].mean < ttft[1].mean < ttft[2].mean / 2


def test_t18_a_joined_warmup_leaves_no_lane_idle(tmp_path: Path) -> None:
    """T18: a lane's first measured request leaves the moment its last warmup ended, so that no
    burst of all lanes begins the measurement.
    """
    workload = FixedWorkload(isl=64, osl=32, join_warmup=True)
    outcome, _, _ = play(tmp_path, Script(ttft_s=0.05, itl_s=0.005), workload=workload)
    for point in outcome.run.points:
        records = outcome.run.bundle.records(point)
        warmup, profiling = point.phases
        assert warmup.end_ns == profiling.start_ns
        for lane in range(point.concurrency):
            mine = [record for record in records if record.lane == lane]
            assert {record.phase for record in mine} == set(Phase)
            assert [a.end_ns for a in mine[:-1]] == [b.sent_ns for b in mine[1:]]
        late = [r for r in records if r.phase is Phase.WARMUP and r.end_ns > profiling.start_ns]
        assert bool(late) == (point.concurrency > 1)
