"""T22: short outputs look fast, so they are counted."""

import pytest

from handmade import measured, record
from infx.metrics import output_shortfall
from infx.model.result import Absent, MetricValue


@pytest.mark.parametrize(
    ("asked", "got", "short"),
    [
        (100, 95, False),  # 5 % exactly
        (100, 94, True),
        (100, 120, False),
        (1000, 950, False),  # 5 %, and 50 tokens
        (1000, 949, True),
        (8192, 8142, False),  # 50 tokens, which is less than 5 %
        (8192, 8141, True),
        (16, 16, False),
        (16, 15, True),
    ],
)
def test_more_than_five_percent_or_fifty_tokens(asked: int, got: int, short: bool) -> None:
    answer = record(first=1.0, asked_output=asked, completion_tokens=got)
    assert output_shortfall.compute(measured(answer)) == MetricValue(
        unit="share", n=1, mean=float(short)
    )


def test_share_of_requests_with_usage() -> None:
    answers = [record(first=1.0, asked_output=9, completion_tokens=got) for got in (9, 9, 9, 1)]
    unknown = record(first=1.0, asked_output=9)
    assert output_shortfall.compute(measured(*answers, unknown)) == MetricValue(
        unit="share", n=4, mean=0.25
    )
    assert output_shortfall.compute(measured(unknown)) == Absent(reason="no ok request has usage")
