"""What the driver does when a server does not do what it should."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from coarse_loop import CoarseLoop
from infx.clock import NS, VirtualTimeLoop
from infx.errors import InfxError, MachineError
from infx.load.driver import WHOLE, Driver
from infx.load.plan import Plan
from infx.load.planner import plan_bytes
from infx.load.sender import RESETS_ENDURED, Share
from infx.load.target import Stop, Target
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.workload import Message, Session, Turn
from infx.store.journal import Journal, records
from infx.wire.address import Dial, parse
from infx.wire.chat import body_frame
from memory_transport import MemoryTransport, memory_dial

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
TOKEN = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]}\n\n'
ANSWER = HEAD + b"%x\r\n%b\r\n0\r\n\r\n" % (len(TOKEN), TOKEN)
TO_THE_END = Stop()
ADDRESS = parse("http://server.test")


class Server(asyncio.Protocol):
    """Answers each request after a virtual second; `after` acts on the transport right then."""

    def __init__(self, after: Callable[[MemoryTransport], None] = lambda _: None) -> None:
        self.after = after
        self.seen: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.seen.append(data)
        asyncio.get_running_loop().call_later(1, self.answer)

    def answer(self) -> None:
        self.transport.write(ANSWER)
        self.after(self.transport)


class Run:
    """One phase of `count` sessions in virtual time, and what the journal says of it.

    `starts` are the seconds at which sessions are due, in an open loop.
    """

    def __init__(
        self,
        folder: Path,
        dial: Dial,
        *,
        count: int = 4,
        delay_s: int = 0,
        starts: tuple[float, ...] = (),
        share: Share = WHOLE,
        loop: type[VirtualTimeLoop] = VirtualTimeLoop,
    ) -> None:
        message = Message("user", ("hi",))
        turns = (Turn((message,), 1, None), Turn((message,), 1, None, delay_ns=delay_s * NS))
        asked = turns if delay_s else turns[:1]
        due = [round(start * NS) for start in starts] or [None] * count
        sessions = [Session(Phase.PROFILING, asked, start_ns) for start_ns in due]
        frame = body_frame(api="chat", model="m", settings={}, extra={})
        target = Target(ADDRESS, dial, b"POST / HTTP/1.1\r\n", frame, "t")
        self.loop = loop()
        self.path = folder / "requests.jsonl.zst"
        self.journal = Journal(self.path)
        plan = Plan(memoryview(plan_bytes(sessions, api="chat")))
        lanes = 2 * share.of
        self.driver = Driver(plan, target, self.journal, self.loop, concurrency=lanes, share=share)

    def run(self, stop: Stop = TO_THE_END, **at: float) -> tuple[RequestRecord, ...]:
        """Run the phase; `drain=3.5` or `cancel=4` calls that method at that second."""

        async def phase() -> None:
            for name, second in at.items():
                self.loop.call_later(second, getattr(self.driver, name))
            await self.driver.run((Phase.PROFILING,), stop)

        try:
            self.loop.run_until_complete(phase())
        finally:
            self.driver.close()
            self.journal.close()
            self.loop.close()
        return records(self.path)


def test_a_kept_connection_that_was_closed_costs_no_request(tmp_path: Path) -> None:
    """As llama.cpp does: keep-alive promised, closed after each stream."""
    run = Run(tmp_path, memory_dial(lambda: Server(MemoryTransport.close)), count=20)
    ended = run.run()
    assert [record.state for record in ended] == [EndState.OK] * 20
    assert all(record.sent_ns >= record.due_ns for record in ended)
    # Each lane may have one more on its way when connections are given up.
    assert RESETS_ENDURED < run.driver.resets <= RESETS_ENDURED + 2


def test_a_defect_in_a_read_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised where the run is awaited; else its answer would be waited for without end."""

    def parse_wrongly(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    run = Run(tmp_path, memory_dial(Server))
    monkeypatch.setattr("infx.wire.connection.Connection._parse", parse_wrongly)
    with pytest.raises(ZeroDivisionError, match="a defect"):
        run.run()


def test_a_first_connection_that_dies_unread_is_no_stale_one(tmp_path: Path) -> None:
    class Deaf(Server):
        def data_received(self, data: bytes) -> None:
            self.transport.close()

    run = Run(tmp_path, memory_dial(Deaf))
    assert {record.reason for record in run.run()} == {"truncated"}
    assert run.driver.resets == 0


def refusing(after: int, server: Callable[[], asyncio.Protocol]) -> Dial:
    """Connect so often, then refuse."""
    good, count = memory_dial(server), iter(range(10**6))

    async def dial(factory: Callable[[], asyncio.BaseProtocol]) -> object:
        if next(count) >= after:
            raise ConnectionRefusedError(111, "Connection refused")
        return await good(factory)

    return dial


def test_a_server_that_was_never_there(tmp_path: Path) -> None:
    run = Run(tmp_path, refusing(0, Server))
    with pytest.raises(MachineError, match="connection refused; is the server running"):
        run.run()


def test_a_server_that_went_away_ends_the_phase(tmp_path: Path) -> None:
    run = Run(tmp_path, refusing(2, lambda: Server(MemoryTransport.close)), count=50)
    ended = run.run()
    assert run.driver.gone is not None
    assert [record.state for record in ended].count(EndState.OK) == 2
    rest = [record for record in ended if record.state is not EndState.OK]
    assert 0 < len(rest) < 10
    assert {record.reason for record in rest} <= {"refused", "cancelled"}


def test_drain_waits_and_cancel_does_not(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    drained = Run(tmp_path / "a", memory_dial(Server)).run(drain=0.5)
    assert [record.state for record in drained] == [EndState.OK] * 2
    cut = Run(tmp_path / "b", memory_dial(Server)).run(cancel=0.5)
    assert [record.state for record in cut] == [EndState.CANCELLED_AT_END] * 2
    assert [record.end_ns - record.sent_ns for record in cut] == [NS // 2] * 2


def test_the_grace_ends_what_hangs(tmp_path: Path) -> None:
    class Hung(Server):
        def answer(self) -> None:
            self.transport.write(HEAD)

    stop = Stop(duration_ns=2 * NS, grace_ns=5 * NS)
    ended = Run(tmp_path, memory_dial(Hung)).run(stop)
    assert [record.state for record in ended] == [EndState.CANCELLED_AT_END] * 2
    assert [record.end_ns - record.sent_ns for record in ended] == [7 * NS] * 2


def test_a_delayed_turn_is_sent_when_it_is_due(tmp_path: Path) -> None:
    ended = Run(tmp_path, memory_dial(Server), count=2, delay_s=60).run()
    first, second = [record for record in ended if record.session == 0]
    assert second.due_ns == first.end_ns + 60 * NS == second.sent_ns
    assert (first.turn, second.turn) == (0, 1)


def test_a_drain_lets_delayed_turns_go(tmp_path: Path) -> None:
    ended = Run(tmp_path, memory_dial(Server), count=2, delay_s=600).run(drain=30)
    assert [record.turn for record in ended] == [0, 0]


def test_a_journal_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    run = Run(tmp_path, memory_dial(Server), count=100)

    def full() -> None:
        raise MachineError("no space left")

    run.loop.call_later(3, setattr, run.journal, "flush", full)
    with pytest.raises(InfxError, match="no space left"):
        run.run()


def test_plan_and_time_out_of_step_are_told(tmp_path: Path) -> None:
    run = Run(tmp_path, memory_dial(Server), count=4)
    assert len(run.run(Stop(duration_ns=60 * NS))) == 4
    assert run.driver.exhausted


def after_start(run: Run, ended: tuple[RequestRecord, ...]) -> list[tuple[float, float]]:
    """Return due and sent of each request, in seconds after the first that was due."""
    first = min(record.due_ns for record in ended)
    return [((r.due_ns - first) / NS, (r.sent_ns - first) / NS) for r in ended]


def test_an_open_loop_sends_when_it_is_due_not_when_a_lane_is_free(tmp_path: Path) -> None:
    run = Run(tmp_path, memory_dial(Server), starts=(0.0, 0.25, 1.5, 1.5))
    ended = run.run()
    assert [record.state for record in ended] == [EndState.OK] * 4
    assert after_start(run, ended) == [(0, 0), (0.25, 0.25), (1.5, 1.5), (1.5, 1.5)]


def test_what_is_due_beyond_the_bound_is_refused_and_counted(tmp_path: Path) -> None:
    """Two lanes, three requests within the second that an answer takes."""
    run = Run(tmp_path, memory_dial(Server), starts=(0.0, 0.1, 0.2, 1.05))
    ended = run.run()
    assert [record.state for record in ended] == ["ok", "ok", "cancelled_by_plan", "ok"]
    refused = ended[2]
    assert (refused.reason, refused.lane, refused.first_byte_ns) == ("in-flight-limit", -1, None)


def test_no_more_lanes_are_connected_than_have_a_session(tmp_path: Path) -> None:
    made: list[Server] = []

    def server() -> Server:
        made.append(Server())
        return made[-1]

    Run(tmp_path, memory_dial(server), count=1).run()
    assert len(made) == 1


def test_a_deadline_ends_an_open_loop(tmp_path: Path) -> None:
    run = Run(tmp_path, memory_dial(Server), starts=(0.0, 2.0, 4.0, 600.0))
    ended = run.run(Stop(duration_ns=5 * NS))
    assert [record.state for record in ended] == [EndState.OK] * 3
    assert not run.driver.exhausted


def test_no_timer_ends_an_open_loop_before_its_last_arrival(tmp_path: Path) -> None:
    """The timer of the end comes up at 2.999 s, when the arrivals of the last half ms are due."""
    starts = (0.0, 2.9992, 2.9995)
    run = Run(tmp_path, memory_dial(Server), starts=starts, loop=CoarseLoop)
    ended = run.run(Stop(duration_ns=round(2.9996 * NS)))
    assert [record.state for record in ended] == [EndState.OK] * 3
    late = [record.sent_ns - record.due_ns for record in ended]
    assert max(late) < 100_000


def test_a_ramp_starts_the_lanes_one_by_one(tmp_path: Path) -> None:
    ended = Run(tmp_path, memory_dial(Server), count=4).run(Stop(ramp_ns=4 * NS))
    first = [min(r.sent_ns for r in ended if r.lane == lane) for lane in (0, 1)]
    assert first[1] - first[0] == 2 * NS


def test_a_request_that_outlasts_its_limit_is_an_error(tmp_path: Path) -> None:
    class Slow(Server):
        def data_received(self, data: bytes) -> None:
            asyncio.get_running_loop().call_later(100, self.answer)

    ended = Run(tmp_path, memory_dial(Slow), count=2).run(Stop(request_limit_ns=3 * NS))
    assert [(r.state, r.reason) for r in ended] == [(EndState.ERROR, "timed-out")] * 2
    assert all(3 * NS <= r.end_ns - r.sent_ns <= 3.5 * NS for r in ended)


def test_shares_ask_every_session_once(tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    for index in range(3):
        (tmp_path / str(index)).mkdir()
        run = Run(tmp_path / str(index), memory_dial(Server), count=10, share=Share(index, 3))
        seen += [(r.session, r.request, r.lane) for r in run.run()]
    assert sorted(session for session, _, _ in seen) == list(range(10))
    assert len({request for _, request, _ in seen}) == 10
    assert {lane for _, _, lane in seen} == set(range(6))


def test_a_server_that_answers_nothing_for_the_stalls_limit_is_gone(tmp_path: Path) -> None:
    """Both lanes ask at once, and neither hears anything."""

    class Silent(Server):
        def answer(self) -> None:
            """Say nothing, ever."""

    run = Run(tmp_path, memory_dial(Silent))
    ended = run.run(Stop(stall_ns=60 * NS))
    assert {record.state for record in ended} == {EndState.CANCELLED_AT_END}
    assert "no request has ended for 60 s, with 2 open" in str(run.driver.gone)


def test_a_lane_that_thinks_for_longer_than_the_stalls_limit_is_no_stall(tmp_path: Path) -> None:
    run = Run(tmp_path, memory_dial(Server), count=2, delay_s=300)
    ended = run.run(Stop(stall_ns=60 * NS))
    assert [record.state for record in ended] == [EndState.OK] * 4
    assert run.driver.gone is None
