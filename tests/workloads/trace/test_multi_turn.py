"""Conversations as text, one a row."""

import orjson
import pytest

from infx.model.trace import ANSWER, Content
from infx.model.workload import Message
from infx.workloads.trace import multi_turn
from infx.workloads.trace.reading import Tally
from recorded import S, corpus
from refusals import refusal


def said(text: str) -> list[dict]:
    """Messages by their first letters: s, u and a are system, user and assistant."""
    roles = {"s": "system", "u": "user", "a": "assistant"}
    return [{"role": roles[word[0]], "content": word} for word in text.split()]


def contents(*texts: str) -> list[Content]:
    return [
        Content(tuple(Message(m["role"], (m["content"],)) for m in said(text))) for text in texts
    ]


def read(tmp_path, *rows: dict):
    return list(multi_turn.traces(corpus(tmp_path, *rows), tally=Tally()))


@pytest.mark.parametrize(
    ("messages", "requests"),
    [
        ("u1", ["u1"]),
        ("s1 u1 a1 u2 a2", ["s1 u1", "a1 u2"]),
        ("s1 u1 a1 u2", ["s1 u1", "a1 u2"]),
        ("u1 u2 a1 a2 u3", ["u1 u2", "a1 a2 u3"]),
        ("a1 u1 a2", ["a1 u1"]),
    ],
)
def test_a_recorded_answer_ends_a_request_and_begins_the_next_one(tmp_path, messages, requests):
    (trace,) = read(tmp_path, {"messages": said(messages)})
    (stream,) = trace.streams
    assert [call.content for call in stream.calls] == contents(*requests)
    assert trace.id == "row-1"


def test_an_answer_without_text_is_the_servers_own(tmp_path):
    """The second answer was recorded; an unrecorded one at the end is never asked for again."""
    unknown = {"role": "assistant", "content": None}
    one, two, three = (said(text)[0] for text in ("u1", "u2", "u3"))
    (trace,) = read(
        tmp_path, {"messages": [one, unknown, two, *said("a2"), three, {"role": "assistant"}]}
    )
    asked = [call.content.messages for call in trace.streams[0].calls]
    u1, u2, a2, u3 = (contents(text)[0].messages[0] for text in ("u1", "u2", "a2", "u3"))
    assert asked == [(u1,), (ANSWER, u2), (a2, u3)]
    assert asked[1][0] is ANSWER


@pytest.mark.parametrize("before", ["", "s1", "u1 a1"])
def test_an_answer_to_nothing_cannot_be_the_servers_own(tmp_path, before):
    row = {"messages": [*said(before), {"role": "assistant", "content": None}, *said("u2")]}
    place = len(before.split())
    assert f"messages[{place}].content: expected text, found nothing" in refusal(
        lambda: read(tmp_path, row)
    )


def test_lengths_and_pauses_are_one_for_all_or_one_each(tmp_path):
    """Pauses of 500 ms before the second and the third request."""
    three = said("u1 a1 u2 a2 u3")
    one, each = read(
        tmp_path,
        {"session_id": "x", "messages": three, "output_tokens": 7, "delay": 500},
        {"session_id": "y", "messages": three, "max_tokens": [1, 2, 3], "delay": [500, 1000]},
    )
    assert [(call.output_tokens, call.start_ns) for call in one.streams[0].calls] == [
        (7, 0), (7, S // 2), (7, S),
    ]  # fmt: skip
    assert [(call.output_tokens, call.start_ns) for call in each.streams[0].calls] == [
        (1, 0), (2, S // 2), (3, 3 * S // 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({}, "messages: expected a list, found nothing"),
        (
            {"messages": said("a1")},
            "messages: expected a request: a message before an assistant's, or at the end",
        ),
        (
            {"messages": said("u1"), "output_tokens": [1, 2]},
            "output_tokens: expected a number of at least 1, or a list of 1 of them",
        ),
        (
            {"messages": said("u1"), "output_tokens": 0},
            "output_tokens: expected a number of at least 1, or a list of 1 of them",
        ),
        (
            {"messages": said("u1"), "delay": "1"},
            "delay: expected a number of at least 0, or a list of 0 of them",
        ),
        (
            {"messages": said("u1"), "max_tokens": 1, "output_tokens": 1},
            "expected one of output_tokens and max_tokens, found both",
        ),
        (
            {"messages": said("u1"), "session_id": "x"},
            "session_id: a second conversation 'x'; names are unique in a corpus",
        ),
        (
            {"messages": said("u1"), "prompt": "x"},
            (
                "prompt: unknown field; known are session_id, messages, output_tokens, "
                "max_tokens, delay, tools, extra"
            ),
        ),
    ],
)
def test_a_bad_row_says_its_line_field_and_expectation(tmp_path, row, told):
    first = {"session_id": "x", "messages": said("u1")}
    assert refusal(lambda: read(tmp_path, first, row)) == f"{tmp_path}/traces.jsonl:2: {told}"


def test_tool_calls_stay_with_their_messages_and_what_is_nobodys_is_named(tmp_path):
    calls = [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]
    messages = [
        {"role": "user", "content": "list", "timestamp": 5, "name": None},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "a b", "tool_call_id": "c1"},
    ]
    (trace,) = read(tmp_path, {"messages": messages})
    first, second = (call.content for call in trace.streams[0].calls)
    assert first.unsaid == second.unsaid == ("messages[].timestamp",)
    assert first.messages == (Message("user", ("list",)),)
    called, told = second.messages
    assert (called.role, called.parts, told.parts) == ("assistant", ("",), ("a b",))
    assert orjson.loads(f"{{{called.members}}}") == {"tool_calls": calls}
    assert orjson.loads(f"{{{told.members}}}") == {"tool_call_id": "c1"}
