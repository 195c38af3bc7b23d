"""Mooncake rows: lengths with global block ids, or text; sessions across rows."""

import json

import pytest

from infx.model.trace import ANSWER, Content
from infx.model.workload import Message
from infx.workloads.trace import mooncake
from infx.workloads.trace.reading import Tally
from recorded import S, corpus
from refusals import refusal


def read(tmp_path, *rows: dict, **options):
    return list(mooncake.traces(corpus(tmp_path, *rows), tally=Tally(), **options))


def test_rows_of_one_session_are_its_turns_wherever_they_stand(tmp_path):
    """Session b: due at 2000 ms, then 500 ms after that, then at 4000 ms, which is 2 s after 2 s.

    Its start in the corpus is 2 s; its own times count from there.
    """
    b, a, *lone = read(
        tmp_path,
        {"session_id": "b", "input_length": 700, "output_length": 9, "hash_ids": [1, 2],
         "timestamp": 2000},
        {"session_id": "a", "input_length": 10, "timestamp": 2100},
        {"input_length": 5, "timestamp": 2200},
        {"session_id": "b", "input_length": 900, "hash_ids": [1, 2], "delay": 500},
        {"input_length": 6},
        {"session_id": "b", "input_length": 950, "timestamp": 4000},
    )  # fmt: skip
    (stream,) = b.streams
    assert [call.start_ns for call in stream.calls] == [0, S // 2, 2 * S]
    assert [call.input_tokens for call in stream.calls] == [700, 900, 950]
    assert (stream.calls[0].output_tokens, stream.calls[1].output_tokens) == (9, None)
    assert list(stream.calls[0].blocks) == [1, 2]
    assert (b.arrival_ns, b.block_tokens, b.shared_blocks) == (2 * S, 512, True)
    assert (a.id, [trace.id for trace in lone]) == ("a", ["row-1", "row-2"])
    assert lone[1].arrival_ns is None
    assert b.where == f"{tmp_path}/traces.jsonl:1"


def test_texts_follow_each_other_and_messages_are_whole_prompts(tmp_path):
    texts, arrays = read(
        tmp_path,
        {"session_id": "t", "text_input": "hello"},
        {"session_id": "m", "messages": [{"role": "user", "content": "x"}], "tools": [{"a": 1}]},
        {"session_id": "t", "text_input": "again", "extra": {"top_k": 1}},
    )
    (stream,) = texts.streams
    assert [call.content for call in stream.calls] == [
        Content((Message("user", ("hello",)),)),
        Content((ANSWER, Message("user", ("again",))), extra={"top_k": 1}),
    ]
    assert arrays.streams[0].calls[0].content == Content(
        (Message("user", ("x",)),), whole=True, extra={"tools": [{"a": 1}]}
    )


def test_a_payload_keeps_what_the_replay_does_not_state_itself(tmp_path):
    body = {"model": "x", "stream": True, "max_tokens": 3, "temperature": 0.5,
            "messages": [{"role": "user", "content": "x"}]}  # fmt: skip
    (trace,) = read(tmp_path, {"payload": body})
    content = trace.streams[0].calls[0].content
    assert content == Content((Message("user", ("x",)),), whole=True, extra={"temperature": 0.5})


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({}, "expected exactly one of input_length, text_input, messages, payload, found none"),
        (
            {"input_length": 1, "text_input": "x"},
            (
                "expected exactly one of input_length, text_input, messages, payload, found "
                "input_length and text_input"
            ),
        ),
        (
            {"text_input": "x", "hash_ids": [1]},
            "hash_ids belong to input_length, which this row has not",
        ),
        ({"text_input": "x", "tools": []}, "tools belong to messages, which this row has not"),
        ({"input_length": 0}, "input_length: expected a whole number of at least 1, found 0"),
        (
            {"input_length": 1, "delay": -1},
            "delay: expected a time in milliseconds of at least 0, found -1",
        ),
        (
            {"input_length": 1, "output_lenght": 3},
            "output_lenght: unknown field; did you mean output_length?",
        ),
        ({"messages": []}, "messages: expected at least one message, found an empty list"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[0].content: expected text, found a list; only text is replayed",
        ),
        (
            {"messages": [{"role": "usr", "content": "x"}]},
            "messages[0].role: unknown role 'usr'; did you mean user?",
        ),
        (
            {"payload": {"prompt": "x"}},
            "payload.messages: expected a list of messages, found nothing; only text is replayed",
        ),
    ],
)
def test_a_bad_row_says_its_line_field_and_expectation(tmp_path, row, said):
    path = corpus(tmp_path, {"input_length": 1}, row)
    seen = []

    def call():
        seen.extend(mooncake.traces(path, tally=Tally()))

    assert refusal(call) == f"{path}:2: {said}"
    assert not seen


def test_bad_rows_can_be_passed_over(tmp_path):
    path = corpus(
        tmp_path, {"session_id": "a", "input_length": 1}, {}, {"session_id": "a", "input_length": 2}
    )
    tally = Tally()
    (trace,) = mooncake.traces(path, tally=tally, skip_bad=True)
    assert (trace.calls, tally.rows, tally.skipped) == (2, 3, 1)


def test_a_byte_order_mark_is_passed_over_both_times(tmp_path):
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"input_length": 3}).encode())
    (trace,) = mooncake.traces(path, tally=Tally())
    assert trace.streams[0].calls[0].input_tokens == 3


def test_the_block_size_can_be_stated(tmp_path):
    (trace,) = read(tmp_path, {"input_length": 3}, block_tokens=16)
    assert trace.block_tokens == 16
