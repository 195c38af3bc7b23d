"""Several shards are one driver: the same requests, once each, in one whole journal."""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from infx.clock import SystemClock, event_loop
from infx.errors import MachineError
from infx.launch.local import free_port
from infx.load.crew import Crew
from infx.load.planner import plan_bytes
from infx.load.progress import Progress, merged
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.workload import Message, Session, Turn
from infx.store.journal import records
from infx.wire.address import dial, parse
from infx.wire.chat import PATHS, body_frame
from infx.wire.fetch import request_head
from truth_child import truth_child

SECRET = "Bearer sk-of-nobody-else"
LANES = 4
TO_THE_END = Stop()


class Run:
    """A crew of two that asks `count` sessions of the server at `url`."""

    def __init__(
        self, folder: Path, url: str, *, count: int = 40, shards: int = 2, warmups: int = 0
    ) -> None:
        turn = Turn((Message("user", ("hi",)),), 4, None)
        sessions = [Session(Phase.WARMUP, (turn,))] * warmups
        sessions += [Session(Phase.PROFILING, (turn,))] * count
        (folder / "plan.bin").write_bytes(plan_bytes(sessions, api="chat"))
        address = parse(url)
        headers = (("Authorization", SECRET), ("Content-Type", "application/json"))
        target = Target(
            address=address,
            dial=dial(address),
            head=request_head("POST", address, PATHS["chat"], headers),
            frame=body_frame(api="chat", model="truth", settings={}, extra={}),
            name="t",
        )
        self.told: list[Progress] = []
        self.hooks: list[Callable[[Progress], None]] = [self.told.append]
        self.path = folder / "requests.jsonl.zst"
        self.crew = Crew(
            folder / "plan.bin",
            target,
            self.path,
            SystemClock(),
            concurrency=LANES,
            shards=shards,
            on_progress=self._hear,
        )

    def _hear(self, progress: Progress) -> None:
        for hook in self.hooks:
            hook(progress)

    def run(self, *phases: Phase) -> tuple[PhaseWindow, ...]:
        async def named() -> tuple[PhaseWindow, ...]:
            return await asyncio.create_task(all_phases(), name="crew")

        async def all_phases() -> tuple[PhaseWindow, ...]:
            windows: tuple[PhaseWindow, ...] = ()
            try:
                for phase in phases or (Phase.PROFILING,):
                    windows += await self.crew.run((phase,), TO_THE_END)
            finally:
                self.crew.close()
            return windows

        with asyncio.Runner(loop_factory=event_loop) as runner:
            return runner.run(named())

    def seen(self) -> tuple[RequestRecord, ...]:
        """Return the one journal's records, when no part of it is left."""
        assert [path.name for path in self.path.parent.glob("requests*")] == [self.path.name]
        return records(self.path)


def test_two_phases_over_three_shards(tmp_path: Path) -> None:
    with truth_child("--ttft", "0.002", "--itl", "0", log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url, count=20, shards=3, warmups=5)
        warmup, profiling = run.run(Phase.WARMUP, Phase.PROFILING)
    seen = run.seen()
    assert Counter(record.state for record in seen) == {EndState.OK: 25}
    assert sorted(record.session for record in seen) == list(range(25))
    assert len({record.request for record in seen}) == 25
    assert {record.lane for record in seen} == set(range(LANES))
    for window in (warmup, profiling):
        inside = [record for record in seen if record.phase is window.phase]
        assert window.start_ns <= min(record.sent_ns for record in inside)
        assert max(record.end_ns or 0 for record in inside) <= window.end_ns
    assert warmup.end_ns <= profiling.start_ns
    last = run.told[-1]
    assert (last.phase, last.done, last.total, last.concurrency) == ("profiling", 20, 20, LANES)
    assert len(run.crew.cpu_s) == 3
    assert all(spent > 0 for spent in run.crew.cpu_s)


def test_all_shards_begin_at_one_moment(tmp_path: Path) -> None:
    with truth_child("--ttft", "0.01", log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url, count=8)
        run.run()
    first = [min(r.due_ns for r in run.seen() if r.lane % 2 == shard) for shard in (0, 1)]
    assert first[0] == first[1]


@pytest.mark.parametrize(
    ("halt", "state"), [("drain", EndState.OK), ("cancel", EndState.CANCELLED_AT_END)]
)
def test_drain_waits_and_cancel_does_not(tmp_path: Path, halt: str, state: EndState) -> None:
    with truth_child("--ttft", "0.6", "--itl", "0", log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url)

        def stop(progress: Progress) -> None:
            if progress.in_flight == LANES:
                getattr(run.crew, halt)()

        run.hooks.append(stop)
        run.run()
    assert [record.state for record in run.seen()] == [state] * LANES


def test_a_crew_that_was_stopped_before_asks_nothing(tmp_path: Path) -> None:
    with truth_child(log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url)
        run.crew.drain()
        run.run()
    assert run.seen() == ()


def test_kill_9_of_a_shard_loses_only_what_it_had_open(tmp_path: Path) -> None:
    with truth_child("--ttft", "0.3", "--itl", "0", log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url)

        def kill(progress: Progress) -> None:
            if progress.in_flight == LANES:
                run.hooks.remove(kill)
                os.kill(run.crew.pids[1], signal.SIGKILL)

        run.hooks.append(kill)
        (window,) = run.run()
    assert str(run.crew.gone) == (
        f"{run.path}: shard 1 of 2 of the load client died (killed by SIGKILL); "
        "what it had open is counted as lost"
    )
    seen = run.seen()
    states = [{r.state for r in seen if r.lane % 2 == shard} for shard in (0, 1)]
    assert states[0] == {EndState.OK}, "the other shard is drained"
    assert EndState.LOST in states[1] <= {EndState.OK, EndState.LOST}
    assert len(seen) < 40
    assert window.start_ns < max(r.end_ns or 0 for r in seen) <= window.end_ns
    assert run.crew.cpu_s[0] > run.crew.cpu_s[1] == 0


def test_a_shard_that_dies_between_phases_begins_no_other(tmp_path: Path) -> None:
    with truth_child("--ttft", "0.01", "--itl", "0", log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url, warmups=4)

        async def phases() -> list[tuple[PhaseWindow, ...]]:
            try:
                warmup = await run.crew.run((Phase.WARMUP,), TO_THE_END)
                os.kill(run.crew.pids[0], signal.SIGKILL)
                return [warmup, await run.crew.run((Phase.PROFILING,), TO_THE_END)]
            finally:
                run.crew.close()

        with asyncio.Runner(loop_factory=event_loop) as runner:
            (warmup,), none = runner.run(phases())
    assert (warmup.phase, none) == (Phase.WARMUP, ())
    assert "shard 0 of 2 of the load client died (killed by SIGKILL)" in str(run.crew.gone)
    assert [one.state for one in run.seen()] == [EndState.OK] * 4


def test_a_run_that_is_given_up_leaves_no_process_and_one_journal(tmp_path: Path) -> None:
    """As a third Ctrl-C does; nobody saw the ends, so they are lost as those of a lone client."""
    with truth_child("--ttft", "30", log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url)

        def give_up(progress: Progress) -> None:
            if progress.in_flight == LANES:
                run.hooks.remove(give_up)
                (task,) = (one for one in asyncio.all_tasks() if one.get_name() == "crew")
                task.cancel()

        run.hooks.append(give_up)
        with pytest.raises(asyncio.CancelledError):
            run.run()
    assert [record.state for record in run.seen()] == [EndState.LOST] * LANES
    assert run.crew.pids == ()


def test_a_server_that_is_not_there_is_said_as_ever(tmp_path: Path) -> None:
    run = Run(tmp_path, f"http://127.0.0.1:{free_port()}")
    with pytest.raises(MachineError, match="connection refused; is the server running"):
        run.run()
    assert run.seen() == ()


def test_a_plan_that_a_shard_cannot_read_is_said(tmp_path: Path) -> None:
    run = Run(tmp_path, "http://127.0.0.1:1")
    (tmp_path / "plan.bin").write_bytes(b"of another version\n")
    with pytest.raises(MachineError, match="not a plan of this version; write it again"):
        run.run()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_secrets_are_neither_in_argv_nor_in_the_environment(tmp_path: Path) -> None:
    shown: list[bytes] = []
    with truth_child("--ttft", "0.3", log=tmp_path / "log") as server:
        run = Run(tmp_path, server.url, count=4)

        def look(progress: Progress) -> None:
            for pid in run.crew.pids:
                shown.extend(
                    Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "environ")
                )

        run.hooks.append(look)
        run.run()
    assert any(b"infx.load.shard" in text for text in shown)
    assert not any(SECRET.encode() in text for text in shown)
    assert SECRET.encode() not in (tmp_path / "plan.bin").read_bytes()


def part(phase: Phase, **more: object) -> Progress:
    base: dict[str, object] = {
        "phase": phase, "concurrency": 2, "done": 0, "total": 10, "in_flight": 2, "errors": 0,
        "output_rate": 0.0, "ttft_p50": None, "ttft_p99": None, "left_s": None,
    }  # fmt: skip
    return Progress(**{**base, **more})  # type: ignore[arg-type]


def test_progress_of_shards_is_summed() -> None:
    one = part(
        Phase.PROFILING, done=3, errors=1, output_rate=10.0, ttft_p50=0.25, ttft_p99=1.0, left_s=4.0
    )
    two = part(
        Phase.PROFILING, done=1, errors=2, output_rate=5.0, ttft_p50=0.75, ttft_p99=0.9, left_s=9.0
    )
    assert merged([one, two]) == part(
        Phase.PROFILING, concurrency=4, done=4, total=20, in_flight=4, errors=3, output_rate=15.0,
        ttft_p50=0.375, ttft_p99=1.0, left_s=9.0,
    )  # fmt: skip
    assert merged([one, part(Phase.WARMUP)]) == one
    assert merged([part(Phase.WARMUP)]) == part(Phase.WARMUP)


def test_what_a_shard_cannot_tell_yet_stays_open() -> None:
    both = merged([part(Phase.PROFILING, total=None, left_s=5.0), part(Phase.PROFILING)])
    assert (both.total, both.left_s, both.ttft_p50) == (None, None, None)
