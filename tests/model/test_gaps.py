"""Packed distances are the numbers that they were made of."""

import copy
import dataclasses
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.gaps import Gaps
from infx.model.record import RequestRecord
from journaled import ending, issue

NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 2**32), max_size=8)


@given(NUMBERS)
def test_they_are_a_sequence_equal_to_what_they_were_made_of(numbers: list[int]) -> None:
    gaps = Gaps(numbers)
    assert gaps == tuple(numbers) == tuple(gaps)
    assert tuple(numbers) == gaps
    assert hash(gaps) == hash(tuple(numbers))
    assert (len(gaps), gaps.total, gaps.least) == (
        len(numbers), sum(numbers), min(numbers, default=0)
    )  # fmt: skip
    assert [gaps[n] for n in range(len(gaps))] == numbers
    assert copy.deepcopy(gaps) == pickle.loads(pickle.dumps(gaps)) == gaps


@pytest.mark.parametrize(
    ("numbers", "width"), [([0, 2**32 - 1], 4), ([2**32], 8), ([1, -1], 8), ([], 4)]
)
def test_four_bytes_hold_what_fits(numbers: list[int], width: int) -> None:
    assert Gaps(numbers).packed.itemsize == width


def test_what_no_clock_can_tell_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 63 bits"):
        Gaps([2**63])


def test_a_record_packs_what_it_is_given() -> None:
    record = ending(issue(1), first_content_ns=1_100, gaps_ns=(5, 7))
    assert isinstance(record.gaps_ns, Gaps)
    assert (record.chunks, record.last_content_ns) == (3, 1_112)
    again = dataclasses.replace(record, lane=9)
    assert again.gaps_ns is record.gaps_ns
    assert RequestRecord(**dataclasses.asdict(record)) == record
