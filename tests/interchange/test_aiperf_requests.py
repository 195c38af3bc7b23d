"""What another client's records become: requests, plays, lanes, and what is known of the traces."""

from itertools import pairwise

from foreign import MS, START, line
from infx.interchange.aiperf_requests import Incoming, foreign
from infx.model.aiperf import AiperfRecord
from infx.model.record import EndState, Phase
from infx.store.expected import RecordedStream, RecordedTurn
from refusals import refusal


def read(*lines: dict, known: tuple[RecordedStream, ...] = ()) -> Incoming:
    told = [AiperfRecord.model_validate(one, strict=False) for one in lines]
    return foreign(told, known, where="export")


def known(*turns: int | None, stream: str = "t") -> RecordedStream:
    """A recorded stream by the outputs of its turns."""
    return RecordedStream(
        stream=4,
        trace="t",
        name=stream,
        turns=tuple(
            RecordedTurn(outer=n, inner=None, input_tokens=64, output_tokens=out, known=1, blocks=2)
            for n, out in enumerate(turns)
        ),
    )


def test_moments_chunks_and_counts_are_taken_over() -> None:
    """By default 100 tokens in, 3 out, a TTFT of 50 ms and gaps of 10 and 20 ms."""
    (one,) = read(line(request_ack_ns=START + 49 * MS)).records
    assert (one.phase, one.state) == (Phase.PROFILING, EndState.OK)
    assert (one.due_ns, one.sent_ns) == (START - MS, START)
    assert (one.first_byte_ns, one.first_content_ns) == (START + 49 * MS, START + 50 * MS)
    assert one.gaps_ns == (10 * MS, 20 * MS)
    assert one.last_content_ns == one.end_ns == START + 80 * MS
    assert (one.prompt_tokens, one.completion_tokens, one.asked_output) == (100, 3, 3)
    assert (one.asked_input, one.late_ns, one.finish, one.first_chunk_tokens) == (None,) * 4


def test_a_credit_that_another_clock_saw_later_was_due_at_its_send() -> None:
    (one,) = read(line(credit_issued_ns=START + 7)).records
    assert one.due_ns == one.sent_ns == START


def test_the_asked_output_follows_from_how_far_it_was_off() -> None:
    """75 tokens are 25 % less than 100."""
    (one,) = read(line(tokens=(9, 75), off=-25.0)).records
    assert one.asked_output == 100


def test_what_no_record_tells_the_corpus_knows() -> None:
    """A recorded output of 0 is asked as 1; a warmup always asks for one token."""
    lines = [
        line(0, off=None),
        line(1, off=None, sent=1),
        line(0, off=None, sent=2, phase="warmup"),
    ]
    first, second, warmup = read(*lines, known=(known(12, 0),)).records
    assert [one.asked_output for one in (first, second, warmup)] == [12, 1, 1]
    assert {(one.session, one.asked_input) for one in (first, second)} == {(4, 64)}


def test_a_failed_request_asked_what_another_play_of_its_turn_asked() -> None:
    busy = {"code": 503, "type": "ServerError", "message": "busy"}
    good, failed = read(line(0), line(0, sent=1, play="p1", error=busy)).records
    assert failed.asked_output == good.asked_output == 3
    assert (failed.state, failed.status) == (EndState.ERROR, 503)
    assert (failed.reason, failed.detail) == ("ServerError", "busy")


def test_overflows_and_cuts_are_told_from_failures() -> None:
    texts = ("This model's Maximum Context length is 9", "boom")
    errors = [{"code": 400, "type": "E", "message": text} for text in texts]
    lines = [line(0, error=one, play=f"p{n}", sent=n) for n, one in enumerate(errors)]
    lines.append(line(0, error=errors[1], play="p2", sent=2, was_cancelled=True))
    lines.append(line(0, error=errors[1], play="p3", sent=3, context_overflow_skip=True))
    lines.append(line(0, play="p4", sent=4))
    assert [one.state for one in read(*lines).records] == [
        EndState.OVERFLOW, EndState.ERROR, EndState.CANCELLED_BY_PLAN, EndState.OVERFLOW,
        EndState.OK,
    ]  # fmt: skip


def test_a_tree_follows_on_the_lane_that_became_free_last() -> None:
    """A runs to 0.08 s and B beside it to 0.09 s. C follows B, D follows A, E finds none free."""
    starts = {"A": 0.0, "B": 0.01, "C": 0.1, "D": 0.11, "E": 0.12}
    lines = [line(0, sent=sent, play=name, trace=name) for name, sent in starts.items()]
    assert [(one.lane, one.play) for one in read(*lines).records] == [
        (0, 0), (1, 0), (1, 1), (0, 1), (2, 0),
    ]  # fmt: skip


def test_a_tree_is_its_root_and_all_below_it() -> None:
    lines = [
        line(0),
        line(0, stream="sa:x", sent=0.1),
        line(1, sent=0.3),
        line(0, play="q", sent=1),
    ]
    records = read(*lines).records
    assert [(one.lane, one.play, one.session, one.turn) for one in records] == [
        (0, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 1, 0, 0),
    ]  # fmt: skip


def test_a_trace_is_known_that_was_played_from_its_start_to_its_end() -> None:
    """Play p of t has two turns and a subagent, and the lane went on to u, whose end nobody saw."""
    whole = [line(0), line(0, stream="sa:x", sent=0.1, source_outer_idx=3), line(1, sent=0.3)]
    streams = read(*whole, line(0, trace="u", play="q", sent=1)).streams
    assert [(one.stream, one.name, len(one.turns)) for one in streams] == [
        (0, "t", 2), (1, "t::sa:x", 1),
    ]  # fmt: skip
    assert streams[1].turns[0].outer == 3
    turn = streams[0].turns[0]
    assert (turn.input_tokens, turn.output_tokens, turn.known, turn.blocks) == (None, 3, 0, 0)


def test_a_play_that_began_in_its_middle_or_failed_tells_nothing_of_its_trace() -> None:
    middle = [line(1), line(2, sent=0.2), line(0, trace="u", play="q", sent=1)]
    assert read(*middle).streams == ()
    failed = [line(0), line(0, play="r", sent=0.4)]
    failed.append(line(1, sent=0.2, error={"message": "boom"}, x_request_id="f"))
    failed.append(line(1, play="r", sent=0.6))
    assert read(*failed, line(0, trace="u", play="q", sent=1)).streams[0].turns[1].outer == 1


def test_records_that_cannot_be_requests_are_all_refused_at_once() -> None:
    lines = [
        line(0, off=None),
        line(1, sent=1, gaps_ms=(10.0,)) | {},
        line(2, sent=2, request_ack_ns=START),
    ]
    lines[1]["metrics"]["request_latency"]["value"] = 80.0
    said = refusal(lambda: read(*lines)).splitlines()
    assert [line.rpartition("; ")[0] for line in said] == [
        "export: request p0-t-0 does not say how many tokens it asked for",
        "export: request p0-t-1: inter_chunk_latency does not add up to its latency of 80000000 ns",
        "export: request p0-t-2: its moments do not follow each other",
    ]


def test_a_record_that_is_not_of_the_corpus_is_refused() -> None:
    said = refusal(lambda: read(line(0), line(2, sent=1), known=(known(3, 3),)))
    assert said == (
        "export: request p0-t-2 is turn 2 of 't', which the corpus does not have; give the corpus"
        " that was replayed"
    )


def test_requests_are_numbered_in_the_order_of_their_sending() -> None:
    records = read(line(1, sent=1), line(0), line(2, sent=2)).records
    assert [one.request for one in records] == [0, 1, 2]
    assert all(a.sent_ns < b.sent_ns for a, b in pairwise(records))
