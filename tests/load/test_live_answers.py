"""Prompts that contain what the server answered before, in virtual time."""

import json
import re
from pathlib import Path

import orjson
import pytest

from infx.clock import NS
from infx.load.rules import Rules
from infx.model.record import EndState, Phase
from infx.model.replay import Entry, Seat, Tree, TreeTurn
from infx.model.workload import Message, Turn
from staged import ANSWER, BROKEN, HEAD, OVERFLOW, Seen, Stage, tree, turn

STAND_IN = {"role": "assistant", "content": "stand-in"}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def user(text: str) -> Message:
    return Message("user", (text,))


def answer(turn: int) -> Message:
    return Message("assistant", ("stand", "-in"), answers=turn)


def live(*messages: Message, base: int | None = None) -> TreeTurn:
    return TreeTurn(Turn(messages, 8, None), base)


def conversation(name: str) -> Tree:
    """Turns a, b, c of one stream; each prompt has all that was said before."""
    a, b, c = user("a"), user("b"), user("c")
    return tree(
        name,
        [live(a), live(a, answer(0), b, base=0), live(a, answer(0), b, answer(1), c, base=1)],
    )


def streamed(*deltas: dict[str, object]) -> bytes:
    """An answer of one chunk for each delta."""
    chunks: list[dict[str, object]] = [{"choices": [{"delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    events = b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks)
    return HEAD + b"%x\r\n%b\r\n0\r\n\r\n" % (len(events), events)


HALF = streamed({"content": "so"}).replace(b'"choices": [{"delta": {}', b'"error": [{"delta": {}')


def stream_of(seen: Seen) -> str:
    return seen.headers["X-Correlation-ID"]


def said(seen: Seen) -> list[dict[str, object]]:
    return [message for message in seen.messages if message["role"] == "assistant"]


def test_the_next_prompt_has_the_very_answer(stage: Stage) -> None:
    """Whatever characters it has, in however many pieces; what was thought aloud is no answer."""
    odd = ['{"role":"', "é\\n\\", "\n\t\0 ", "😀", "\u2028</s>", '"}']
    pieces = [{"content": text} for text in odd]
    stage.server.answer = lambda text: (
        streamed({"role": "assistant", "content": ""}, {"reasoning_content": "hm"}, *pieces)
        if text == "a"
        else streamed({"content": "second"})
    )
    ran = stage.run([conversation("t")])
    first = {"role": "assistant", "content": "".join(odd)}
    second = {"role": "assistant", "content": "second"}
    assert [said(one) for one in ran.seen] == [[], [first], [first, second]]
    assert [one["content"] for one in ran.seen[2].messages if one["role"] == "user"] == [*"abc"]
    assert [one.text for one in ran.records][:2] == ["".join(odd), "second"]


def test_a_long_answer_is_whole(stage: Stage) -> None:
    long = ["word " * 5000] * 4
    stage.server.answer = lambda _: streamed(*({"content": text} for text in long))
    ran = stage.run([conversation("t")])
    assert said(ran.seen[1]) == [{"role": "assistant", "content": "".join(long)}]


def test_tool_calls_are_part_of_the_answer(stage: Stage) -> None:
    """Two calls at once, whose arguments come in pieces."""

    def call(index: int, **fields: object) -> dict[str, object]:
        return {"tool_calls": [{"index": index, **fields}]}

    stage.server.answer = lambda _: streamed(
        {"content": "Looking."},
        call(0, id="c0", type="function", function={"name": "ls", "arguments": ""}),
        call(1, id="c1", type="function", function={"name": "cat", "arguments": '{"a":'}),
        call(0, function={"arguments": "{}"}),
        call(1, function={"arguments": '"b"}'}),
    )
    ran = stage.run([conversation("t")])
    expected = [("c0", "ls", "{}"), ("c1", "cat", '{"a":"b"}')]
    called = [
        {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}
        for name, tool, arguments in expected
    ]
    message = {"role": "assistant", "content": "Looking.", "tool_calls": called}
    assert said(ran.seen[1]) == [message]


def test_a_fork_goes_on_from_its_parents_answer(stage: Stage) -> None:
    """Both the second turn of the parent and the fork's first have the answer to turn 0."""
    a, b = user("a"), user("b")
    parent = [live(a), live(a, answer(0), b, base=0)]
    fork = [live(a, answer(0), user("f"), base=0)]
    ran = stage.run([tree("t", parent, fork)])
    x = {"role": "assistant", "content": "x"}
    assert sorted(one.messages[-1]["content"] for one in ran.seen) == ["a", "b", "f"]
    assert [said(one) for one in ran.seen[1:]] == [[x], [x]]


def test_each_play_has_answers_of_its_own(stage: Stage) -> None:
    """Two lanes play one tree, and begin it again; the server never says the same twice."""
    count = iter(range(100))
    stage.server.answer = lambda _: streamed({"content": f"answer {next(count)}"})
    ran = stage.run([conversation("t")], lanes=2, duration=4.5)
    given = {(one.lane, one.play, one.turn): one.text for one in ran.records}
    assert len({text for text in given.values() if text}) == 8, "a and b of four plays"
    whole = [one for one in ran.seen if one.messages[-1]["content"] == "c"]
    plays = [tuple(map(int, re.findall(r"-l(.)-p(.)", name)[0])) for name in map(stream_of, whole)]
    assert sorted(plays) == [(0, 0), (1, 0)]
    for (lane, play), one in zip(plays, whole, strict=True):
        assert [m["content"] for m in said(one)] == [given[lane, play, n] for n in (0, 1)]


@pytest.mark.parametrize("failure", [BROKEN, OVERFLOW, HALF])
def test_a_failed_answer_ends_its_conversation_and_nothing_else(
    stage: Stage, failure: bytes
) -> None:
    """b fails: c is never asked, as its prompt would have a hole. Another tree goes on."""
    stage.server.answer = lambda text: failure if text.endswith("b") else ANSWER
    ran = stage.run([conversation("t"), tree("u", [turn("z", None)])])
    texts = [one.messages[-1]["content"] for one in ran.seen]
    assert texts == ["a", "b", "z"]
    states = {EndState.OK: 2, ran.records[1].state: 1}
    assert {state: [one.state for one in ran.records].count(state) for state in states} == states
    assert ran.records[1].state is not EndState.OK


def test_each_process_keeps_the_answers_of_its_lanes(stage: Stage) -> None:
    """Two shards with a lane each: both play the tree, and each goes on from what it was told."""
    count = iter(range(100))
    stage.server.answer = lambda _: streamed({"content": f"answer {next(count)}"})
    ran = stage.run([conversation("t"), conversation("u")], lanes=2, shards=2)
    given = {(one.lane, one.turn): one.text for one in ran.records}
    last = [one for one in ran.seen if one.messages[-1]["content"] == "c"]
    told = sorted([message["content"] for message in said(one)] for one in last)
    assert told == sorted([given[lane, 0], given[lane, 1]] for lane in (0, 1))


def test_what_was_never_asked_in_full_is_stood_in_for(stage: Stage) -> None:
    """The lane begins at b: a is its primer and asks for one token, so its answer is no answer.

    One more turn of one token, b, is warmup too. c has stand-ins for both.
    """
    seat = Seat(0, (Entry(1, 5 * NS, primer=0, age_ns=1 * NS),))
    rules = Rules(seed=1, cache_bust=False, warmups=1)
    ran = stage.run([conversation("t")], seats=[seat], rules=rules)
    assert [one.messages[-1]["content"] for one in ran.seen] == [*"abc"]
    assert [said(one) for one in ran.seen] == [[], [STAND_IN], [STAND_IN] * 2]
    assert [one.phase for one in ran.records] == [Phase.WARMUP] * 2 + [Phase.PROFILING]
    assert ran.records[0].text is None


def test_other_replays_keep_no_answer(stage: Stage) -> None:
    ran = stage.run([tree("t", [turn("a", None), turn("b", 0)])])
    assert [one.text for one in ran.records] == [None, None]
    assert orjson.loads(orjson.dumps(ran.seen[1].messages)) == [{"role": "user", "content": "b"}]
