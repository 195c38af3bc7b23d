"""What infx says of a server that misbehaves, beside what that server logged.

Four lanes ask 24 requests; the first token comes after 40 ms, 40 tokens come 5 ms apart, and a
fault strikes every fourth request, or every one. No time passes between the two sides, so counts
and figures must be equal, not near.
"""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from faulted import REQUESTS, WORKLOAD, assert_figures, run, value
from infx.clock import NS
from infx.model.record import EndState
from infx.model.result import Absent
from server_log import answer, assert_seen, figures


@dataclass(frozen=True)
class Good:
    """Faults after which an answer is still whole, with the script that they belong to."""

    faults: tuple[str, ...] = ()
    script: dict[str, object] = field(default_factory=dict)
    tokens_per_chunk: int = 1
    knows_first: bool = False


GOOD = {
    "as scripted": Good(),
    "4 tokens per chunk": Good(script={"tokens_per_chunk": 4}, tokens_per_chunk=4),
    "4 tokens per chunk, counted in each": Good(
        ("usage-always",), {"tokens_per_chunk": 4}, tokens_per_chunk=4, knows_first=True
    ),
    "role chunk at admission": Good(script={"role_chunk": "admission"}),
    "role chunk with the first token": Good(script={"role_chunk": "first-token"}),
    "no role chunk": Good(script={"role_chunk": "none"}),
    "finish chunk apart": Good(("finish-apart",)),
    "20 of 40 tokens as reasoning_content": Good(script={"reasoning_share": 0.5}),
    "text in the reasoning channel": Good(("channels:reasoning",)),
    "tool calls only": Good(("channels:tool_calls",)),
    "channels in turn": Good(("channels:reasoning_content+tool_calls+content+reasoning",)),
    "empty deltas between": Good(("empty-deltas",)),
    "no [DONE]": Good(("no-done",)),
    "usage in every chunk": Good(("usage-always",), knows_first=True),
    "CRLF": Good(("crlf",)),
    "comments": Good(("comments",)),
    "no space after data": Good(("no-space",)),
    "multi-byte text": Good(("multibyte",)),
    "multi-byte text, single bytes": Good(("multibyte", "trickle:0")),
    "4 events per write": Good(script={"events_per_write": 4}),
    "4 events in one segment, late": Good(("batch:4",)),
    "HTTP chunks of one byte": Good(("rechunk:1",)),
    "HTTP chunks of 100 bytes": Good(("rechunk:100",)),
    "events in two segments": Good(("split:0",)),
    "events in two segments, 2 ms apart": Good(("split:0.002",)),
    "a slow trickle": Good(("trickle:0.0001",)),
    "cut after each answer": Good(("cut",)),
    "cut when idle": Good(("idle-cut:0.001",)),
    "everything odd at once": Good(
        (
            "channels:reasoning+content+tool_calls", "finish-apart", "empty-deltas", "comments",
            "no-space", "crlf", "no-done", "multibyte", "split:0.001",
        ),
        {"role_chunk": "admission", "tokens_per_chunk": 4},
        tokens_per_chunk=4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("when", ["", "@4"])
@pytest.mark.parametrize("case", GOOD)
def test_odd_answers_are_whole_and_measured_as_sent(tmp_path: Path, case: str, when: str) -> None:
    good = GOOD[case]
    load = run(tmp_path, *(f"{fault}{when}" for fault in good.faults), **good.script)
    assert load.point.counts.ok == load.point.counts.issued == REQUESTS == len(load.log)
    assert load.point.error_reasons == {}
    if good.faults:
        assert len(load.struck) == (6 if when else REQUESTS)
    answers = {
        number: answer(
            sent,
            tokens_per_chunk=good.tokens_per_chunk,
            knows_first=good.knows_first and bool(sent.faults),
        )
        for number, sent in load.log.items()
    }
    for number, record in load.records.items():
        assert_seen(record, answers[number])
        assert record.completion_tokens == load.log[number].completion_tokens == 40
        assert record.prompt_tokens == load.log[number].prompt_tokens == 64
    assert_figures(load.point, list(answers.values()))


FAILING = {
    "error:10": "in-stream-error",
    "error:0": "in-stream-error",
    "error:40": "in-stream-error",
    "error-event:10": "in-stream-error",
    "reset:head": "reset",
    "reset:0": "reset",
    "reset:10": "reset",
    "reset:10.5": "reset",
    "close:head": "truncated",
    "close:0": "truncated",
    "close:10": "truncated",
    "close:10.5": "truncated",
    "refuse:401": "unauthorized",
    "refuse:429": "rate-limited",
    "refuse:500": "http-500",
    "refuse:503": "http-503",
    "empty:done": "empty",
    "empty:finish": "empty",
    "empty:nothing": "empty",
    "overflow": "context-overflow",
}


@pytest.mark.parametrize("odd", [(), ("crlf", "comments", "split:0.001")], ids=["plain", "odd"])
@pytest.mark.parametrize(("fault", "reason"), FAILING.items())
def test_failures_are_counted_by_reason_and_leave_the_figures_alone(
    tmp_path: Path, fault: str, reason: str, odd: tuple[str, ...]
) -> None:
    load = run(tmp_path, f"{fault}@4", *(f"{name}@4" for name in odd))
    counts = load.point.counts
    state = EndState.OVERFLOW if fault == "overflow" else EndState.ERROR
    assert len(load.struck) == len(load.log) - 18 == 6
    assert (counts.issued, counts.ok, getattr(counts, state)) == (24, 18, 6)
    assert load.point.error_reasons == {reason: 6}
    failed = {n for n, record in load.records.items() if record.state is not EndState.OK}
    assert failed == load.struck
    for number in load.struck:
        sent, record = load.log[number], load.records[number]
        assert (record.state, record.reason) == (state, reason)
        assert record.sent_ns == sent.received_ns
        passed = answer(sent)
        assert record.chunks == len(passed.chunks)
        if passed.chunks:
            assert_seen(record, passed)
    good = [answer(sent) for number, sent in load.log.items() if number not in load.struck]
    assert_figures(load.point, good)


@pytest.mark.parametrize("act", ["reset:40", "close:40"])
def test_an_answer_that_lost_only_its_usage_is_whole(tmp_path: Path, act: str) -> None:
    """It said that it had finished; what is missing is named, and makes no rate."""
    load = run(tmp_path, f"{act}@4")
    assert load.point.counts.ok == REQUESTS
    for number, record in load.records.items():
        assert_seen(record, answer(load.log[number]))
        assert (record.completion_tokens is None) is (number in load.struck)
    assert "usage-missing" in load.point.reasons
    rate = load.point.metrics["output_throughput"]
    assert rate == Absent(reason="the server gave no count for 6 of 24 ok requests")


def test_where_usage_is_missing_what_needs_it_is_missing(tmp_path: Path) -> None:
    load = run(tmp_path, "usage-never@4")
    assert load.point.counts.ok == REQUESTS
    answers = {number: answer(sent) for number, sent in load.log.items()}
    counted = [answers[number] for number in answers.keys() - load.struck]
    for name, of in (("ttft", answers.values()), ("e2el", answers.values()), ("tpot", counted)):
        metric = value(load.point, name)
        assert metric.n == len(of)
        assert metric.mean == pytest.approx(figures(list(of))[name]["mean"], rel=1e-12)
    rate = load.point.metrics["output_throughput"]
    assert rate == Absent(reason="the server gave no count for 6 of 24 ok requests")
    assert "usage-missing" in load.point.reasons


@pytest.mark.parametrize("fault", ["stop:20", "prompt-count:1.5"])
def test_another_length_than_asked_is_measured_and_told(tmp_path: Path, fault: str) -> None:
    load = run(tmp_path, f"{fault}@4")
    assert load.point.counts.ok == REQUESTS
    assert_figures(load.point, [answer(sent) for sent in load.log.values()])
    name, reason = {
        "stop:20": ("output_shortfall", "output-shortfall"),
        "prompt-count:1.5": ("input_drift", "input-drift"),
    }[fault]
    metric = value(load.point, name)
    assert (metric.n, metric.mean) == (REQUESTS, 0.25)
    assert reason in load.point.reasons


@pytest.mark.parametrize("place", ["head", "0", "10", "10.5"])
def test_what_hangs_is_cut_at_the_end_and_counted_apart(tmp_path: Path, place: str) -> None:
    """Lane by lane the load dies; what was whole before is measured, and the rest is no success."""
    timed = WORKLOAD.model_copy(update={"requests": None, "duration_s": 2.0})
    load = run(tmp_path, f"hang:{place}@4", workload=timed)
    counts = load.point.counts
    assert counts.issued == len(load.log)
    assert counts.cancelled_at_end == len(load.struck) == 4, "one hangs on every lane"
    assert counts.ok == counts.issued - 4
    assert "censored" in load.point.reasons
    (window,) = load.outcome.run.points[0].phases
    for number in load.struck:
        record = load.records[number]
        assert record.state is EndState.CANCELLED_AT_END
        assert record.chunks == len(answer(load.log[number]).chunks)
        assert record.end_ns == window.end_ns == window.start_ns + round(32 * NS)
    good = [answer(sent) for number, sent in load.log.items() if number not in load.struck]
    assert_figures(load.point, good)


@pytest.mark.parametrize("place", ["head", "0", "10", "10.5"])
def test_with_a_time_limit_a_hang_is_a_failure_and_the_load_goes_on(
    tmp_path: Path, place: str
) -> None:
    load = run(tmp_path, f"hang:{place}@4", options={"request_timeout_s": 1.0})
    counts = load.point.counts
    assert (counts.issued, counts.ok, counts.error) == (24, 18, 6)
    assert load.point.error_reasons == {"timed-out": 6}
    for number in load.struck:
        record, sent = load.records[number], load.log[number]
        assert (record.state, record.reason) == (EndState.ERROR, "timed-out")
        assert sent.end == "client-closed"
        assert record.chunks == len(answer(sent).chunks)
        assert record.end_ns is not None
        # The driver looks four times a second.
        assert NS <= record.end_ns - record.sent_ns <= round(1.25 * NS)
    good = [answer(sent) for number, sent in load.log.items() if number not in load.struck]
    assert_figures(load.point, good)
