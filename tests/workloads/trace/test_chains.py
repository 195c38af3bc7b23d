"""Agents told apart by their prompts. Letters of a golden are chains, numbers block ids."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.trace import Call, block_ids
from infx.workloads.trace.chains import Agent, agents, common_prefix
from recorded import call, listed


def told(*calls) -> list[list[int]]:
    """The rows of each agent, the main one first."""
    return [[one.outer for one in agent.calls] for agent in agents(listed(*calls))]


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ([], [1], 0), ([1], [2], 0), ([1, 2, 3], [1, 2, 3], 3), ([1, 2, 3], [1, 2], 2),
        ([1, 2, 3, 4, 5], [1, 2, 9, 4, 5], 2), ([1, 2, 3, 4, 5], [1, 2, 3, 4, 9], 4),
        ([2**40, 1], [2**40, 2], 1), ([1, 2], [1, 2**40], 1),
    ],
)  # fmt: skip
def test_the_common_prefix_ends_at_the_first_difference(a, b, shared):
    assert common_prefix(block_ids(a), block_ids(b)) == shared


def test_prompts_that_grow_are_one_agent():
    assert told(call(0, [1]), call(2, [1, 2]), call(4, [1, 2, 3])) == [[0, 1, 2]]


def test_a_call_that_shares_less_is_another_agent_if_somebody_returns_to_the_longer_prompt():
    """Row 1 keeps 1 of 2 blocks; row 2 begins with all of row 0, so row 1 was another agent."""
    assert told(call(0, [1, 2]), call(2, [1, 9]), call(4, [1, 2, 3])) == [[0, 2], [1]]


def test_a_call_that_shares_less_is_the_same_agent_if_nobody_returns():
    """Row 2 keeps 2 of 4 blocks and goes on from there: the context was compacted."""
    assert told(
        call(0, [1, 2]), call(2, [1, 2, 3, 4]), call(4, [1, 2, 9]), call(6, [1, 2, 9, 10])
    ) == [[0, 1, 2, 3]]


def test_of_two_forks_the_one_that_kept_more_is_the_same_agent():
    """Rows 1 and 2 fork off row 0's three blocks; row 2 keeps two of them, row 1 one."""
    assert told(call(0, [1, 2, 3]), call(2, [1, 8]), call(4, [1, 2, 9])) == [[0, 2], [1]]


def test_of_two_forks_alike_the_earlier_one_is_the_same_agent():
    assert told(call(0, [1, 2, 3]), call(2, [1, 2, 8], took=9), call(4, [1, 2, 9])) == [[0, 1], [2]]


def test_seams_follow_each_other():
    """Compacted at row 1 and again at row 2, each time from where the agent had come to."""
    assert told(
        call(0, [1, 2, 3, 4]), call(2, [1, 2, 9, 9]), call(4, [1, 2, 7])
    ) == [[0, 1, 2]]  # fmt: skip


def test_a_call_that_starts_before_the_last_one_has_ended_is_another_agent():
    """Row 1 begins with all of row 0, but at 0.5 s while row 0 runs until 1 s."""
    assert told(call(0, [1]), call(0.5, [1, 2])) == [[0], [1]]


def test_an_end_within_a_microsecond_after_the_start_is_before_it():
    assert told(call(0, [1], took=1.000001), call(1, [1, 2])) == [[0, 1]]
    assert told(call(0, [1], took=1.000002), call(1, [1, 2])) == [[0], [1]]


def test_another_model_is_another_agent_though_its_prompt_goes_on():
    assert told(call(0, [1]), call(2, [1, 2], model="small"), call(4, [1, 3])) == [[0, 2], [1]]


def test_a_compacted_prompt_for_another_model_is_another_agents():
    """Row 1 keeps 2 of row 0's 3 blocks and nobody returns to it: for its own model, a seam."""
    before, after = call(0, [1, 2, 3]), [1, 2, 9]
    assert told(before, call(2, after)) == [[0, 1]]
    assert told(before, call(2, after, model="small")) == [[0], [1]]


def test_the_longest_of_several_prompts_is_gone_on_with():
    """Rows 0 and 1 run at once; row 2 begins with both, and row 1's prompt is the longer."""
    assert told(call(0, [1], took=9), call(1, [1, 2], took=8), call(10, [1, 2, 3])) == [[0], [1, 2]]


HOUR = 3600


@pytest.mark.parametrize(
    ("gap", "kept", "same"),
    [(HOUR, 1, True), (HOUR + 1, 1, False), (HOUR + 1, 2, True), (10 * HOUR, 3, True)],
)
def test_after_an_hour_a_seam_keeps_half_of_the_blocks(gap, kept, same):
    """The prompt before has 4 blocks: one that keeps 2 may be late, one that keeps 1 not."""
    before = [1, 2, 3, 4]
    found = told(call(0, before), call(1 + gap, [*before[:kept], 99]))
    assert found == ([[0, 1]] if same else [[0], [1]])


def test_calls_without_blocks_stay_with_the_main_agent_and_tell_nothing():
    assert told(call(0, []), call(2, [1, 2]), call(4, []), call(6, [1, 2, 3])) == [[0, 1, 2, 3]]
    assert told(call(0, [1, 2]), call(2, []), call(3, [1, 9])) == [[0, 1, 2]]


def test_a_title_asked_for_first_does_not_make_the_main_agent():
    """Row 0 shares nothing with anyone and answers 64 tokens: the session's agent is row 1's."""
    calls = (call(0, [50], output_tokens=64), call(2, [1]), call(4, [7], took=3), call(5, [1, 2]))
    assert told(*calls) == [[0, 1, 3], [2]]


def test_a_long_answer_first_is_no_title_if_its_blocks_are_used_again():
    first = call(0, [50, 51], output_tokens=65)
    assert told(first, call(2, [1, 51]), call(4, [1, 51, 3]))[0] == [0]
    assert told(first, call(2, [1, 52]), call(4, [1, 52, 3]))[0] == [0, 1, 2]


def test_parallel_siblings_name_the_call_that_they_forked_off():
    """Rows 1 to 3 fork off row 0 at once, and row 4 goes on with row 0."""
    found = agents(
        listed(call(0, [1, 2]), *(call(2, [1, n], took=5) for n in (7, 8, 9)), call(9, [1, 2, 3]))
    )
    assert [agent.fork for agent in found] == [None, (0, 0), (0, 0), (0, 0)]


def test_forks_left_over_are_compared_with_where_their_agent_went_on_to():
    """Row 1 (kept 3 of 4) is the same agent as row 0; row 2 shares 2 blocks with both.

    After the seam row 2 is a fork of row 1, and as nobody returns to row 1, its continuation.
    """
    assert told(
        call(0, [1, 2, 3, 4]), call(2, [1, 2, 3, 9]), call(4, [1, 2, 8])
    ) == [[0, 1, 2]]  # fmt: skip


def test_the_order_of_the_file_does_not_matter():
    calls = listed(call(0, [1, 2]), call(2, [1, 9], took=5), call(4, [1, 2, 3]))
    assert [a.calls for a in agents(calls[::-1])] == [a.calls for a in agents(calls)]


def test_no_calls_are_one_agent_without_any():
    assert agents([]) == (Agent(()),)


@st.composite
def interleaved(draw) -> tuple[list[list[int]], list[Call]]:
    """Agents that each append to a prompt of their own behind a shared base, and their calls.

    Each asks for the last time when all have begun: whoever had ended by then could not be told
    from an agent whose context was compacted.
    """
    base = list(range(1, 1 + draw(st.integers(1, 4))))
    ids = count(100)
    placed: list[tuple[int, int, Call]] = []
    for agent in range(draw(st.integers(1, 5))):
        own, second = [next(ids)], 0 if agent == 0 else draw(st.integers(3, 30))
        for turn in range(draw(st.integers(2 if agent == 0 else 1, 4))):
            took = draw(st.integers(0, 5)) if agent else 1
            placed.append((second, agent, call(second, [*base, *own], took=took)))
            second += took + (draw(st.integers(0, 9)) if agent or turn else 1)
            own += [next(ids) for _ in range(draw(st.integers(1, 3)))]
        placed.append((1000 + agent, agent, call(1000 + agent, [*base, *own])))
    placed.sort(key=lambda one: one[:2])
    rows = listed(*(one for *_, one in placed))
    owners: dict[int, list[int]] = {}
    for outer, (_, agent, _) in enumerate(placed):
        owners.setdefault(agent, []).append(outer)
    return list(owners.values()), rows


@given(interleaved(), st.randoms(use_true_random=False))
def test_agents_that_append_are_told_apart_however_they_interleave(made, random):
    owners, rows = made
    random.shuffle(rows)
    found = [[one.outer for one in agent.calls] for agent in agents(rows)]
    assert found[0] == owners[0]
    assert sorted(found) == sorted(owners)
