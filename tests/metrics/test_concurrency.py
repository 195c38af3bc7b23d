"""Achieved concurrency is the time average of requests in flight."""

import pytest

from handmade import record
from infx.metrics.concurrency import achieved_concurrency
from infx.model.record import EndState, Phase


def test_time_average_over_the_window() -> None:
    # 4 s and 2 s in flight over 0..5 s.
    records = [record(sent=0.0, end=4.0), record(sent=3.0, end=5.0)]
    assert achieved_concurrency(records) == 6 / 5


def test_a_full_lane_is_one() -> None:
    records = [record(sent=float(i), end=float(i + 1)) for i in range(10)]
    assert achieved_concurrency(records) == 1.0


def test_every_end_state_held_its_place_and_warmup_did_not() -> None:
    records = [
        record(sent=0.0, end=4.0, state=EndState.ERROR),
        record(sent=0.0, end=4.0, state=EndState.CANCELLED_AT_END),
        record(sent=0.0, end=9.0, phase=Phase.WARMUP),
    ]
    assert achieved_concurrency(records) == 2.0


def test_a_lost_request_was_in_flight_until_the_last_known_moment() -> None:
    records = [record(sent=0.0, end=4.0), record(sent=2.0, state=EndState.LOST)]
    assert achieved_concurrency(records) == 6 / 4


@pytest.mark.parametrize("records", [[], [record(sent=1.0, state=EndState.LOST)]])
def test_no_time_no_concurrency(records: list) -> None:
    assert achieved_concurrency(records) is None


def test_an_end_before_the_sending_is_refused() -> None:
    with pytest.raises(ValueError, match="ends before it was sent"):
        achieved_concurrency([record(sent=2.0, end=1.0), record(sent=0.0, end=3.0)])
