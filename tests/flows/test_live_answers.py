"""Conversations whose answers nobody recorded, replayed against the truth server.

What the server wrote and what it was asked next are read off the wire, apart from what infx says.
"""

import json
import re
from pathlib import Path

from infx.flows.bench import Outcome
from infx.flows.replaying import stated
from infx.model.agentic import AgenticWorkload
from infx.model.record import EndState
from infx.servers.truth.faults import read_faults
from infx.servers.truth.script import Script
from overheard import Heard, Wire
from playing import play
from recorded import corpus
from replaying import PACE, issued_is_the_sum_of_ends

DAG = [
    {
        "session_id": "root",
        "turns": [
            {"messages": [{"role": "user", "content": "one"}], "max_tokens": 7, "forks": [
                {"child": "side", "background": True}], "spawns": ["fresh"]},
            {"messages": [{"role": "user", "content": "two"}], "max_tokens": 5, "delay": 100},
            {"messages": [{"role": "user", "content": "three"}], "max_tokens": 3},
        ],
    },
    {"session_id": "side", "turns": [
        {"messages": [{"role": "user", "content": "aside"}], "max_tokens": 4}]},
    {"session_id": "fresh", "turns": [
        {"messages": [{"role": "user", "content": "anew"}], "max_tokens": 6}]},
]  # fmt: skip


def replay(
    folder: Path,
    rows: list[dict[str, object]],
    *faults: str,
    warmups_per_lane: int = 0,
    **script: object,
) -> tuple[Outcome, Wire, list[str]]:
    folder.mkdir(exist_ok=True)
    path = corpus(folder, *rows)
    loose = AgenticWorkload.under(
        "custom", corpus=f"sha256:{'0' * 64}", window=None, duration_s=None,
        warmups_per_lane=warmups_per_lane,
    )  # fmt: skip
    wire = Wire()
    outcome, _, said = play(
        folder / "runs", Script(**{**PACE, **script, "faults": read_faults(faults)}),
        workload=stated(loose, path), corpus=path, concurrency=(1,), before=wire.before,
    )  # fmt: skip
    issued_is_the_sum_of_ends(outcome)
    return outcome, wire, said


def by_question(wire: Wire) -> dict[str, Heard]:
    """The requests by the last message of the user, the marker of the play taken off."""
    last = ((one.body["messages"][-1]["content"], one) for one in wire.heard)
    return {re.sub(r"^\[rid:\w+\]\s*", "", text): one for text, one in last}


def written(wire: Wire, one: Heard) -> str:
    """What the server wrote as the text of its answer."""
    pieces = re.findall(rb'"content":("(?:[^"\\]|\\.)*")', wire.answered[one.number])
    return "".join(map(json.loads, pieces))


def answers(one: Heard) -> list[str]:
    return [m["content"] for m in one.body["messages"] if m["role"] == "assistant"]


def test_the_server_sees_the_very_answers_that_it_gave(tmp_path: Path) -> None:
    """The root has three turns, its fork goes on from the first answer, its spawn from nothing."""
    outcome, wire, _ = replay(tmp_path, DAG)
    asked = by_question(wire)
    assert set(asked) == {"one", "two", "three", "aside", "anew"}
    first, second = (written(wire, asked[name]) for name in ("one", "two"))
    assert (len(first.split()), len(second.split())) == (7, 5)
    assert answers(asked["two"]) == answers(asked["aside"]) == [first]
    assert answers(asked["three"]) == [first, second]
    assert answers(asked["one"]) == answers(asked["anew"]) == []
    (point,) = outcome.run.points
    # Joined are 7 tokens twice (two, aside), and 7 and 5 in three.
    assert point.audit["live_answers"] == {
        "joined": 4, "stood_in": 0, "ended": 0, "asked_tokens": 26, "answered_tokens": 26,
    }  # fmt: skip
    kept = {one.turn: one.text for one in outcome.run.bundle.records(point) if one.session == 0}
    assert (kept[0], kept[1]) == (first, second)


def test_the_plan_does_not_know_the_answers(tmp_path: Path) -> None:
    """Two servers that say other things are asked by one plan, byte by byte."""
    one, first, _ = replay(tmp_path / "a", DAG)
    two, other, _ = replay(tmp_path / "b", DAG, reasoning_share=0.5)
    texts = [written(wire, by_question(wire)["one"]) for wire in (first, other)]
    assert texts[0] != texts[1]
    digests = [outcome.run.points[0].plan_digest for outcome in (one, two)]
    assert digests[0] == digests[1]


def test_appended_text_and_unrecorded_turns_go_on_from_live_answers_too(tmp_path: Path) -> None:
    texts = [{"session_id": "m", "text_input": text, "output_length": 4} for text in ("one", "two")]
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": None},
        {"role": "user", "content": "two"},
    ]
    for name, rows in (("mooncake", texts), ("multi", [{"messages": messages, "max_tokens": 4}])):
        _, wire, _ = replay(tmp_path / name, rows)
        asked = by_question(wire)
        assert answers(asked["two"]) == [written(wire, asked["one"])] != [""]


def test_a_failed_answer_ends_the_conversations_that_go_on_from_it(tmp_path: Path) -> None:
    """The fourth request is reset, which is two: one, then aside and anew come before it.

    So three is never asked, and one conversation has ended for want of an answer.
    """
    outcome, wire, said = replay(tmp_path, DAG, "reset:2@100+4")
    asked = by_question(wire)
    (point,) = outcome.run.points
    (failed,) = (one for one in outcome.run.bundle.records(point) if one.state is EndState.ERROR)
    assert failed.request == asked["two"].number
    assert "three" not in asked
    assert point.audit["live_answers"]["ended"] == 1
    assert "1 conversations ended: an answer that they go on from failed" in said


def test_what_the_warmup_asked_is_stood_in_for(tmp_path: Path) -> None:
    """Two warmup turns, one and aside, are asked for one token: two and three have stand-ins.

    three has the real answer to two besides; the stand-in has the 7 tokens that were asked of one.
    """
    outcome, wire, _ = replay(tmp_path, DAG, warmups_per_lane=2)
    asked = by_question(wire)
    (point,) = outcome.run.points
    stand_in, second = answers(asked["three"])
    assert answers(asked["two"]) == [stand_in] != [written(wire, asked["one"])]
    assert (len(stand_in.split()), second) == (7, written(wire, asked["two"]))
    assert point.audit["live_answers"] == {
        "joined": 1, "stood_in": 2, "ended": 0, "asked_tokens": 5, "answered_tokens": 5,
    }  # fmt: skip
