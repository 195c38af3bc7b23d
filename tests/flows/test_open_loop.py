"""Open loops and ramps, from plan to bundle, on the truth server with the injected clock."""

from pathlib import Path

import pytest

from infx.clock import NS
from infx.flows.runs import verify_run
from infx.load.plan import open_plan
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import MetricValue
from infx.model.workload import Arrival, FixedWorkload
from infx.servers.truth.script import Script
from playing import play

SMALL = {"isl": 64, "osl": 8, "range_ratio": 1.0}


def profiled(run, point) -> list[RequestRecord]:
    records = run.bundle.records(point)
    return sorted(
        (record for record in records if record.phase is Phase.PROFILING),
        key=lambda record: record.request,
    )


@pytest.mark.parametrize(
    "arrival",
    [
        Arrival(rate=30.0),
        Arrival(rate=30.0, process="constant"),
        Arrival(rate=30.0, process="gamma", shape=0.25),
        Arrival(rates=((0.0, 50.0), (1.0, 0.0), (3.0, 20.0))),
        Arrival(rate=30.0, ramp_s=4.0),
    ],
)
def test_requests_reach_the_server_when_the_plan_says(tmp_path: Path, arrival: Arrival) -> None:
    """To the nanosecond, however many are open: an answer takes 300 ms, a gap 33 ms."""
    workload = FixedWorkload(**SMALL, arrival=arrival, requests=100)
    outcome, log, _ = play(
        tmp_path, Script(ttft_s=0.23, itl_s=0.01), workload=workload, concurrency=(1024,)
    )
    (point,) = outcome.run.points
    assert verify_run(outcome.run.bundle.path) == ()
    plan = open_plan(outcome.run.bundle.path / "points" / point.directory / "plan.bin")
    sessions = plan.sessions(Phase.PROFILING)
    starts = [plan.start_of(session) for session in sessions]
    arrived = sorted(row.received_ns for row in log if row.stream)[-100:]
    begin = point.phases[-1].start_ns
    assert [moment - begin for moment in arrived] == starts
    records = profiled(outcome.run, point)
    assert [(record.due_ns, record.sent_ns) for record in records] == [(t, t) for t in arrived]
    assert {record.state for record in records} == {EndState.OK}


def test_each_rate_is_a_point_that_asks_prompts_of_its_own(tmp_path: Path) -> None:
    workload = FixedWorkload(**SMALL, requests=20)
    outcome, _, _ = play(
        tmp_path, Script(), workload=workload, concurrency=(64,), rates=(1.0, 10.0)
    )
    points = outcome.run.points
    assert [point.workload.arrival for point in points] == [Arrival(rate=1.0), Arrival(rate=10.0)]
    assert [point.rate for point in outcome.run.result.points] == [1.0, 10.0]
    assert len({(point.point_id, point.plan_digest) for point in points}) == 2
    spans = [point.phases[-1].end_ns - point.phases[-1].start_ns for point in points]
    assert spans[0] > 4 * spans[1]


def test_what_the_bound_holds_back_is_counted_and_nothing_waits_for_it(tmp_path: Path) -> None:
    """An answer takes 0.9 s, four a second are due, two may be open: half are refused."""
    workload = FixedWorkload(
        **SMALL, arrival=Arrival(rate=4.0, process="constant"), duration_s=10.0, warmups=0
    )
    outcome, log, _ = play(
        tmp_path, Script(ttft_s=0.83, itl_s=0.01), workload=workload, concurrency=(2,)
    )
    (point,) = outcome.run.points
    begin = point.phases[-1].start_ns
    records = profiled(outcome.run, point)
    assert [record.due_ns - begin for record in records] == [n * NS // 4 for n in range(40)]
    refused = [record for record in records if record.state is EndState.CANCELLED_BY_PLAN]
    assert {record.reason for record in refused} == {"in-flight-limit"}
    (summary,) = outcome.run.result.points
    assert (summary.counts.issued, summary.counts.ok) == (40, 20)
    assert summary.counts.cancelled_by_plan == len(refused) == 20
    assert "in-flight-limit" in summary.reasons
    from_due = summary.metrics["ttft_from_due"]
    assert isinstance(from_due, MetricValue)
    assert (from_due.n, from_due.p99) == (20, pytest.approx(0.83))
    assert len([row for row in log if row.stream]) == 20


def test_an_open_loop_by_time_is_not_short_of_prompts(tmp_path: Path) -> None:
    workload = FixedWorkload(**SMALL, arrival=Arrival(rate=5.0), duration_s=60.0)
    outcome, _, _ = play(tmp_path, Script(), workload=workload, concurrency=(64,))
    (point,) = outcome.run.points
    (summary,) = outcome.run.result.points
    assert "plan-exhausted" not in summary.reasons
    assert summary.counts.ok == summary.counts.issued
    last = max(record.due_ns for record in profiled(outcome.run, point))
    assert 55 * NS < last - point.phases[-1].start_ns < 60 * NS


def test_a_ramp_of_a_closed_loop_starts_lanes_evenly(tmp_path: Path) -> None:
    workload = FixedWorkload(**SMALL, ramp_s=8.0, duration_s=20.0)
    outcome, _, _ = play(tmp_path, Script(), workload=workload, concurrency=(4,))
    (point,) = outcome.run.points
    begin = point.phases[-1].start_ns
    first: dict[int, int] = {}
    for record in profiled(outcome.run, point):
        first.setdefault(record.lane, record.sent_ns - begin)
    assert first == {0: 0, 1: 2 * NS, 2: 4 * NS, 3: 6 * NS}


def test_a_ramp_that_outlasts_the_requests_ends(tmp_path: Path) -> None:
    """Lane 0 has asked everything before lane 1 begins."""
    workload = FixedWorkload(**SMALL, ramp_s=600.0, requests=3)
    outcome, _, _ = play(tmp_path, Script(), workload=workload, concurrency=(2,))
    (point,) = outcome.run.points
    assert [record.lane for record in profiled(outcome.run, point)] == [0, 0, 0]
