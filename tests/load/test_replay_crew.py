"""A crew that plays session trees, over real sockets: what is decided for all shards at once."""

import asyncio
from pathlib import Path

import pytest

from infx.clock import NS, SystemClock, event_loop
from infx.load.crew import Crew
from infx.load.planner import plan_chunks
from infx.load.rules import Rules
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.replay import Entry, Seat, Tree
from infx.store.journal import records
from infx.wire.address import dial, parse
from infx.wire.chat import PATHS, body_frame
from infx.wire.fetch import request_head
from staged import tree, turn
from truth_child import truth_child

LANES = 4
ENTERED = Entry(1, 0, primer=0, age_ns=0)
"""A lane begins at its second turn, after a primer, all at once."""


def long(name: str) -> Tree:
    """A session of many turns without a pause."""
    return tree(name, [turn(f"{name}{n}", n - 1 if n else None) for n in range(400)])


class Played:
    """Trees that a crew of two played on four lanes."""

    def __init__(self, folder: Path, url: str, *phases: Phase, stop: Stop, **rules: object) -> None:
        plan = plan_chunks(
            api="chat",
            trees=[long(name) for name in "abcd"],
            seats=[Seat(lane, (ENTERED,)) for lane in range(LANES)],
        )
        (folder / "plan.bin").write_bytes(b"".join(plan))
        address = parse(url)
        headers = (("Content-Type", "application/json"),)
        target = Target(
            address=address,
            dial=dial(address),
            head=request_head("POST", address, PATHS["chat"], headers),
            frame=body_frame(api="chat", model="truth", settings={}, extra={}),
            name="t",
        )
        self.crew = Crew(
            folder / "plan.bin",
            target,
            folder / "requests.jsonl.zst",
            SystemClock(),
            concurrency=LANES,
            shards=2,
            rules=Rules(seed=1, **rules),  # type: ignore[arg-type]
        )
        with asyncio.Runner(loop_factory=event_loop) as runner:
            self.windows = runner.run(self._run(phases, stop))
        self.seen = records(folder / "requests.jsonl.zst")

    async def _run(self, phases: tuple[Phase, ...], stop: Stop) -> tuple[PhaseWindow, ...]:
        found: tuple[PhaseWindow, ...] = ()
        try:
            for phase in phases:
                if not (self.crew.aborted or self.crew.gone):
                    found += await self.crew.run((phase,), stop)
        finally:
            self.crew.close()
        return found

    def of(self, shard: int) -> list[RequestRecord]:
        return [one for one in self.seen if one.lane % 2 == shard]


def test_a_primer_that_fails_in_one_shard_stops_all(tmp_path: Path) -> None:
    """One of four primers is refused; the lanes of the other shard would warm up for minutes."""
    with truth_child(
        "--ttft", "0.05", "--fault", "refuse:500@1000+2", log=tmp_path / "log"
    ) as server:
        played = Played(
            tmp_path, server.url, Phase.WARMUP, Phase.PROFILING, stop=Stop(60 * NS), warmups=10_000
        )
    assert "the primer of lane" in str(played.crew.aborted)
    assert [window.phase for window in played.windows] == [Phase.WARMUP]
    assert [one.state for one in played.seen].count(EndState.ERROR) == 1
    assert all(one.phase is Phase.WARMUP for one in played.seen)
    assert len(played.seen) < 400


def test_profiling_begins_for_all_shards_at_one_moment(tmp_path: Path) -> None:
    with truth_child("--ttft", "0.02", "--itl", "0", log=tmp_path / "log") as server:
        played = Played(
            tmp_path, server.url, Phase.WARMUP, Phase.PROFILING, stop=Stop(NS // 2), warmups=1
        )
    firsts = [
        min(one.due_ns for one in played.of(shard) if one.phase is Phase.PROFILING)
        for shard in (0, 1)
    ]
    assert firsts[0] == firsts[1] <= played.windows[1].start_ns
    warm = [one for one in played.seen if one.phase is Phase.WARMUP]
    assert sorted((one.lane, one.turn) for one in warm) == [
        (lane, turn) for lane in range(LANES) for turn in (0, 1)
    ]


@pytest.mark.parametrize("hangs", ["hang:0", "hang:0@1000+1"])
def test_a_server_is_given_up_when_no_shard_hears_from_it(tmp_path: Path, hangs: str) -> None:
    """Where all hang nothing ends; where the first does, the other lanes go on past the limit."""
    stop = Stop(3 * NS // 2, grace_ns=0, stall_ns=NS // 2)
    with truth_child("--ttft", "0.02", "--fault", hangs, log=tmp_path / "log") as server:
        played = Played(tmp_path, server.url, Phase.WARMUP, stop=stop, warmups=40)
    hung = [one for one in played.seen if one.state is EndState.CANCELLED_AT_END]
    if hangs == "hang:0":
        assert str(played.crew.gone).startswith("no request has ended for 0.5 s, with 4 open")
        assert len(hung) == len(played.seen) == LANES
    else:
        (last,) = hung
        others = [one for one in played.seen if one.lane != last.lane]
        assert {one.turn for one in others} == set(range(41))
