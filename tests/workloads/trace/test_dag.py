"""Conversations that start each other."""

import pytest

from infx.model.trace import ANSWER, Content, Ref
from infx.model.workload import Message
from infx.workloads.trace import dag
from infx.workloads.trace.reading import Tally
from recorded import S, corpus
from refusals import refusal


def turn(text: str = "u", role: str = "user", **fields) -> dict:
    return {"messages": [{"role": role, "content": text}], **fields}


def row(name: str, *turns: dict) -> dict:
    return {"session_id": name, "turns": list(turns) or [turn()]}


def read(tmp_path, *rows: dict):
    return list(dag.traces(corpus(tmp_path, *rows), tally=Tally()))


def test_a_session_is_a_conversation_that_no_other_starts_with_all_below_it(tmp_path):
    """`a` spawns `b` and `c` after turn 0; turn 1 waits for `b`, turn 2 for `c`. `b` forks `d`.

    `a`'s turn 1 is 2 s after its start, `c`'s first turn 3 s after the spawn.
    """
    a, z = read(
        tmp_path,
        row("d"),
        row("a", turn(spawns=["b", {"children": ["c"], "join_at": 2}]), turn(delay=2000), turn()),
        row("z"),
        row("b", turn(forks=["d"])),
        row("c", turn(delay=3000, model="small", max_tokens=5, extra={"top_k": 1})),
    )
    assert z.streams[0].id == "z"
    assert [(s.id, s.parent, s.spawn, s.join, s.inherits) for s in a.streams] == [
        ("a", None, None, None, False),
        ("b", 0, Ref(0, 0), Ref(0, 1), False),
        ("d", 1, Ref(1, 0), None, True),
        ("c", 0, Ref(0, 0), Ref(0, 2), False),
    ]
    assert [a.depth(n) for n in range(4)] == [0, 1, 2, 1]
    assert [call.start_ns for call in a.streams[0].calls] == [0, 2 * S, 2 * S]
    (call,) = a.streams[3].calls
    assert (call.start_ns, call.model, call.output_tokens) == (3 * S, "small", 5)
    assert call.content == Content((Message("user", ("u",)),), extra={"top_k": 1})
    user = Message("user", ("u",))
    assert [c.content.messages for c in a.streams[0].calls] == [(user,), *[(ANSWER, user)] * 2]
    assert a.streams[1].calls[0].content.messages == (user,), "a spawn starts afresh"
    assert a.streams[2].calls[0].content.messages == (ANSWER, user), "a fork with all that was said"


def test_a_spawn_of_the_last_turn_and_a_background_fork_are_not_waited_for(tmp_path):
    (trace,) = read(
        tmp_path,
        row("a", turn(forks=[{"child": "b", "background": True}]), turn(spawns=["c"])),
        row("b"),
        row("c"),
    )
    assert [(s.spawn, s.join) for s in trace.streams[1:]] == [(Ref(0, 0), None), (Ref(0, 1), None)]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [row("a", turn(spawns=["bb"])), row("b")],
            ["1: turns[0]: no conversation 'bb'; did you mean b?"],
        ),
        (
            [row("a", turn(spawns=["c"])), row("b", turn(spawns=["c"])), row("c")],
            ["2: turns[0]: 'c' is started by 'a' too; give each its own conversation"],
        ),
        (
            [row("a", turn(spawns=["b"])), row("b", turn(spawns=["a"]))],
            ["1: 'a' starts itself, by way of others", "2: 'b' starts itself, by way of others"],
        ),
        ([row("a", turn(spawns=["a"]))], ["1: 'a' starts itself, by way of others"]),
        ([row("a"), row("a")], ["2: session_id: a second conversation 'a'"]),
        (
            [row("a", turn(forks=["b"]), turn()), row("b")],
            [
                (
                    "1: turns[0].forks[0]: the parent ends here, but has more turns; say "
                    "background: true"
                ),
            ],
        ),
        (
            [row("a", turn(spawns=[{"children": ["b"], "join_at": 1}])), row("b")],
            [
                (
                    "1: turns[0].spawns[0].join_at: expected a turn of this conversation, "
                    "below 1, found 1"
                ),
            ],
        ),
        (
            [row("a", turn(spawns=[{"children": ["b"], "join_at": 0}]), turn()), row("b")],
            ["1: turns[0].spawns[0].join_at: expected a whole number of at least 1, found 0"],
        ),
        (
            [row("a", turn(), turn("s", "system"))],
            ["1: turns[1]: a system message belongs to the first turn of a session"],
        ),
        (
            [row("a", turn(spawns=["b"])), row("b", turn("s", "system"))],
            ["2: 'b': a system message belongs to a session, not to what it starts"],
        ),
        (
            [{"session_id": "a", "turns": []}],
            ["1: turns: expected at least one turn, found an empty list"],
        ),
        (
            [row("a", turn(max_tokens=0))],
            ["1: turns[0].max_tokens: expected a whole number of at least 1, found 0"],
        ),
    ],
)
def test_what_cannot_be_played_is_told_with_its_line(tmp_path, rows, told):
    said = refusal(lambda: read(tmp_path, *rows)).replace(f"{tmp_path}/traces.jsonl:", "")
    assert said.splitlines() == told
