"""Prompts are held against the server's own count."""

import pytest

from handmade import measured, record
from infx.metrics import input_drift
from infx.model.result import Absent, MetricValue


@pytest.mark.parametrize(
    ("asked", "got", "drifts"),
    [
        (100, 104, False),  # 4 tokens, more than 1 %
        (100, 96, False),
        (100, 105, True),
        (100, 95, True),
        (1000, 1010, False),  # 1 % exactly
        (1000, 1011, True),
        (1000, 989, True),
        (8192, 8273, False),  # 81 of 81.92
        (8192, 8274, True),
    ],
)
def test_more_than_one_percent_or_four_tokens(asked: int, got: int, drifts: bool) -> None:
    answer = record(first=1.0, asked_input=asked, prompt_tokens=got)
    assert input_drift.compute(measured(answer)) == MetricValue(
        unit="share", n=1, mean=float(drifts)
    )


def test_prompts_of_a_data_set_have_no_asked_length() -> None:
    assert input_drift.compute(measured(record(first=1.0, prompt_tokens=9))) == Absent(
        reason="no ok request has both an asked input length and usage"
    )
