"""Prefix hits of an infinite cache."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from infx.model.trace import Ref
from infx.workloads.trace.hits import Hit, hit_rate, recorded_order, theoretical_hits
from recorded import only_trace, request, subagent


def test_a_hit_ends_at_the_first_block_that_nobody_sent_before(tmp_path):
    """The vector of the field: [1,2,3,4] [1,2,3,4,5] [1,2,9] [7,1,2].

    The first finds nothing, the second all four of the first, the third 1 and 2 but not 9, and the
    fourth nothing, since 7 is new and comes first: 0 + 4 + 2 + 0 of 4 + 5 + 3 + 3 = 6 / 15 = 0.4.
    """
    prompts = ([1, 2, 3, 4], [1, 2, 3, 4, 5], [1, 2, 9], [7, 1, 2])
    trace = only_trace(tmp_path, *(request(2 * n, ids) for n, ids in enumerate(prompts)))
    hits = [hit for stream in theoretical_hits(trace) for hit in stream]
    assert sorted(hits) == sorted([Hit(0, 4), Hit(4, 5), Hit(2, 3), Hit(0, 3)])
    assert hit_rate(hits) == 0.4


def test_all_streams_share_the_cache_in_the_order_of_their_starts(tmp_path):
    """The subagent asks [1, 8] at 2 s, after the session's [1] and before its [1, 8, 9]."""
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        subagent(2, "a", [request(2, [1, 8])]),
        request(4, [1, 8, 9]),
    )
    assert theoretical_hits(trace) == ((Hit(0, 1), Hit(2, 3)), (Hit(1, 2),))


def test_simultaneous_calls_count_in_the_order_of_the_file(tmp_path):
    trace = only_trace(
        tmp_path, request(0, [1]), subagent(0, "a", [request(0, [1, 2])]), request(0, [1, 2, 3])
    )
    by_place = {
        (call.outer, call.inner): hit
        for stream, hits in zip(trace.streams, theoretical_hits(trace), strict=True)
        for call, hit in zip(stream.calls, hits, strict=True)
    }
    assert by_place == {(0, None): Hit(0, 1), (1, 0): Hit(1, 2), (2, None): Hit(2, 3)}


def test_without_blocks_there_is_no_rate():
    assert hit_rate([]) is None
    assert hit_rate([Hit(0, 0)]) is None


def test_the_order_of_sending_decides_who_finds_what(tmp_path):
    """Two subagents begin with [5, 6]: whoever asks later finds both blocks."""
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        subagent(2, "a", [request(2, [5, 6, 7])]),
        subagent(3, "b", [request(3, [5, 6, 8])]),
    )
    main, a, b = Ref(0, 0), Ref(1, 0), Ref(2, 0)
    assert recorded_order(trace) == [main, a, b]
    assert theoretical_hits(trace) == ((Hit(0, 1),), (Hit(0, 3),), (Hit(2, 3),))
    assert theoretical_hits(trace, [main, b, a]) == ((Hit(0, 1),), (Hit(2, 3),), (Hit(0, 3),))


def paths(numbers: list[int], depth: int = 6) -> list[list[int]]:
    """Return prompts in which an id names all ids before it: each a path in a tree of threes."""
    found = []
    for number in numbers:
        node, path = 0, []
        for _ in range(1 + number % depth):
            node, number = 3 * node + 1 + number % 3, number // 3
            path.append(node)
        found.append(path)
    return found


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=12), st.randoms())
def test_no_order_changes_the_sum_of_hits_of_chained_ids(numbers, random):
    """Each of the distinct blocks is new once: the others of all blocks are hits, in any order."""
    prompts = paths(numbers)
    with TemporaryDirectory() as folder:
        trace = only_trace(
            Path(folder),
            request(0, [0]),
            *(subagent(n, f"a{n}", [request(n, ids)]) for n, ids in enumerate(prompts, 1)),
        )
    order = recorded_order(trace)
    random.shuffle(order)
    blocks = 1 + sum(map(len, prompts))
    distinct = 1 + len({block for prompt in prompts for block in prompt})
    for hits in (theoretical_hits(trace), theoretical_hits(trace, order)):
        assert sum(hit.known for stream in hits for hit in stream) == blocks - distinct
