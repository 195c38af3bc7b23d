"""A replay's prompts are held against the recording all together."""

import pytest

from handmade import measured, record
from infx.metrics import input_total_drift
from infx.model.record import EndState
from infx.model.result import Absent, MetricValue


def test_what_is_over_makes_up_for_what_is_under() -> None:
    """1000 + 20 and 2000 - 50 of 3000 asked: 30 / 3000. An error's prompt does not count."""
    found = input_total_drift.compute(
        measured(
            record(first=1.0, asked_input=1000, prompt_tokens=1020),
            record(first=1.0, asked_input=2000, prompt_tokens=1950),
            record(first=1.0, asked_input=1, prompt_tokens=9, state=EndState.ERROR),
            record(first=1.0, asked_input=None, prompt_tokens=9),
        )
    )
    assert isinstance(found, MetricValue)
    assert (found.n, found.mean) == (2, pytest.approx(0.01))


def test_needs_an_asked_length() -> None:
    assert input_total_drift.compute(measured(record(first=1.0, prompt_tokens=9))) == Absent(
        reason="no ok request has both an asked input length and usage"
    )
