"""Replays from corpus to bundle, against the truth server and in virtual time.

What was asked is held against the plan, and against what the server itself saw.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import orjson
import pytest

from infx.flows import point
from infx.flows.curves import series_of
from infx.flows.options import BenchOptions
from infx.flows.runs import open_run, verify_run
from infx.flows.summary import summarise_in
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import Script
from infx.store.bundles import point_folder
from infx.store.datasets import demo_path
from infx.store.plans import pack_plan, read_plan
from playing import play
from replaying import LANES, Replayed, agentic, issued_is_the_sum_of_ends, replay


@pytest.fixture(scope="module")
def minute(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    return replay(tmp_path_factory.mktemp("minute"))


def test_a_bundle_is_whole_and_says_the_same_again(minute: Replayed) -> None:
    run = open_run(minute.outcome.run.bundle.path)
    assert verify_run(run.bundle.path) == ()
    assert run.manifest.state == "finished"
    issued_is_the_sum_of_ends(minute.outcome)
    (point,), (summary,) = run.points, run.result.points
    counts = summary.counts
    assert counts.issued == counts.ok + counts.cancelled_at_end > 400
    assert len(minute.records) == counts.issued + summary.warmup_counts.issued == len(minute.log)
    folder = point_folder(run.bundle.path, point)
    assert summary == summarise_in(folder, point, run.bundle.records(point))
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
        # The recorded length, and around it the chat template and the marker's one word.
        assert minute.log[record.request].prompt_tokens == turn.asked_input


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

    That is the recorded pause after the end of the turn that it follows, or after its arrival where
    the two overlapped, or the last end of those that it waits for, whichever is later.
    """
    plan, log = replayed.plan, replayed.log
    for asked in replayed.plays().values():
        for number, record in asked.items():
            base, holds = plan.base_of(number), plan.holds_of(number)
            if base in asked and all(hold in asked for hold in holds):
                delay = plan.turn(number).delay_ns
                ends = [log[asked[hold].request].ended_ns for hold in holds]
                before = log[asked[base].request]
                since = before.received_ns if plan.overlaps(number) else before.ended_ns
                yield record, max(since + delay, *ends, 0)


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


def test_one_run_may_ask_requests_and_then_replay(tmp_path: Path) -> None:
    """Text is sized once; the curve is that of what was asked first."""
    corpus = demo_path()
    fixed = FixedWorkload(isl=64, osl=8)
    options = {"url": "http://truth.test:8000", "out": tmp_path}
    again = BenchOptions(
        **options, workload=agentic(duration_s=5.0), corpus=corpus, concurrency=(2,)
    )
    outcome, log, said = play(
        tmp_path, Script(ttft_s=0.05), workload=fixed, concurrency=(1, 2), then=(again,)
    )
    assert [point.workload.scenario for point in outcome.run.points] == [
        "fixed", "fixed", "agentic",
    ]  # fmt: skip
    assert verify_run(outcome.run.bundle.path) == ()
    assert sum("calibrating" in line for line in said) == 1
    probes = [sent for sent in log if not sent.stream]
    assert len(probes) == len({sent.prompt_tokens for sent in probes})
    fixed_series, replays = series_of(outcome.run.result)
    assert [point.concurrency for point in fixed_series.curves[0].points] == [1, 2]
    assert (replays.name, [point.concurrency for point in replays.points]) == ("agentic", [2])


def test_a_large_plan_is_packed_once_its_point_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minute: Replayed
) -> None:
    monkeypatch.setattr(point, "pack_plan", partial(pack_plan, least=1000))
    done = replay(tmp_path, duration_s=1.0)
    assert not (done.folder / "plan.bin").exists()
    assert read_plan(done.folder) == (minute.folder / "plan.bin").read_bytes()
    assert verify_run(done.outcome.run.bundle.path) == ()
