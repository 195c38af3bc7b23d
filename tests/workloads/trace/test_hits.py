"""Prefix hits of an infinite cache."""

from infx.workloads.trace.hits import Hit, hit_rate, theoretical_hits
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
