"""Session trees of recorded traces: what holds of every one, and what was derived by hand."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from infx.errors import InputError
from infx.model.replay import Tree
from infx.model.trace import ANSWER, Content, Ref, Trace, block_ids
from infx.model.workload import MARKER, Message
from infx.servers.truth.tokens import TokenRule, block_keys
from infx.workloads.agentic import trees
from infx.workloads.messages import in_order
from infx.workloads.seats import Expected, Outline
from infx.workloads.trace.hits import theoretical_hits
from recorded import call
from sessions import (
    SIZE,
    SOURCE,
    S,
    played,
    sizes,
    stream,
    three_levels,
    told,
    trace,
    traces,
    words_of_blocks,
    workload,
)


@settings(max_examples=150, deadline=None)
@given(traces())
def test_a_prompt_has_the_recorded_length(drawn: Trace) -> None:
    for recorded, asked in zip(drawn.streams, played(drawn).streams, strict=True):
        for one, turn in zip(recorded.calls, asked.turns, strict=True):
            assert sum(size for _, size in sizes(turn)) == one.input_tokens
            assert turn.turn.asked_input == one.input_tokens


@settings(max_examples=150, deadline=None)
@given(traces())
def test_an_id_has_one_text_wherever_it_stands(drawn: Trace) -> None:
    known: dict[int, tuple[str, ...]] = {}
    for recorded, asked in zip(drawn.streams, played(drawn).streams, strict=True):
        for one, turn in zip(recorded.calls, asked.turns, strict=True):
            words = [word for _, said in told(turn) for word in said]
            texts = words_of_blocks(words, one.blocks, SIZE)
            for block, text in zip(one.blocks, texts, strict=True):
                longer = max(known.get(block, ()), text, key=len)
                assert longer[: len(text)] == text
                assert longer[: len(known.get(block, ()))] == known.get(block, ())
                known[block] = longer


@settings(max_examples=150, deadline=None)
@given(traces())
def test_what_is_only_appended_to_keeps_its_messages(drawn: Trace) -> None:
    """All of them; but the last, where it ended inside a block or in tokens without ids."""
    for recorded, asked in zip(drawn.streams, played(drawn).streams, strict=True):
        pairs = zip(pairwise(recorded.calls), pairwise(asked.turns), strict=True)
        for (old, new), (before, after) in pairs:
            used = old.blocks[: -(-old.input_tokens // SIZE)]
            if len(new.blocks) < len(used) or new.blocks[: len(used)] != used:
                continue
            if new.input_tokens < old.input_tokens:
                continue
            messages = before.turn.messages
            kept = messages if old.input_tokens == SIZE * len(used) else messages[:-1]
            for said, again in zip(kept, after.turn.messages, strict=False):
                assert said == again
                assert all(a is b for a, b in zip(said.parts, again.parts, strict=True))
            assert len(kept) <= len(after.turn.messages)


@settings(max_examples=150, deadline=None)
@given(traces())
def test_the_last_message_is_the_users(drawn: Trace) -> None:
    for asked in played(drawn).streams:
        for turn in asked.turns:
            assert turn.turn.messages[-1].role == "user"


@settings(max_examples=150, deadline=None)
@given(traces(whole=True, again=False))
def test_the_text_of_prompts_hits_a_cache_as_their_ids_do(drawn: Trace) -> None:
    """A server that keeps every block of text, and tells messages apart, finds what theory says."""
    asked, hits = played(drawn), theoretical_hits(drawn)
    cache: set[int] = set()
    for ref in in_order(drawn):
        turn = asked.streams[ref.stream].turns[ref.call]
        texts = tuple((role, " ".join(words)) for role, words in told(turn))
        keys = block_keys(texts, TokenRule(0, 1.0), size=SIZE)
        found = next((n for n, key in enumerate(keys) if key not in cache), len(keys))
        assert (found, len(keys)) == hits[ref.stream][ref.call]
        cache.update(keys)


def links(tree: Tree) -> list[tuple[int | None, int, tuple[int, ...]]]:
    """Base, delay in seconds and holds of each turn, over all streams."""
    turns = (turn for one in tree.streams for turn in one.turns)
    return [(turn.base, turn.turn.delay_ns // S, turn.holds) for turn in turns]


def test_three_levels_and_five_subagents_hang_together_as_recorded() -> None:
    """Main asks at 0-10, 60-70, 100-110; its turns are 0, 1, 2.

    The subagents a to e (turns 3 to 12, two each) start after turn 0; the first at 12, so a waits
    0 s after turn 0's end, and the others as much longer as they started later. Their second turns
    follow after the recorded pauses: a's first answer ended at 14, its second turn began at 40.
    Turn 1 waits for the last turn of each, and its own pause is 60 - 10. Below a, the worker (turns
    13, 14) starts after turn 3: it was spawned at 25 and began at 26. Turn 4 waits for its end.
    The background stream (turn 15) starts after turn 1, and turn 2 waits for it only because it
    had ended before turn 2 began.
    """
    assert links(played(three_levels())) == [
        (None, 0, ()),
        (0, 50, (4, 6, 8, 10, 12)),
        (1, 30, (15,)),
        (0, 0, ()),
        (3, 26, (14,)),
        (0, 1, ()),
        (5, 5, ()),
        (0, 2, ()),
        (7, 19, ()),
        (0, 3, ()),
        (9, 21, ()),
        (0, 19, ()),
        (11, 3, ()),
        (3, 1, ()),
        (13, 4, ()),
        (1, 0, ()),
    ]


def test_a_turn_that_was_recorded_before_the_end_of_the_last_follows_it_at_once() -> None:
    """The first answer takes from 0 to 10 s; the second turn began at 4 s, the third at 4 + 3 s."""
    root = stream([call(0, [1], took=10), call(4, [1, 2], took=3), call(7, [1, 2, 3])])
    assert links(played(trace(root))) == [(None, 0, ()), (0, 0, ()), (1, 0, ())]


def test_a_subagent_that_was_recorded_beside_its_parents_answer_starts_beside_it() -> None:
    """The root asks at 0 for 10 s; the subagent began at 4 s, so 4 s after the root is sent."""
    root = stream([call(0, [1], took=10), call(12, [1, 2])])
    child = stream([call(4, [3])], "c", parent=0, spawn=Ref(0, 0), spawned_ns=4 * S)
    (_, only) = played(trace(root, child)).streams
    (turn,) = only.turns
    assert (turn.base, turn.turn.delay_ns, turn.overlaps) == (0, 4 * S, True)


def test_three_levels_share_the_prompts_that_they_begin_with() -> None:
    """Main's prompts: 192 tokens of system (150 rounded up to 3 blocks), then 1, 4 and 5 blocks.

    Turn 0 asked for 100 tokens, 2 blocks: of turn 1's 3 new blocks they are the assistant's. Turn 1
    asked for 0, so turn 2's new block is all the user's. The subagents state the same system; the
    first also has main's first user block, and goes on with 2 blocks after its prompt: the first
    is turn 0's answer and would be both, so that the last is handed back. The worker's prompt ends
    with two blocks after a's, of which a's answer of 64 tokens is one.
    """
    tree = played(three_levels())
    main = [("system", 192), ("user", 64)]
    first = [*main, ("assistant", 64), ("user", 64)]
    assert [sizes(turn) for turn in tree.streams[0].turns] == [
        main,
        [*main, ("assistant", 128), ("user", 64)],
        [*main, ("assistant", 128), ("user", 64), ("user", 64)],
    ]
    assert sizes(tree.streams[1].turns[0]) == first
    assert sizes(tree.streams[6].turns[0]) == [*first, ("assistant", 64), ("user", 64)]
    assert sizes(tree.streams[2].turns[0]) == [("system", 192), ("user", 64)]
    system = {turn.turn.messages[0].parts[0] for one in tree.streams[:6] for turn in one.turns}
    assert len(system) == 1
    assert tree.streams[1].turns[0].turn.messages[:2] == tree.streams[0].turns[0].turn.messages


def test_a_tree_asks_what_was_recorded_and_at_least_one_token() -> None:
    main = trace(stream([call(0, [1], output_tokens=0), call(2, [1, 2], output_tokens=7)]))
    (one,) = played(main).streams
    assert [turn.turn.asked_output for turn in one.turns] == [1, 7]
    assert (one.name, one.parent, played(main).name) == ("t", None, "t")


def test_traces_that_are_too_long_are_left_out_whole() -> None:
    """128 prompt and 100 answer tokens need 228; the first trace needs 164 only."""
    short, long = trace(stream([call(0, [1])]), id="short"), trace(stream([call(0, [1, 2])]))
    outlines: list[Outline] = []
    made = trees(workload(max_context=227), [short, long], SOURCE, outlines=outlines)
    assert [tree.name for tree in made] == ["short"]
    assert [one.name for one in outlines] == ["short"]
    assert len(list(trees(workload(max_context=228), [short, long], SOURCE))) == 2
    with pytest.raises(InputError, match="none of 2 traces fits into 100 tokens of context"):
        list(trees(workload(max_context=100), [short, long], SOURCE))
    with pytest.raises(InputError, match="the corpus holds no trace"):
        list(trees(workload(), [], SOURCE))


def test_an_outline_keeps_what_is_expected_of_each_request() -> None:
    """The second prompt begins with the one block of the first."""
    outlines: list[Outline] = []
    of = trace(stream([call(0, [1], output_tokens=0), call(2, [1, 2])]))
    list(trees(workload(), [of], SOURCE, outlines=outlines))
    assert outlines[0].expected == (
        (Expected(0, None, 64, 0, 0, 1), Expected(1, None, 128, 100, 1, 2)),
    )


def test_traces_share_no_text_unless_their_ids_mean_the_same() -> None:
    main = stream([call(0, [1, 2])])
    one, other = (told(played(trace(main, id=name)).streams[0].turns[0]) for name in "ab")
    assert not set(zip(one[0][1], other[0][1], strict=True)) & {(w, w) for w in one[0][1][:8]}
    shared = [
        told(played(trace(main, id=name, shared_blocks=True)).streams[0].turns[0]) for name in "ab"
    ]
    assert shared[0] == shared[1] != one


def test_the_marker_stands_before_the_first_user_message_of_every_stream() -> None:
    tree = played(three_levels(), cache_bust=True)
    for one in tree.streams:
        for turn in one.turns:
            marked = [[part is MARKER for part in m.parts] for m in turn.turn.messages]
            users = [n for n, m in enumerate(turn.turn.messages) if m.role == "user"]
            assert [n for n, parts in enumerate(marked) if any(parts)] == users[:1]
            assert marked[users[0]].index(True) == 0
            assert sum(map(sum, marked)) == 1


def test_a_prompt_without_ids_is_marked_too() -> None:
    main = trace(stream([call(0, [], input_tokens=70), call(9, [], input_tokens=70)]))
    tree = played(main, cache_bust=True)
    first, second = (turn.turn.messages for turn in tree.streams[0].turns)
    assert [(m.role, m.parts[0] is MARKER) for m in first] == [("user", True)]
    assert first[0].parts[1] != second[0].parts[1], "text without ids depends on its place"


USER, SAID = Message("user", ("Fix it.",)), Message("assistant", ("Done.",))


def test_recorded_conversations_are_asked_as_they_are() -> None:
    more = Message("user", ("And that.",))
    calls = [
        call(0, [], input_tokens=None, content=Content((USER,))),
        call(9, [], input_tokens=None, output_tokens=None, content=Content((SAID, more))),
    ]
    (one,) = played(trace(stream(calls)), default_output=33).streams
    assert [turn.turn.messages for turn in one.turns] == [(USER,), (USER, SAID, more)]
    assert [turn.turn.asked_output for turn in one.turns] == [100, 33]
    assert [turn.turn.asked_input for turn in one.turns] == [None, None]
    marked = played(trace(stream(calls)), cache_bust=True).streams[0].turns[1].turn.messages
    assert [message.parts for message in marked] == [(MARKER, "Fix it."), SAID.parts, more.parts]


def test_a_whole_prompt_stands_for_itself() -> None:
    calls = [
        call(0, [], input_tokens=None, content=Content((USER,))),
        call(9, [], input_tokens=None, content=Content((SAID, USER), whole=True, extra={"n": 1})),
    ]
    outlines: list[Outline] = []
    (tree,) = trees(workload(), [trace(stream(calls))], SOURCE, outlines=outlines)
    assert tree.streams[0].turns[1].turn.messages == (SAID, USER)
    assert outlines[0].unsent == {"n": 1}


def test_an_answer_that_nobody_recorded_has_a_place_and_is_inherited() -> None:
    """The first answer is limited to 100 tokens; the fork begins with it, as its parent goes on."""
    parent = stream(
        [
            call(0, [], input_tokens=None, content=Content((USER,))),
            call(9, [], input_tokens=None, content=Content((ANSWER, SAID, USER))),
        ],
    )
    own = Content((ANSWER, Message("user", ("Try another.",))))
    fork = stream(
        [call(5, [], input_tokens=None, content=own)], "fork", parent=0, spawn=Ref(0, 0),
        inherits=True,
    )  # fmt: skip
    tree = played(trace(parent, fork))
    answer = tree.streams[0].turns[1].turn.messages[1]
    assert (answer.role, len(answer.parts[0].split()), answer.answers) == ("assistant", 100, 0)
    assert tree.streams[0].turns[1].turn.messages == (USER, answer, SAID, USER)
    assert tree.streams[1].turns[0].turn.messages == (USER, answer, own.messages[1])
    assert tree.streams[1].turns[0].turn.messages[1] is answer


def test_wide_and_narrow_ids_of_one_trace_are_compared_as_numbers() -> None:
    wide = [1, 2, 2**40]
    main = trace(stream([call(0, [1, 2]), call(5, wide)]))
    assert main.streams[0].calls[1].blocks == block_ids(wide)
    first, second = played(main).streams[0].turns
    assert second.turn.messages[0] == first.turn.messages[0]
