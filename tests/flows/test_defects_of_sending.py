"""Defects that were reported of how other load clients send, each as what infx must do instead.

See `test_defects`; these are about lanes, connections and the edges of a phase.
"""

from pathlib import Path

import pytest

from faulted import REQUESTS, WORKLOAD, assert_figures, run, value
from infx.clock import NS, VirtualTimeLoop
from infx.load.driver import Driver
from infx.load.plan import Plan
from infx.load.planner import plan_bytes
from infx.load.target import Stop, Target
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.workload import FixedWorkload, Message, Session, Turn
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
    assert min(sent) == window.start_ns
    assert max(sent) < window.start_ns + 2 * NS
    assert len(sent) == load.point.counts.issued == load.point.counts.ok == len(load.log)
    assert window.end_ns == max(record.end_ns for record in load.records.values())
    assert_figures(load.point, [answer(sent) for sent in load.log.values()])


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
