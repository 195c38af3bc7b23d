"""What found agents are, and the stream ids that say so."""

import pytest

from infx.model.trace import Ref
from infx.workloads.trace.chains import agents
from infx.workloads.trace.roles import roles
from recorded import S, call, listed, only_trace, request, subagent

BIG = 20_000
"""Tokens of a prompt that is no side call's."""


def markers(*calls) -> list[str]:
    main, *others = agents(listed(*calls))
    return [role.marker for role in roles(main, others)]


def beside(**fields):
    """A main agent of two calls, and one call beside it that shares its first block."""
    stated = {"input_tokens": BIG, "output_tokens": 5_000, **fields}
    return markers(call(0, [1, 2]), call(2, [1, 9], **stated), call(4, [1, 2, 3]))


@pytest.mark.parametrize(
    ("fields", "marker"),
    [
        ({}, "fa:000"),
        ({"model": "small"}, "aux:000"),
        ({"input_tokens": 16_383}, "aux:000"),
        ({"input_tokens": 16_384}, "fa:000"),
        ({"output_tokens": 999}, "aux:000"),
        ({"output_tokens": 1_000}, "fa:000"),
        ({"output_tokens": 0}, "fa:000"),
        ({"input_tokens": 100_000, "output_tokens": 4_000}, "fa:000"),
        ({"input_tokens": 100_000, "output_tokens": 3_999}, "aux:000"),
    ],
)
def test_a_lone_call_is_a_side_call_by_its_model_its_size_or_what_it_sums_up(fields, marker):
    """20,000 tokens in: 999 out are a ratio above 20, 1,000 are 20 and not above it.

    An answer of none, or of 4,000 and more, sums nothing up.
    """
    assert beside(**fields) == [marker]


@pytest.mark.parametrize(("size", "marker"), [(29_999, "aux:000"), (30_000, "fa:000")])
def test_beside_a_long_session_a_side_call_may_have_a_tenth_of_its_peak(size, marker):
    """A peak of 300,000 tokens raises the bound from 16,384 to 30,000."""
    peak = call(4, [1, 2, 3], input_tokens=300_000)
    found = markers(
        call(0, [1, 2]), call(2, [1, 9], input_tokens=size, output_tokens=5_000), peak
    )  # fmt: skip
    assert found == [marker]


def test_the_model_of_a_title_is_not_the_sessions():
    """The title is asked of a small model; the session and the agent beside it are on `m`."""
    found = markers(
        call(0, [50], model="small", output_tokens=9),
        call(2, [1, 2]),
        call(4, [1, 9], input_tokens=BIG, output_tokens=5_000),
        call(6, [1, 2, 3]),
    )
    assert found == ["fa:000"]


def test_two_calls_are_no_side_call():
    assert markers(call(0, [1]), call(2, [5]), call(4, [5, 6]), call(6, [1, 2])) == ["fa:000"]


def worker(start: float, block: int, took: float = 5.0):
    """One call that forks off the first two blocks and is too large for a side call."""
    return call(start, [1, 2, block], took=took, input_tokens=BIG, output_tokens=5_000)


def test_three_that_fork_off_one_call_and_run_at_once_are_a_group():
    """Rows 1, 2 and 3 fork off row 0; the fourth starts when all have ended and stands alone."""
    found = markers(
        call(0, [1, 2, 3]),
        worker(2, 7), worker(3, 8), worker(6, 9), worker(11, 10),
        call(20, [1, 2, 3, 4]),
    )  # fmt: skip
    assert found == ["wg:000_000", "wg:000_001", "wg:000_002", "fa:003"]


def test_two_are_no_group_and_a_touch_is_no_overlap():
    assert markers(
        call(0, [1, 2, 3]), worker(2, 7), worker(3, 8), call(20, [1, 2, 3, 4])
    ) == ["fa:000", "fa:001"]  # fmt: skip
    assert markers(
        call(0, [1, 2, 3]), worker(2, 7), worker(3, 8, 4), worker(7, 9), call(20, [1, 2, 3, 4])
    ) == ["fa:000", "fa:001", "fa:002"]  # fmt: skip


def test_groups_count_from_the_earliest_and_side_calls_keep_their_number():
    """Two groups off two calls; the second group's middle member is on another model."""
    second = [
        call(t, [1, 2, 3, 4, b], took=5, input_tokens=BIG, output_tokens=5_000, **fields)
        for t, b, fields in ((22, 7, {}), (23, 8, {"model": "small"}), (24, 9, {}))
    ]
    found = markers(
        call(0, [1, 2, 3]),
        worker(2, 7), worker(3, 8), worker(4, 9),
        call(20, [1, 2, 3, 4, 5]),
        *second,
        call(40, [1, 2, 3, 4, 5, 6]),
    )  # fmt: skip
    assert found == [
        "wg:000_000", "wg:000_001", "wg:000_002", "wg:001_000", "aux:004", "wg:001_002",
    ]  # fmt: skip


def large(t: float, ids: list[int], took: float = 5.0) -> dict:
    return request(t, ids, api_time=took, out=5_000, **{"in": BIG})


def test_a_session_of_three_levels_with_five_parallel_subagents(tmp_path):
    """Level 1: five labelled subagents at 4 s, and a lone agent beside the session at 5 s.

    Level 2: inside `a0`, three agents that fork off its first call at once, and one side call. All
    of `a0` starts after the session's row 1, and row 8, at 40 s, waits for what had ended by then:
    `a4` runs until 50 s and has nobody who waits.
    """
    inner = [
        request(4, [20, 21]),
        *(large(6, [20, n]) for n in (30, 31, 32)),
        request(7, [99]),
        request(20, [20, 21, 22]),
    ]
    others = [
        subagent(4, f"a{n}", [request(4, [50 + n])], duration_ms=ms)
        for n, ms in ((1, 1000), (2, 2000), (3, 3000), (4, 46_000))
    ]
    trace = only_trace(
        tmp_path,
        request(0, [1, 2]),
        request(2, [1, 2, 3]),
        subagent(4, "a0", inner),
        *others,
        large(5, [1, 2, 9]),
        request(40, [1, 2, 3, 4]),
    )
    linked = [(stream.id, trace.depth(n), stream.join) for n, stream in enumerate(trace.streams)]
    done = Ref(0, 2)
    assert linked == [
        ("t", 0, None),
        ("t::fa:000", 1, done),
        ("t::sa:a0", 1, done),
        ("t::sa:a0:wg:000_000", 2, done),
        ("t::sa:a0:wg:000_001", 2, done),
        ("t::sa:a0:wg:000_002", 2, done),
        ("t::sa:a0:aux:003", 2, done),
        ("t::sa:a1", 1, done),
        ("t::sa:a2", 1, done),
        ("t::sa:a3", 1, done),
        ("t::sa:a4", 1, None),
    ]
    assert {stream.spawn for stream in trace.streams[1:]} == {Ref(0, 1)}
    assert [(b.streams, b.start_ns) for b in trace.branches()] == [
        ((1,), 5 * S),
        ((2, 3, 4, 5, 6, 7, 8, 9), 4 * S),
        ((10,), 4 * S),
    ]
