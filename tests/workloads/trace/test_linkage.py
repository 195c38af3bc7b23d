"""Where subagents start, and who waits for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.trace import Ref
from infx.workloads.trace.recording import Recording, Subagent
from infx.workloads.trace.session import trace_of
from recorded import S, call, only_trace, request, subagent


def hung(tmp_path, *, end: float, turns=(0, 6, 20)) -> tuple[Ref | None, Ref | None]:
    """Where a subagent hangs that is spawned at 2 s, after the first of the session's turns."""
    rows = [request(t, list(range(1, 2 + n)), api_time=0.5) for n, t in enumerate(turns)]
    inner = subagent(2, "a", [request(2, [99])], duration_ms=round(1000 * (end - 2)))
    child = only_trace(tmp_path, rows[0], inner, *rows[1:]).streams[1]
    return child.spawn, child.join


@pytest.mark.parametrize(
    ("end", "join"),
    [(5.0, Ref(0, 1)), (6.0, Ref(0, 1)), (6.002, Ref(0, 2)), (12.5, Ref(0, 2)), (24.0, None)],
)
def test_the_first_turn_that_begins_at_or_after_the_end_waits(tmp_path, end, join):
    """Turns at 0, 6 and 20 s: an end at 6 s is awaited by the turn at 6 s, one after 20 s by none.

    6.002 s is later than the microsecond that times are written to.
    """
    assert hung(tmp_path, end=end) == (Ref(0, 0), join)


def test_only_turns_of_the_rows_after_its_own_wait(tmp_path):
    """Rows out of order: the turn at 8 s stands before the subagent, which had ended at 3 s.

    It is no turn that was written after the subagent's end, so the one at 9 s waits.
    """
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        request(8, [1, 2]),
        subagent(2, "a", [request(2, [9])]),
        request(9, [1, 2, 3]),
    )
    assert (trace.streams[1].spawn, trace.streams[1].join) == (Ref(0, 0), Ref(0, 2))


def test_without_a_stated_duration_the_last_answer_is_the_end(tmp_path):
    """It runs from 3 to 3 + 4 = 7 s: the turn at 6 s does not wait, that at 8 does."""
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        subagent(2, "a", [request(3, [9], api_time=4.0)]),
        request(6, [1, 2]),
        request(8, [1, 2, 3]),
    )
    assert trace.streams[1].join == Ref(0, 2)


def test_a_turn_that_begins_before_the_subagents_last_call_cannot_wait_for_it(tmp_path):
    """It is said to have ended at 3 s, but it asked at 7 s: waiting from 6 s on would never end."""
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        subagent(2, "a", [request(2, [9]), request(7, [9, 8])], duration_ms=1000),
        request(6, [1, 2]),
        request(8, [1, 2, 3]),
    )
    assert trace.streams[1].join == Ref(0, 2)


def test_subagents_of_one_start_and_one_end_share_a_branch(tmp_path):
    """At 2 and 3 s after turn 0; both are over by 6 s, the third one only by 20 s."""
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        subagent(2, "a", [request(2, [7])], duration_ms=2000),
        subagent(3, "b", [request(3, [8])], duration_ms=2000),
        subagent(3, "c", [request(3, [9])], duration_ms=9000),
        request(6, [1, 2]),
        request(20, [1, 2, 3]),
    )
    assert [(b.spawn, b.join, b.start_ns, b.streams) for b in trace.branches()] == [
        (Ref(0, 0), Ref(0, 1), 2 * S, (1, 2)),
        (Ref(0, 0), Ref(0, 2), 3 * S, (3,)),
    ]


@pytest.mark.parametrize(("spawned", "overlap"), [(1.5, True), (2.0, False), (3.0, False)])
def test_a_subagent_may_start_while_the_call_that_starts_it_still_runs(tmp_path, spawned, overlap):
    """The call runs until 2 s: one spawned at 1.5 s starts 1.5 s after it was sent."""
    trace = only_trace(
        tmp_path,
        request(0, [1], api_time=2.0),
        subagent(spawned, "a", [request(spawned, [9])]),
        request(9, [1, 2]),
    )
    (branch,) = trace.branches()
    assert (branch.overlap, branch.start_ns) == (overlap, round(spawned * S))


def test_a_subagent_is_a_scope_of_its_own(tmp_path):
    """Its second call, at 8 s, waits for the unlabelled one inside it that had ended, at 5 s, and
    not for the session's turn at 6 s; that one waits for neither.
    """
    inner = [request(2, [20]), request(4, [30]), request(8, [20, 21])]
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        subagent(2, "a", inner),
        request(6, [1, 2]),
        request(20, [1, 2, 3]),
    )
    main, child, side = trace.streams
    assert child.after == ((), (Ref(2, 0),))
    assert side.after == ((Ref(1, 0),),)
    assert main.after == ((), (), ())


def test_stated_tools_and_system_prompt_go_to_agents_that_begin_with_them(tmp_path):
    """100 + 28 tokens are two blocks of 64: row 1 begins with both, row 2 with one of them."""
    trace = only_trace(
        tmp_path,
        request(0, [1, 2, 3], api_time=50.0),
        request(1, [1, 2, 9], api_time=50.0),
        request(2, [1, 8, 9], api_time=50.0),
        tool_tokens=100,
        system_tokens=28,
    )
    sizes = [(stream.tool_tokens, stream.system_tokens) for stream in trace.streams]
    assert sizes == [(100, 28), (100, 28), (0, 0)]


times = st.integers(0, 12)
calls = st.builds(
    lambda start, took, ids: call(start, ids, took=took),
    times,
    st.integers(0, 6),
    st.lists(st.integers(1, 2), max_size=3),
)


@st.composite
def recordings(draw) -> Recording:
    """Sessions in any order of rows, with stated ends that need not be true."""
    from dataclasses import replace

    own = draw(st.lists(calls, min_size=1, max_size=7))
    inner = draw(st.lists(st.lists(calls, min_size=1, max_size=4), max_size=3))
    rows = draw(st.permutations([*own, *inner]))
    subagents = [
        Subagent(
            outer=outer,
            agent=f"a{outer}",
            start_ns=(start := draw(times) * S),
            end_ns=start + draw(times) * S,
            calls=tuple(replace(one, outer=outer, inner=n) for n, one in enumerate(row)),
        )
        for outer, row in enumerate(rows)
        if isinstance(row, list)
    ]
    flat = [
        replace(row, outer=outer) for outer, row in enumerate(rows) if not isinstance(row, list)
    ]
    return Recording(id="t", block_tokens=64, calls=tuple(flat), subagents=tuple(subagents))


@given(recordings())
def test_every_recorded_call_is_in_one_stream_and_can_be_reached(recording):
    """Played by its waits alone, a trace never stands still, whatever was recorded."""
    trace = trace_of(recording, "", lambda what, remedy: None)
    dropped = {name for name, _ in trace.dropped}
    kept = [sub for sub in recording.subagents if sub.agent not in dropped]
    places = [(c.outer, c.inner) for stream in trace.streams for c in stream.calls]
    wanted = [(c.outer, c.inner) for c in (*recording.calls, *(c for s in kept for c in s.calls))]
    assert sorted(map(str, places)) == sorted(map(str, wanted))
    done: set[Ref] = set()
    while len(done) < trace.calls:
        ready = [ref for ref in every(trace) if ref not in done and waited(trace, ref) <= done]
        assert ready
        done.update(ready)


def every(trace):
    return (Ref(s, n) for s, stream in enumerate(trace.streams) for n in range(len(stream.calls)))


def waited(trace, ref: Ref) -> set[Ref]:
    """All that a call waits for: its own predecessor, its spawn, its joins, and other streams."""
    stream = trace.streams[ref.stream]
    found = set(stream.after[ref.call])
    if ref.call:
        found.add(Ref(ref.stream, ref.call - 1))
    elif stream.spawn is not None:
        found.add(stream.spawn)
    for other, joined in enumerate(trace.streams):
        if joined.join == ref:
            found |= {Ref(other, n) for n in range(len(joined.calls))}
    return found
