"""A plan says the same on every machine, and its turns come out as they went in."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.errors import InputError
from infx.load.plan import Plan, PlannedEntry, open_plan
from infx.load.planner import plan_bytes, plan_chunks, plan_digest
from infx.model.asked import Api
from infx.model.record import Phase
from infx.model.replay import Entry, Seat, Tree, TreeStream, TreeTurn
from infx.model.workload import MARKER, Message, Session, Turn

TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(["system", "user"]), st.lists(TEXT, max_size=3).map(tuple)),
    min_size=1,
    max_size=3,
).map(tuple)
TURNS = st.builds(
    Turn,
    MESSAGES,
    st.integers(1, 2**31),
    st.none() | st.integers(0, 2**31),
    st.integers(0, 2**60),
)
SESSIONS = st.lists(
    st.builds(
        Session,
        st.sampled_from(Phase),
        st.lists(TURNS, min_size=1, max_size=3).map(tuple),
        st.none() | st.integers(0, 2**60),
    ),
    max_size=5,
)


def prompt(plan: Plan, number: int) -> object:
    return orjson.loads(b"[" + b"".join(plan.prompt(number)) + b"]")


@given(SESSIONS)
def test_what_goes_in_comes_out(sessions: list[Session]) -> None:
    plan = Plan(memoryview(plan_bytes(sessions, api="chat")))
    number = 0
    for index, session in enumerate(sessions):
        assert index in plan.sessions(session.phase)
        assert plan.start_of(index) == session.start_ns
        assert list(plan.turns_of(index)) == list(range(number, number + len(session.turns)))
        for position, turn in enumerate(session.turns):
            planned = plan.turn(number)
            assert (planned.session, planned.turn) == (index, position)
            assert (planned.asked_output, planned.asked_input) == (
                turn.asked_output, turn.asked_input,
            )  # fmt: skip
            assert planned.delay_ns == turn.delay_ns
            assert prompt(plan, number) == [
                {"role": m.role, "content": "".join(m.parts)} for m in turn.messages
            ]
            number += 1


def fixed(text: str, *more: str) -> Session:
    return Session(Phase.PROFILING, (Turn((Message("user", (text, *more)),), 8, 5),))


def test_a_part_that_returns_is_encoded_once() -> None:
    shared = "the very same paragraph " * 40
    one = plan_bytes([fixed("a", shared)], api="chat")
    three = plan_bytes([fixed("a", shared), fixed("b", shared), fixed("c", shared)], api="chat")
    assert len(three) - len(one) < len(shared)


def test_a_text_that_looks_like_json_syntax_stays_text() -> None:
    plan = Plan(memoryview(plan_bytes([fixed('"}', '{"role":"user","content":"')], api="chat")))
    assert prompt(plan, 0) == [{"role": "user", "content": '"}{"role":"user","content":"'}]


def test_completions_carry_one_string() -> None:
    session = Session(Phase.WARMUP, (Turn((Message("", ("one", " two")),), 8, None),))
    plan = Plan(memoryview(plan_bytes([session], api="completions")))
    assert (plan.api, prompt(plan, 0)) == ("completions", ["one two"])


def test_the_digest_is_a_golden_vector() -> None:
    """Three fragments, one turn: laid out by hand from the planner's stated layout."""

    def u64(*numbers: int) -> bytes:
        return b"".join(n.to_bytes(8, "little") for n in numbers)

    opening, text, closing = b'{"role":"user","content":"', b"hi", b'"}'
    expected = (
        b"infx-plan 3 chat\n" + bytes(7)
        + opening + text + closing + bytes(2)
        + u64(26, 28, 30)
        + b"".join(n.to_bytes(4, "little") for n in (0, 1, 2)) + bytes(4)
        + u64(3, 0, 0, 8, 5, 0) + b"\xff" * 8 + u64(0, 0, 0)
        + u64(1, 1) + b"\xff" * 16
        + b"[]" + bytes(6)
        + u64(17, 30, 24, 12, 0, 80, 32, 0, 0, 0, 2)
    )  # fmt: skip
    assert plan_bytes([fixed("hi")], api="chat") == expected
    assert plan_digest(expected) == plan_digest(plan_bytes([fixed("hi")], api="chat"))


def user(*parts: str, delay: int = 0) -> Turn:
    return Turn((Message("user", parts),), 8, 5, delay)


def test_a_tree_keeps_what_its_turns_wait_for_and_where_its_lanes_begin() -> None:
    """Turns 0 and 1 are the root's, 2 and 3 its child's; the second tree's numbers go on from 4."""
    small = Tree("a", (TreeStream("a", None, (TreeTurn(user("x"), None),)),))
    child = TreeStream(
        "b::sa:c", 0, (TreeTurn(user("y"), 0), TreeTurn(user("z", delay=7), 2, (), overlaps=True))
    )
    root = TreeStream("b", None, (TreeTurn(user("p"), None), TreeTurn(user("q"), 0, (3, 0))))
    seats = [
        Seat(1, (Entry(1, 500, primer=0, age_ns=30), Entry(0, None))),
        Seat(0, (Entry(1, None),)),
    ]
    trees = [small, Tree("b", (root, child))]
    plan = Plan(memoryview(b"".join(plan_chunks(api="chat", trees=trees, seats=seats))))
    assert (plan.trees, plan.lanes) == (2, 2)
    assert plan.names() == [("a", ["a"]), ("b", ["b", "b::sa:c"])]
    assert (list(plan.streams_of(0)), list(plan.streams_of(1))) == ([0], [1, 2])
    assert [plan.parent_of(stream) for stream in range(3)] == [None, None, 1]
    assert [plan.base_of(turn) for turn in range(5)] == [None, None, 1, 1, 3]
    assert [plan.holds_of(turn) for turn in range(5)] == [[], [], [4, 1], [], []]
    assert plan.turn(4).delay_ns == 7
    assert [plan.overlaps(turn) for turn in range(5)] == [False] * 4 + [True]
    assert plan.seat(0) == (1, [PlannedEntry(1, 2, 500, 1, 30), PlannedEntry(2, 3, None, None, 0)])
    assert plan.seat(1) == (0, [PlannedEntry(0, 1, None, None, 0)])


def test_an_answer_has_a_place_that_something_stands_in_for() -> None:
    """Turns 1 to 3 are of the second tree: 2 and 3 hold the answer to its first turn, 1."""
    stand_in = Message("assistant", ("so", " it", " is"), answers=0)
    first, asked = Message("user", ("a",)), Message("user", ("b",))
    root = [TreeTurn(Turn((first,), 8, None), None, overlaps=True)]
    root += [TreeTurn(Turn((first, stand_in, asked), 8, None), base) for base in (0, 1)]
    trees = [
        Tree("s", (TreeStream("s", None, (TreeTurn(user("x"), None),)),)),
        Tree("t", (TreeStream("t", None, tuple(root)),)),
    ]
    plan = Plan(memoryview(b"".join(plan_chunks(api="chat", trees=trees))))
    assert [plan.keeps(turn) for turn in range(4)] == [False, True, False, False]
    assert plan.is_live
    assert [plan.overlaps(turn) for turn in range(4)] == [False, True, False, False]
    assert [list(plan.answers_in(turn)) for turn in range(4)] == [[], [], [1], [1]]
    waiting = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "so it is"},
               {"role": "user", "content": "b"}]  # fmt: skip
    assert prompt(plan, 2) == prompt(plan, 3) == waiting
    said = {"role": "assistant", "content": 'it "is"\n'}
    joined = b"".join(plan.prompt(2, answers={1: orjson.dumps(said), 0: b"other"}))
    assert orjson.loads(b"[" + joined + b"]") == [waiting[0], said, waiting[2]]


def test_a_session_of_no_tree_holds_no_answers() -> None:
    turn = Turn((Message("user", ("a",)), Message("assistant", ("b",), answers=0)), 8, None)
    with pytest.raises(ValueError, match="only turns of a tree"):
        plan_bytes([Session(Phase.PROFILING, (turn,))], api="chat")


def test_each_play_puts_its_own_marker_into_a_prompt() -> None:
    tree = Tree("a", (TreeStream("a", None, (TreeTurn(user(MARKER, "x"), None),)),))
    plan = Plan(memoryview(b"".join(plan_chunks(api="chat", trees=[tree]))))
    whole = b"".join(plan.prompt(0, b"[rid:1]\\n"))
    assert orjson.loads(whole) == {"role": "user", "content": "[rid:1]\nx"}
    assert prompt(plan, 0) == [{"role": "user", "content": "x"}]


def test_a_body_has_its_further_fields_and_a_message_its_members() -> None:
    """Equal ones are encoded once: the second turn adds the text that is new."""
    called = Message("assistant", ("",), '"tool_calls":[{"id":"c"}]')
    asked = Message("user", ("a",))
    tools = {"tools": [{"type": "function", "function": {"name": "f" * 400}}]}
    first = Turn((asked, called), 8, None, fields=tools)
    second = Turn((asked, called, Message("user", ("b",))), 8, None, fields=tools)
    bare = Turn((asked,), 8, None)

    def planned(*turns: Turn) -> bytes:
        stream = TreeStream("t", None, tuple(TreeTurn(turn, None) for turn in turns))
        return b"".join(plan_chunks(api="chat", trees=[Tree("t", (stream,))]))

    whole = planned(first, second, bare)
    plan = Plan(memoryview(whole))
    for number in (0, 1):
        assert b"".join(plan.fields(number)) == b"," + orjson.dumps(tools)[1:-1]
        assert prompt(plan, number)[1] == {
            "role": "assistant", "content": "", "tool_calls": [{"id": "c"}],
        }  # fmt: skip
    assert (plan.fields(2), prompt(plan, 2)) == ([], [{"role": "user", "content": "a"}])
    assert len(whole) - len(planned(first, bare)) < 200


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_what_cannot_be_planned(api: Api) -> None:
    with pytest.raises(ValueError, match="has no turn"):
        plan_bytes([Session(Phase.WARMUP, ())], api=api)
    with pytest.raises(ValueError, match="0 messages"):
        plan_bytes([Session(Phase.WARMUP, (Turn((), 1, 1),))], api=api)


def test_a_file_that_is_no_plan(tmp_path) -> None:
    whole = plan_bytes([fixed("hi")], api="chat")
    for content, words in [(b"hello\n", "not a plan"), (whole[:-8], "cut off")]:
        path = tmp_path / "plan.bin"
        path.write_bytes(content)
        with pytest.raises(InputError, match=words):
            open_plan(path)
