"""aiperf's records: written, read back, and refused where they are none."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import record
from infx.interchange import aiperf_records
from infx.interchange.aiperf_requests import own
from infx.model.aiperf import InfxRecord
from infx.model.record import EndState, Phase, RequestRecord
from outgoing import outgoing
from refusals import refusal

ANCHOR_NS = 1_800_000_000_000_000_000 - 1_000
"""What the hand-made manifest's wall clock is ahead of its monotonic one."""


def written(tmp_path: Path, *records: RequestRecord) -> list[dict]:
    path = aiperf_records.write(outgoing(*records), tmp_path)
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_is_aiperfs(tmp_path: Path) -> None:
    """Sent at 1 s, first content after 0.5 s, two gaps of 1 s: 2500 ms in all, 2000 of decoding.

    41 tokens in 2 s after the first are 50 ms apart, and 20 a second; over 2.5 s they are 16.4.
    40 were asked for: 2.5 % more came.
    """
    one = record(
        sent=1.0, due=0.75, first=1.5, gaps=(1.0, 1.0), output_at=1.5, end=3.75, request=7,
        session=1, lane=1, play=2, asked_input=100, asked_output=40, prompt_tokens=100,
        completion_tokens=41, reasoning_tokens=1, cached_tokens=64, first_byte_ns=1_250_000_000,
    )  # fmt: skip
    (line,) = written(tmp_path, one)
    name = outgoing(one).point.request_name
    assert line["metadata"] == {
        "session_num": 0,
        "x_request_id": f"{name}-7",
        "x_correlation_id": f"{name}-l1-p2-s1",
        "root_correlation_id": f"{name}-l1-p2-s0",
        "parent_correlation_id": f"{name}-l1-p2-s0",
        "conversation_id": "t::sa:x",
        "turn_index": 0,
        "source_trace_id": "t",
        "source_outer_idx": 1,
        "source_inner_idx": 0,
        "source_kind": "weka_subagent",
        "credit_issued_ns": ANCHOR_NS + 750_000_000,
        "request_start_ns": ANCHOR_NS + 1_000_000_000,
        "request_ack_ns": ANCHOR_NS + 1_250_000_000,
        "request_end_ns": ANCHOR_NS + 3_500_000_000,
        "worker_id": "infx",
        "record_processor_id": "infx",
        "benchmark_phase": "profiling",
        "phase_index": 1,
        "profiling_index": 0,
        "phase_name": "profiling",
        "phase_kind": "profiling",
        "was_cancelled": False,
        "context_overflow_skip": False,
        "agent_depth": 1,
    }
    told = {name: (one["value"], one["unit"]) for name, one in line["metrics"].items()}
    assert told == {
        "request_latency": (2500, "ms"),
        "time_to_first_token": (500, "ms"),
        "time_to_first_output_token": (500, "ms"),
        "time_to_second_token": (1000, "ms"),
        "decode_duration": (2000, "ms"),
        "inter_chunk_latency": ([1000, 1000], "ms"),
        "inter_token_latency": (50, "ms"),
        "input_sequence_length": (100, "tokens"),
        "output_sequence_length": (41, "tokens"),
        "output_token_count": (40, "tokens"),
        "reasoning_token_count": (1, "tokens"),
        "usage_prompt_tokens": (100, "tokens"),
        "usage_completion_tokens": (41, "tokens"),
        "usage_reasoning_tokens": (1, "tokens"),
        "usage_total_tokens": (141, "tokens"),
        "usage_prompt_cache_read_tokens": (64, "tokens"),
        "output_token_throughput_per_user": (20, "tokens/sec/user"),
        "e2e_output_token_throughput": (pytest.approx(16.4), "tokens/sec/user"),
        "prefill_throughput_per_user": (200, "tokens/sec/user"),
        "osl_mismatch_diff_pct": (2.5, "%"),
    }
    assert "error" not in line


def test_several_tokens_in_the_first_chunk_are_not_decoded_later(tmp_path: Path) -> None:
    """40 tokens, 4 of them in the first chunk, 2 s of decoding: 2 / 36 s each."""
    one = record(first=0.5, gaps=(2.0,), completion_tokens=40, first_chunk_tokens=4)
    (line,) = written(tmp_path, one)
    assert line["metrics"]["inter_token_latency"]["value"] == pytest.approx(2000 / 36)


@pytest.mark.parametrize(
    ("state", "error", "marks"),
    [
        (EndState.ERROR, {"code": 503, "type": "http-503", "message": "busy"}, (False, False)),
        (EndState.OVERFLOW, {"code": 503, "type": "http-503", "message": "busy"}, (False, True)),
        (
            EndState.CANCELLED_AT_END,
            {"code": 499, "type": "RequestCancellationError", "message": "busy"},
            (True, False),
        ),
        (EndState.LOST, {"code": 503, "type": "http-503", "message": "busy"}, (False, False)),
    ],
)
def test_what_did_not_end_ok_has_an_error(tmp_path: Path, state, error, marks) -> None:
    one = record(state=state, end=1.0, status=503, reason="http-503", detail="busy")
    (line,) = written(tmp_path, one)
    assert line["error"] == error
    metadata = line["metadata"]
    assert (metadata["was_cancelled"], metadata["context_overflow_skip"]) == marks
    assert ("cancellation_time_ns" in metadata) == marks[0]


def test_streams_inside_a_subagent_are_deeper(tmp_path: Path) -> None:
    (line,) = written(tmp_path, record(session=2, end=1.0))
    metadata = line["metadata"]
    assert (metadata["agent_depth"], metadata["source_kind"]) == (2, "weka_subagent")
    assert metadata["parent_correlation_id"].endswith("-s1")
    assert metadata["root_correlation_id"].endswith("-s0")


COUNT = st.none() | st.integers(0, 10**7)
MOMENT = st.integers(0, 10**13)


@st.composite
def any_record(draw: st.DrawFn, number: int) -> RequestRecord:
    """A request of any kind whose moments follow each other."""
    due, sent, byte, first = sorted(draw(st.lists(MOMENT, min_size=4, max_size=4)))
    gaps = tuple(draw(st.lists(st.integers(0, 10**12), max_size=5)))
    content = draw(st.booleans())
    state = draw(st.sampled_from(EndState))
    return RequestRecord(
        request=number,
        session=draw(st.integers(0, 4)),
        turn=draw(st.integers(0, 3)),
        lane=draw(st.integers(-1, 9)),
        play=draw(st.integers(0, 9)),
        phase=draw(st.sampled_from(Phase)),
        state=state,
        due_ns=due,
        sent_ns=sent,
        first_byte_ns=byte if content else None,
        first_content_ns=first if content else None,
        first_output_ns=first + gaps[0] if content and gaps else None,
        gaps_ns=gaps if content else (),
        end_ns=None if state is EndState.LOST else first + sum(gaps) + draw(st.integers(0, 99)),
        asked_input=draw(COUNT),
        asked_output=draw(st.integers(1, 10**6)),
        late_ns=draw(COUNT),
        prompt_tokens=draw(COUNT),
        completion_tokens=draw(COUNT),
        reasoning_tokens=draw(COUNT),
        cached_tokens=draw(COUNT),
        first_chunk_tokens=draw(COUNT),
        finish=draw(st.sampled_from([None, "stop"])),
        reason=draw(st.sampled_from([None, "reset"])),
        detail=draw(st.none() | st.text(max_size=9)),
        status=draw(st.sampled_from([None, 200, 503])),
        text=draw(st.none() | st.text(max_size=9)),
        server=draw(st.none() | st.dictionaries(st.text(max_size=3), st.floats(0, 9), max_size=2)),
    )


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_infx_wrote_is_read_back_as_it_was(tmp_path_factory, data) -> None:
    records = tuple(data.draw(any_record(number)) for number in range(data.draw(st.integers(1, 3))))
    told = replace(outgoing(), records=records)
    path = aiperf_records.write(told, tmp_path_factory.mktemp("export"))
    assert own(aiperf_records.read(path), told.manifest.anchor, where="x") == records


def test_every_field_of_a_request_has_its_place() -> None:
    """A new field of a request must be written too, or importing again would lose it."""
    in_aiperf = {
        "phase", "due_ns", "sent_ns", "first_byte_ns", "first_content_ns", "first_output_ns",
        "gaps_ns", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens",
    }  # fmt: skip
    known = in_aiperf | set(InfxRecord.model_fields)
    assert {field.name for field in fields(RequestRecord)} == known


def test_lines_that_are_no_records_are_named(tmp_path: Path) -> None:
    path = tmp_path / "profile_export.jsonl"
    good = '{"metadata": {"session_num": 0, "request_start_ns": 1, "request_end_ns": 2}}'
    path.write_text(f'{good}\n\n{good.replace("1,", "true,")}\n{{"metadata": {{}}}}\nnot JSON\n')
    said = refusal(lambda: aiperf_records.read(path)).splitlines()
    assert [line.split(" is not of an aiperf record")[0] for line in said] == [
        f"{path}:3: metadata.request_start_ns",
        f"{path}:4: metadata.session_num",
        f"{path}:5: the line",
    ]


def test_a_file_without_records_and_one_that_is_not_there_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "profile_export.jsonl"
    assert "cannot be read" in refusal(lambda: aiperf_records.read(path))
    path.write_text("\n")
    assert "the file has no record" in refusal(lambda: aiperf_records.read(path))
