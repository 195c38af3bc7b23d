"""Which blocks become whose message, derived by hand from section 1.8 of the reference.

A block is 64 tokens. Calls come at 0, 10, 20 ... seconds and take one.
"""

import pytest

from infx.errors import InputError
from infx.model.trace import Call, Ref, Trace
from infx.workloads.messages import in_order, prompts
from recorded import call
from sessions import played, sizes, stream, trace


def calls(*rows: tuple[list[int], int], start: float = 0) -> list[Call]:
    """Calls of these ids and outputs, ten seconds apart."""
    return [call(start + 10 * n, ids, output_tokens=out) for n, (ids, out) in enumerate(rows)]


def roles(of: Trace, number: int = 0) -> list[str]:
    """Each turn of a stream as `s3 u1 a2`: the roles' first letters, and their blocks."""
    return [
        " ".join(f"{role[0]}{size / 64:g}" for role, size in sizes(turn))
        for turn in played(of).streams[number].turns
    ]


def test_the_first_prompt_is_a_system_message_and_a_users() -> None:
    """Tools of 100 and a system prompt of 60 tokens are 160, which 3 blocks hold."""
    one = calls(([1, 2, 3, 4, 5], 9))
    assert roles(trace(stream(one, tool_tokens=100, system_tokens=60))) == ["s3 u2"]
    assert roles(trace(stream(one))) == ["u5"]


@pytest.mark.parametrize(
    ("answered", "told"),
    [(0, "u1 u3"), (1, "u1 a1 u2"), (64, "u1 a1 u2"), (65, "u1 a2 u1"), (128, "u1 a2 u1")],
)
def test_as_many_new_blocks_as_the_answer_needed_are_the_assistants(answered, told) -> None:
    """An answer of 65 tokens needs 2 blocks of the 3 new ones."""
    assert roles(trace(stream(calls(([1], answered), ([1, 2, 3, 4], 9))))) == ["u1", told]


@pytest.mark.parametrize(
    ("new", "told"), [([2], "u1 u1"), ([2, 3], "u1 a1 u1"), ([2, 3, 4], "u1 a2 u1")]
)
def test_the_last_block_is_handed_back_to_the_user(new, told) -> None:
    """The answer of 500 tokens needs 8 blocks, which would leave the user none."""
    assert roles(trace(stream(calls(([1], 500), ([1, *new], 9)))))[1] == told


def test_a_tail_without_ids_leaves_the_answer_all_new_blocks() -> None:
    """The second prompt has 64 * 3 + 16 tokens but 3 ids: the user says the 16."""
    ids = [1, 2, 3]
    main = [call(0, [1], output_tokens=500), call(10, ids, input_tokens=208)]
    assert roles(trace(stream(main)))[1] == "u1 a2 u0.25"


def test_an_edited_context_is_cut_where_it_differs() -> None:
    """Turn 2 keeps 5 of turn 1's 6 blocks: the last user message is cut to one of its two."""
    main = calls(([1, 2, 3], 64), ([1, 2, 3, 4, 5, 6], 64), ([1, 2, 3, 4, 5, 8, 9], 9))
    assert roles(trace(stream(main))) == ["u3", "u3 a1 u2", "u3 a1 u1 a1 u1"]


def test_without_a_users_message_left_all_that_is_new_is_the_users() -> None:
    """Turn 1 keeps the system message alone: an answer to nothing cannot come first."""
    main = calls(([1, 2], 500), ([1, 7, 8], 9))
    assert roles(trace(stream(main, system_tokens=64))) == ["s1 u1", "s1 u2"]
    assert roles(trace(stream(calls(([1, 2], 500), ([7, 8], 9))))) == ["u2", "u2"]


def test_answers_are_kept_short_where_a_later_prompt_ends_in_them() -> None:
    """Turn 2 is cut back to block 3, which turn 1 alone would give to the assistant (2 and 3).

    So turn 1 gives it to the user, and both end with the user without a block changing its role.
    """
    main = calls(([1], 128), ([1, 2, 3, 4], 9), ([1, 2, 3], 9))
    assert roles(trace(stream(main))) == ["u1", "u1 a1 u2", "u1 a1 u1"]


def test_a_prompt_cut_back_into_the_system_message_ends_with_the_user_too() -> None:
    main = calls(([1, 2, 3], 9), ([1, 2], 9), ([1], 9))
    assert roles(trace(stream(main, system_tokens=128))) == ["s2 u1", "s1 u1", "u1"]


def test_a_system_prompt_as_long_as_the_prompt_leaves_its_last_block() -> None:
    assert roles(trace(stream(calls(([1, 2], 9)), system_tokens=128))) == ["s1 u1"]


def test_a_prompt_that_ends_inside_a_block_is_completed_by_the_next() -> None:
    """100 tokens are one block and 36 tokens of the second, which turn 1 has whole."""
    main = [call(0, [1, 2], input_tokens=100, output_tokens=9), call(10, [1, 2, 3, 4])]
    tree = played(trace(stream(main)))
    first, second = (turn.turn.messages[0].parts[0] for turn in tree.streams[0].turns)
    assert roles(trace(stream(main))) == ["u1.5625", "u2 a1 u1"]
    assert second.startswith(first)


def test_blocks_beyond_the_stated_length_are_left_out() -> None:
    """70 tokens are one block and 6 tokens of the second: the third and fourth id say nothing.

    So the answer of 64 tokens, and what the next turn adds, stand after the second block.
    """
    main = [call(0, [1, 2, 3, 4], input_tokens=70, output_tokens=64), call(10, [1, 2, 7, 8])]
    assert roles(trace(stream(main))) == ["u1.09375", "u2 a1 u1"]


def test_a_call_without_ids_says_nothing_of_those_around_it() -> None:
    main = [
        call(0, [1, 2], output_tokens=64),
        call(10, [], input_tokens=32, output_tokens=500),
        call(20, [1, 2, 3, 4]),
    ]
    assert roles(trace(stream(main))) == ["u2", "u0.5", "u2 a1 u1"]


def forked(*ids: int) -> Trace:
    """A session, and a worker that begins 25 seconds in with these blocks."""
    main = stream(calls(([1, 2], 64), ([1, 2, 3, 4], 100)))
    worker = stream(calls((list(ids), 9), start=25), "w", parent=0, spawn=Ref(0, 1))
    return trace(main, worker)


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ((1, 2, 3, 4, 7, 8, 9), "u2 a1 u1 a2 u1"),  # main's last prompt, its answer, a task
        ((1, 2, 3, 4), "u2 a1 u1"),
        ((1, 2, 3, 9), "u2 a1 u1"),  # main's answer, but another question: nothing was answered
        ((1, 9), "u1 u1"),
        ((9,), "u1"),
    ],
)
def test_a_stream_begins_with_the_messages_of_the_prompt_it_forks_off(ids, told) -> None:
    assert roles(forked(*ids), 1) == [told]


def test_the_system_message_of_a_stream_is_its_own_where_its_size_differs() -> None:
    """The worker states two blocks; main's system message has one of them."""
    main = stream(calls(([1, 2], 9)), system_tokens=64)
    worker = stream(
        calls(([1, 2, 3], 9), start=5), "w", parent=0, spawn=Ref(0, 0), system_tokens=128
    )
    assert roles(trace(main, worker), 1) == ["s2 u1"]


def test_a_system_message_without_ids_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        played(trace(stream(calls(([1, 2], 9)), system_tokens=129), where="corpus.jsonl:7"))
    assert str(refused.value).startswith(
        "corpus.jsonl:7: t: t states 0 tokens of tools and 129 of system prompt, which are 3 "
        "blocks, but its first prompt has 2 ids"
    )


def test_a_prompt_of_no_tokens_is_an_empty_message() -> None:
    assert roles(trace(stream([call(0, [], input_tokens=0)]))) == ["u0"]


def test_calls_pass_by_in_order_of_time_and_then_of_the_file() -> None:
    main = stream(calls(([1], 9), ([1, 2], 9)))
    other = stream(calls(([5], 9), start=10), "w", parent=0, spawn=Ref(0, 0))
    assert list(in_order(trace(main, other))) == [Ref(0, 0), Ref(1, 0), Ref(0, 1)]


def test_a_session_of_thousands_of_edits_is_told() -> None:
    """Each turn puts two blocks, an answer and a question, in the place of the last question.

    So the first user's block is followed by an answer of each turn, and the last question.
    """
    ids = [1, 2]
    rows = [(ids, 9)]
    for n in range(3000):
        ids = [*ids[:-1], 10 + 2 * n, 11 + 2 * n]
        rows.append((ids, 9))
    told = prompts(trace(stream(calls(*rows))))
    assert len(told[Ref(0, 3000)].node.path()) == 3002
