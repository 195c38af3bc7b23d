"""A record that contradicts itself is a defect, and no number is made from it."""

import pytest

from handmade import NS, measured, record
from infx.metrics.per_request import completed
from infx.model.record import EndState, RequestRecord


@pytest.mark.parametrize(
    "defect",
    [
        record(due=2.0, sent=1.0, first=3.0),
        record(sent=2.0, first=1.0),
        record(sent=1.0, first=2.0, first_byte_ns=3 * NS),
        record(sent=1.0, first=2.0, gaps=(1.0,), output_at=1.5),
        record(sent=1.0, first=2.0, gaps=(1.0,), output_at=3.5),
        record(sent=1.0, first=2.0, gaps=(1.0,), end=2.5),
        record(sent=1.0, end=0.5),
    ],
)
def test_moments_follow_each_other(defect: RequestRecord) -> None:
    with pytest.raises(ValueError, match=r"request 0: due, sent, .* do not follow"):
        completed(measured(defect))


def test_gaps_are_not_negative() -> None:
    with pytest.raises(ValueError, match="request 4: a chunk gap is negative"):
        completed(measured(record(first=1.0, gaps=(2.0, -1.0), request=4)))


def test_what_failed_is_not_looked_at() -> None:
    assert completed(measured(record(sent=2.0, first=1.0, state=EndState.ERROR))) == []
