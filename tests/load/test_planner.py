"""A plan says the same on every machine, and its turns come out as they went in."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.errors import InputError
from infx.load.plan import Plan, open_plan
from infx.load.planner import plan_bytes, plan_digest
from infx.model.record import Phase
from infx.model.workload import Api, Message, Session, Turn

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
        b"infx-plan 1 chat\n" + bytes(7)
        + u64(3, 30, 3, 1, 1)
        + u64(26, 28, 30)
        + opening + text + closing + bytes(2)
        + b"".join(n.to_bytes(4, "little") for n in (0, 1, 2)) + bytes(4)
        + u64(3, 0, 0, 8, 5, 0)
        + u64(1, 1) + b"\xff" * 8
    )  # fmt: skip
    assert plan_bytes([fixed("hi")], api="chat") == expected
    assert plan_digest(expected) == plan_digest(plan_bytes([fixed("hi")], api="chat"))


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
