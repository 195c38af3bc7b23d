"""Defects that were reported of how other load clients send, each as what infx must do instead.

See `test_defects`; these are about lanes, connections and the edges of a phase.
"""

from importlib import import_module
from pathlib import Path

import pytest

from faulted import REQUESTS, WORKLOAD, assert_figures, run, value
from infx.clock import NS, VirtualTimeLoop
from infx.load.driver import Driver
from infx.load.plan import Plan
from infx.load.planner import plan_bytes
from infx.load.target import Stop, Target
from infx.metrics import METRICS
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import MetricValue, Steady
from infx.model.workload import Arrival, FixedWorkload, Message, Session, Turn
from infx.servers.truth.faults import read_faults
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from infx.servers.truth.server import TruthServer
from infx.store.journal import Journal, records
from infx.wire.address import parse
from infx.wire.chat import PATHS, body_frame
from infx.wire.fetch import request_head
from memory_transport import memory_dial
from server_log import answer


def think(
    folder: Path, fault: str, seconds: float
) -> tuple[tuple[RequestRecord, ...], list[Sent], int]:
    """Ask two turns on each of two lanes, `seconds` of thought apart; return what was seen,
    the server's log and how many requests were sent again.
    """
    loop, log = VirtualTimeLoop(), []
    server = TruthServer(Script(ttft_s=0.04, faults=read_faults([fault])), loop, log.append)
    hello = (Message("user", ("hello",)),)
    turns = (Turn(hello, 4, None), Turn(hello, 4, None, delay_ns=round(seconds * NS)))
    plan = Plan(memoryview(plan_bytes([Session(Phase.PROFILING, turns)] * 2, api="chat")))
    address = parse("http://truth.test")
    head = request_head("POST", address, PATHS["chat"], ())
    frame = body_frame(api="chat", model="truth", settings={}, extra={})
    target = Target(address, memory_dial(server.protocol), head, frame, "think")
    path = folder / "requests.jsonl.zst"
    journal = Journal(path)
    driver = Driver(plan, target, journal, loop, concurrency=2)
    try:
        loop.run_until_complete(driver.run((Phase.PROFILING,), Stop()))
    finally:
        driver.close()
        journal.close()
        loop.close()
    return records(path), log, driver.resets


def test_t10_what_a_request_waited_for_in_the_client_stands_apart(tmp_path: Path) -> None:
    """A request's wait for a free slot was recorded nowhere (vllm-project/vllm#54101, #54136).

    Ten requests a second are due; a connection takes 200 ms to make, and only the first is made
    before. When each was due, sent and admitted is kept; TTFT is from sending, and beside it stand
    the wait and TTFT from the due moment, which has it in.
    """
    arrival = Arrival(process="constant", rate=10.0)
    workload = WORKLOAD.model_copy(update={"arrival": arrival})
    load = run(tmp_path, workload=workload, options={"connect_s": 0.2, "concurrency": (8,)})
    (window,) = load.outcome.run.points[0].phases
    waits = []
    due = sorted(record.due_ns - window.start_ns for record in load.records.values())
    assert due == [number * NS // 10 for number in range(REQUESTS)]
    for number, record in load.records.items():
        assert record.sent_ns == load.log[number].received_ns == load.log[number].admitted_ns
        waits.append(record.sent_ns - record.due_ns)
    assert set(waits) == {0, NS // 5}
    waited = sum(waits) / len(waits) / NS
    assert value(load.point, "queue_time").mean == pytest.approx(waited)
    assert value(load.point, "ttft").mean == pytest.approx(0.040)
    assert value(load.point, "ttft_from_due").mean == pytest.approx(0.040 + waited)


@pytest.mark.parametrize("fault", ["cut", "idle-cut:2", "idle-cut:5"])
@pytest.mark.parametrize("seconds", [0, 0.001, 1.999, 2, 3, 4.999, 5, 5.001, 60])
def test_t13_thought_longer_than_the_keep_alive_costs_no_request(
    tmp_path: Path, fault: str, seconds: float
) -> None:
    """After a thought the client wrote to a connection that the server was closing, and the request
    was lost (NVIDIA-NeMo/Gym#1555, vllm-project/vllm-omni#1374).

    Also when both happen at the same moment. No request reaches the server twice.
    """
    seen, log, resets = think(tmp_path, fault, seconds)
    assert [record.state for record in seen] == [EndState.OK] * 4
    assert len(log) == 4
    assert resets <= 2
    first, second = (record for record in seen if record.session == 0)
    assert second.due_ns == first.end_ns + round(seconds * NS)
    assert second.sent_ns == second.due_ns


def test_t14_every_lane_is_admitted_at_once(tmp_path: Path) -> None:
    """A worker held at most 100 requests, and a limit split over workers left lanes empty
    (vllm-project/guidellm#487, #1041).
    """
    workload = FixedWorkload(isl=16, osl=2, range_ratio=1.0, requests=1000, warmups=0)
    load = run(tmp_path, workload=workload, options={"concurrency": (1000,)})
    admitted = [sent.admitted_ns for sent in load.log.values()]
    assert len(admitted) == 1000
    assert max(admitted) - min(admitted) <= 50_000_000
    assert load.point.achieved_concurrency == pytest.approx(1000)


def test_t16_the_window_is_the_load_and_nothing_is_sent_after_it(tmp_path: Path) -> None:
    """The clock ran long before the first request, and requests left after the stage had ended
    (vllm-project/guidellm#526, kubernetes-sigs/inference-perf#245).

    Prompts are sized and connections opened before the phase begins.
    """
    timed = WORKLOAD.model_copy(update={"requests": None, "duration_s": 2.0})
    load = run(tmp_path, workload=timed)
    (window,) = load.outcome.run.points[0].phases
    sent = [record.sent_ns for record in load.records.values()]
    assert min(sent) == window.start_ns == min(r.due_ns for r in load.records.values())
    assert max(sent) < window.start_ns + 2 * NS
    assert len(sent) == load.point.counts.issued == load.point.counts.ok == len(load.log)
    assert window.end_ns == max(record.end_ns for record in load.records.values())
    assert_figures(load.point, [answer(sent) for sent in load.log.values()])


def test_t16_what_was_planned_and_not_sent_is_counted(tmp_path: Path) -> None:
    """See above. Each fourth request hangs, so the fourth lane stops at once, and after 16 requests
    none is left; the load is given up, and 8 of 24 were never sent.
    """
    load = run(tmp_path, "hang:head@4", options={"stall_timeout_s": 5.0})
    assert len(load.log) == load.point.counts.issued == 16
    assert (load.point.counts.ok, load.point.counts.cancelled_at_end) == (12, 4)
    assert load.point.unsent == REQUESTS - 16
    assert "unsent" in load.point.reasons
    assert not load.point.certified
    whole = run(tmp_path / "whole")
    assert (whole.point.unsent, whole.point.counts.issued) == (0, REQUESTS)
    assert "unsent" not in whole.point.reasons


@pytest.mark.parametrize("asked", [{"arrival": Arrival(rate=50.0)}, {}], ids=["rate", "lanes"])
def test_t16_a_load_that_ends_by_time_sends_all_that_was_due(
    tmp_path: Path, asked: dict[str, object]
) -> None:
    """See above. Arrivals are planned by number; what lanes manage until the end is not."""
    timed = WORKLOAD.model_copy(update={"requests": None, "duration_s": 4.0, **asked})
    load = run(tmp_path, workload=timed, options={"concurrency": (1000,)})
    (point,) = load.outcome.run.points
    if asked:
        assert point.audit["planned"] == load.point.counts.issued == len(load.log)
        assert load.point.unsent == 0
    else:
        assert (point.audit["planned"], load.point.unsent) == (None, None)


def test_t17_what_the_client_saw_is_never_called_the_server_s(tmp_path: Path) -> None:
    """Time to the first byte at the client was read as the GPU's prefill, a burst left one by one,
    and a governor that saves power doubled TTFT (ai-dynamo/aiperf#1424).

    Connecting takes 300 ms here. Connections are warm before the first of a burst leaves, and all
    leave at once; what a metric rests on is said with it; the host's governor and load stand in the
    manifest, its pressure beside each point.
    """
    load = run(tmp_path, options={"connect_s": 0.3})
    (window,) = load.outcome.run.points[0].phases
    opening = {load.records[number].sent_ns for number in range(4)}
    assert opening == {window.start_ns}
    assert value(load.point, "ttft").mean == pytest.approx(0.040)
    host = load.outcome.run.manifest.host
    assert {"cpu_governor", "load_average", "usable_cores", "cgroup_cpu_limit"} <= host.keys()
    assert host["load_average"] is None or len(host["load_average"]) == 3
    assert "cpu_pressure" in load.outcome.run.points[0].audit
    assert load.point.server is None, "nobody read the server's own figures"
    for name in load.point.metrics:
        words = (import_module(METRICS[name]).__doc__ or "").split("Source: ")[1].split()
        assert {"client's", "server's"} & set(words[:8]), name


def test_t18_warmups_keep_to_the_lanes_and_out_of_the_figures(tmp_path: Path) -> None:
    """Warmup went past the limit of parallel requests, and its start-up latencies were in the
    percentiles (modelscope/evalscope#1641, sgl-project/sglang#30918, #39398).

    The first request of all takes 200 ms longer than any other.
    """
    workload = WORKLOAD.model_copy(update={"warmups": 8})
    load = run(tmp_path, "batch:40@1000+1", workload=workload)
    assert load.point.warmup_counts.ok == 8
    assert load.point.counts.ok == REQUESTS
    assert max(answer(sent).ttft for sent in load.log.values()) == 235_000_000
    assert value(load.point, "ttft").p99 == pytest.approx(0.040)
    edges = [(sent.received_ns, 1) for sent in load.log.values()]
    edges += [(sent.ended_ns, -1) for sent in load.log.values()]
    open_now = most = 0
    for _, step in sorted(edges):
        open_now += step
        most = max(most, open_now)
    assert most == 4


def test_t18_the_drain_stands_beside_the_steady_state(tmp_path: Path) -> None:
    """See above. Of 25 requests on four lanes the last is alone, and takes 195 ms longer to begin.

    See `test_story` for a warmup that goes over into the measurement without a drain.
    """
    workload = WORKLOAD.model_copy(update={"requests": REQUESTS + 1})
    load = run(tmp_path, f"batch:40@1000+{REQUESTS + 1}", workload=workload)
    assert value(load.point, "ttft").mean == pytest.approx((24 * 0.040 + 0.235) / 25)
    steady = load.point.steady
    assert isinstance(steady, Steady)
    assert (steady.peak, steady.n) == (4, REQUESTS)
    assert steady.end_s == pytest.approx(6 * 0.235)
    ttft = steady.metrics["ttft"]
    assert isinstance(ttft, MetricValue)
    assert ttft.mean == pytest.approx(0.040)
