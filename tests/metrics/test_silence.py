"""The longest silence of a profile, counted millisecond by millisecond over drawn journals."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handmade import NS, measured
from infx.metrics.coverage import coverage
from infx.model.measured import Replayed
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Coverage

MS = NS // 1000
LENGTH = 12_000
"""Milliseconds of the profile."""


@st.composite
def requests(draw: st.DrawFn) -> RequestRecord:
    sent = draw(st.integers(0, LENGTH - 1))
    first = draw(st.sampled_from([None, 0, 1, 500, 3000]))
    gaps = draw(st.lists(st.sampled_from([0, 10, 700, 2500]), max_size=4)) if first else []
    state = draw(st.sampled_from(EndState))
    end = sent + (first or 0) + sum(gaps) + draw(st.sampled_from([0, 5, 1200, 4000]))
    return RequestRecord(
        request=0, session=0, turn=0, lane=0, phase=Phase.PROFILING, state=state,
        due_ns=sent * MS, sent_ns=sent * MS, end_ns=None if state == "lost" else end * MS,
        asked_input=None, asked_output=1,
        first_content_ns=None if first is None else (sent + first) * MS,
        gaps_ns=tuple(gap * MS for gap in gaps),
    )  # fmt: skip


def signs(record: RequestRecord) -> set[int]:
    """The milliseconds at which its content came, and at which it ended."""
    found = set() if record.end_ns is None else {record.end_ns // MS}
    if record.first_content_ns is not None:
        moment = record.first_content_ns // MS
        found.add(moment)
        for gap in record.gaps_ns:
            moment += gap // MS
            found.add(moment)
    return found


def longest(records: list[RequestRecord]) -> int:
    """The longest stretch without a sign in which some request was in flight throughout."""
    busy = [False] * LENGTH
    for one in records:
        end = LENGTH if one.end_ns is None else min(one.end_ns // MS, LENGTH)
        busy[one.sent_ns // MS : end] = [True] * (end - one.sent_ns // MS)
    moments = {0, LENGTH}.union(*map(signs, records))
    best = 0
    for at, until in pairwise(sorted(one for one in moments if one <= LENGTH)):
        run = 0
        for quiet in busy[at:until]:
            run = run + 1 if quiet else 0
            best = max(best, run)
    return best


@given(st.lists(requests(), max_size=6))
def test_a_silence_of_more_than_two_seconds_is_exact(records: list[RequestRecord]) -> None:
    """Only the first and the last sign of each second are kept, so shorter ones may be less."""
    replay = Replayed(profiling=(0, LENGTH * MS), duration_ns=LENGTH * MS)
    found, by_hand = coverage(measured(*records, replay=replay)), longest(records) / 1000
    assert isinstance(found, Coverage)
    if by_hand > 2:
        assert found.silence_s == pytest.approx(by_hand)
    else:
        assert found.silence_s <= by_hand + 1e-9
