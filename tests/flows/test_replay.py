"""Replays from corpus to bundle, against the truth server and in virtual time.

What was asked is held against the plan, and against what the server itself saw.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import orjson
import pytest

from infx.flows.bench import Outcome
from infx.flows.replaying import stated
from infx.flows.runs import open_run, verify_run
from infx.flows.summary import summarise
from infx.load.plan import Plan, open_plan
from infx.model.agentic import AgenticWorkload
from infx.model.record import EndState, Expected, Phase, RequestRecord
from infx.servers.truth.faults import read_faults
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from infx.store.bundles import PLAN, point_folder
from infx.store.datasets import demo_path
from infx.store.expected import expected_of
from overheard import Heard, Wire
from playing import play
from server_log import by_number

LANES = 4
WHOLE = {"tokens_per_chunk": 1, "ttft_s": 0.05, "itl_s": 0.01, "template_tokens": 0}
Pair = tuple[int, int]


@dataclass(frozen=True)
class Replayed:
    """A replay that was run, by three witnesses: infx, the server's log, and the wire."""

    outcome: Outcome
    log: dict[int, Sent]
    wire: Wire

    @cached_property
    def folder(self) -> Path:
        (point,) = self.outcome.run.points
        return point_folder(self.outcome.run.bundle.path, point)

    @cached_property
    def plan(self) -> Plan:
        return open_plan(self.folder / PLAN)

    @cached_property
    def records(self) -> tuple[RequestRecord, ...]:
        (point,) = self.outcome.run.points
        return self.outcome.run.bundle.records(point)

    @cached_property
    def expected(self) -> Mapping[Pair, Expected]:
        return expected_of(self.folder)

    @property
    def workload(self) -> AgenticWorkload:
        (point,) = self.outcome.run.points
        assert isinstance(point.workload, AgenticWorkload)
        return point.workload

    @cached_property
    def profiled(self) -> list[RequestRecord]:
        return [record for record in self.records if record.phase is Phase.PROFILING]

    @cached_property
    def heard(self) -> dict[int, Heard]:
        return {one.number: one for one in self.wire.heard}

    def number(self, record: RequestRecord) -> int:
        """Return the plan's number of the turn that a request asked."""
        return self.plan.turns_of(record.session)[record.turn]

    def plays(self) -> dict[tuple[int, int], dict[int, RequestRecord]]:
        """Return the requests of profiling by lane and play, then by turn of the plan."""
        found: dict[tuple[int, int], dict[int, RequestRecord]] = defaultdict(dict)
        for record in self.profiled:
            found[record.lane, record.play][self.number(record)] = record
        return found


def replay(
    out: Path, *faults: str, wire: Wire | None = None, lanes: int = LANES, **changes: object
) -> Replayed:
    """Replay the corpus that ships; settings are AgentX's, for 60 s unless told otherwise."""
    wire = wire or Wire()
    settings = {"duration_s": 60.0, "warmups_per_lane": 2, **changes}
    workload = stated(
        AgenticWorkload.under("custom", corpus="sha256:" + "0" * 64, **settings), demo_path()
    )
    outcome, log, _ = play(
        out, Script(faults=read_faults(faults), **WHOLE), workload=workload, corpus=demo_path(),
        concurrency=(lanes,), before=wire.before,
    )  # fmt: skip
    return Replayed(outcome, by_number(log), wire)


@pytest.fixture(scope="module")
def minute(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    return replay(tmp_path_factory.mktemp("minute"))


def issued_is_the_sum_of_ends(outcome: Outcome) -> None:
    for point in outcome.run.result.points:
        for counts in (point.counts, point.warmup_counts):
            assert counts.issued == sum(getattr(counts, state) for state in EndState)


def test_a_bundle_is_whole_and_says_the_same_again(minute: Replayed) -> None:
    run = open_run(minute.outcome.run.bundle.path)
    assert verify_run(run.bundle.path) == ()
    assert run.manifest.state == "finished"
    issued_is_the_sum_of_ends(minute.outcome)
    (point,), (summary,) = run.points, run.result.points
    counts = summary.counts
    assert counts.issued == counts.ok + counts.cancelled_at_end > 400
    assert len(minute.records) == counts.issued + summary.warmup_counts.issued == len(minute.log)
    assert summary == summarise(point, run.bundle.records(point), minute.expected)
    assert (summary.certified, summary.reasons) == (True, ())


def test_equal_seeds_ask_the_same_and_others_do_not(tmp_path: Path, minute: Replayed) -> None:
    again = replay(tmp_path / "a", duration_s=1.0)
    other = replay(tmp_path / "b", duration_s=1.0, seed=7)
    digests = [one.outcome.run.points[0].plan_digest for one in (minute, again, other)]
    assert digests[0] == digests[1] != digests[2]


def test_every_request_is_its_turn_of_the_plan(minute: Replayed) -> None:
    """Body, limit and lengths are the plan's, in the warmup but for one token."""
    keys = Counter((one.lane, one.play, one.session, one.turn) for one in minute.profiled)
    assert set(keys.values()) == {1}
    for record in minute.records:
        heard, number = minute.heard[record.request], minute.number(record)
        turn = minute.plan.turn(number)
        warm = record.phase is Phase.WARMUP
        assert heard.body["max_tokens"] == (1 if warm else turn.asked_output)
        marker = f"[rid:{rid(minute, record)}]\\n\\n".encode()
        prompt = b"".join(minute.plan.prompt(number, marker)).decode()
        assert heard.body["messages"] == orjson.loads(f"[{prompt}]")
        assert record.asked_input == turn.asked_input
        # A marker is one word.
        assert minute.log[record.request].prompt_tokens == turn.asked_input + 1


def rid(replayed: Replayed, record: RequestRecord) -> str:
    """Return the first 12 hex digits of sha256 over seed:lane:play:trace."""
    trace = replayed.expected[record.session, record.turn].trace
    text = f"{replayed.workload.seed}:{record.lane}:{record.play}:{trace}"
    return sha256(text.encode()).hexdigest()[:12]


def test_a_marker_opens_the_first_message_of_the_user(minute: Replayed) -> None:
    for record in minute.records:
        messages = minute.heard[record.request].body["messages"]
        first = next(one for one in messages if one["role"] == "user")
        assert first["content"].startswith(f"[rid:{rid(minute, record)}]\n\n")
        assert minute.heard[record.request].text.count("[rid:") == 1


def test_headers_name_the_request_and_its_stream(minute: Replayed) -> None:
    (point,) = minute.outcome.run.points
    for record in minute.records:
        headers = minute.heard[record.request].headers
        stream = f"{point.request_name}-l{record.lane}-p{record.play}-s{record.session}"
        assert headers["x-correlation-id"] == headers["x-session-affinity"] == stream


def due_moments(replayed: Replayed) -> Iterator[tuple[RequestRecord, int]]:
    """Yield the requests whose turns follow others, and when the server's log makes them due.

    That is the recorded pause after the end of the turn that it follows, or the last end of those
    that it waits for, whichever is later.
    """
    plan, log = replayed.plan, replayed.log
    for asked in replayed.plays().values():
        for number, record in asked.items():
            base, holds = plan.base_of(number), plan.holds_of(number)
            if base in asked and all(hold in asked for hold in holds):
                delay = plan.turn(number).delay_ns
                ends = [log[asked[hold].request].ended_ns for hold in holds]
                yield record, max(log[asked[base].request].ended_ns + delay, *ends, 0)


def test_turns_come_when_the_servers_own_log_makes_them_due(minute: Replayed) -> None:
    """Pauses, joins and what else had to happen before, to the nanosecond."""
    (point,) = minute.outcome.run.points
    assert point.audit["idle_skipped"] == point.audit["tree_idle_skipped"] == {"times": 0, "s": 0}
    checked = joins = 0
    for record, due in due_moments(minute):
        assert minute.log[record.request].received_ns == due
        checked += 1
        joins += bool(minute.plan.holds_of(minute.number(record)))
    assert checked > 300
    assert joins > 10


def test_nothing_is_ever_late(minute: Replayed) -> None:
    assert {one.sent_ns - one.due_ns for one in minute.records} == {0}


def test_a_lane_plays_one_tree_at_a_time(minute: Replayed) -> None:
    plan = minute.plan
    tree_of = {stream: tree for tree in range(plan.trees) for stream in plan.streams_of(tree)}
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for (lane, play_), asked in minute.plays().items():
        assert {tree_of[one.session] for one in asked.values()} == {
            (lane + play_ * LANES) % plan.trees
        }
        moments = [(one.sent_ns, one.end_ns) for one in asked.values()]
        spans[lane].append((play_, min(m[0] for m in moments), max(m[1] for m in moments)))
    for lane in range(LANES):
        order = sorted(spans[lane])
        assert len(order) > 2, "no lane was recycled"
        assert all(before[2] <= after[1] for before, after in pairwise(order))


def test_an_overflow_ends_its_stream_and_what_that_would_start(tmp_path: Path) -> None:
    done = replay(tmp_path, "overflow@25+3")
    over = [one for one in done.profiled if one.state is EndState.OVERFLOW]
    assert len(over) == sum(bool(done.log[one.request].faults) for one in done.profiled) > 10
    plan = done.plan
    for asked in done.plays().values():
        cut = {n for n, one in asked.items() if one.state is EndState.OVERFLOW}
        for number in asked:
            assert plan.base_of(number) not in cut
    issued_is_the_sum_of_ends(done.outcome)
    assert "context-overflow" in done.outcome.run.result.reasons


def test_sessions_from_their_start_are_played_once(tmp_path: Path) -> None:
    """Without a duration: every turn of every trace, once, and nothing is cut."""
    done = replay(tmp_path, window=None, warmups_per_lane=0, duration_s=None)
    plan = done.plan
    turns = sum(len(plan.turns_of(s)) for t in range(plan.trees) for s in plan.streams_of(t))
    assert sorted(map(done.number, done.records)) == list(range(turns))
    assert {one.state for one in done.records} == {EndState.OK}
    assert len(done.expected) == turns
    for record in done.records:
        recorded = done.expected[record.session, record.turn]
        assert record.completion_tokens == record.asked_output == recorded.output_tokens
