"""Throughputs count the server's tokens, all of them or none."""

from types import ModuleType

import pytest

from handmade import measured, record
from infx.metrics import (
    input_throughput,
    output_throughput,
    total_throughput,
    uncached_throughput,
)
from infx.model.measured import Measured
from infx.model.record import EndState
from infx.model.result import Absent, MetricValue

EVERY = (input_throughput, output_throughput, total_throughput, uncached_throughput)


def two_answers() -> Measured:
    """Over 4 s: 300 prompt tokens of which 100 cached, and 60 generated."""
    return measured(
        record(sent=1.0, first=2.0, prompt_tokens=100, cached_tokens=0, completion_tokens=20),
        record(sent=2.0, first=5.0, prompt_tokens=200, cached_tokens=100, completion_tokens=40),
        record(sent=0.0, end=9.0, prompt_tokens=999, completion_tokens=9, state=EndState.ERROR),
    )


@pytest.mark.parametrize(
    ("module", "figure"),
    [
        (input_throughput, 300 / 4),
        (output_throughput, 60 / 4),
        (total_throughput, 360 / 4),
        (uncached_throughput, 200 / 4),
    ],
)
def test_tokens_over_the_window(module: ModuleType, figure: float) -> None:
    assert module.compute(two_answers()) == MetricValue(unit="tok/s", n=2, mean=figure)


@pytest.mark.parametrize("module", EVERY)
def test_one_request_without_usage_leaves_no_sum(module: ModuleType) -> None:
    holed = measured(*two_answers().records, record(sent=1.0, first=2.0))
    assert module.compute(holed) == Absent(reason="the server gave no count for 1 of 3 ok requests")


def test_an_unreported_hit_is_not_a_miss() -> None:
    silent = measured(record(first=1.0, prompt_tokens=100, completion_tokens=1))
    assert uncached_throughput.compute(silent) == Absent(
        reason="the server gave no count for 1 of 1 ok requests"
    )


def test_more_cached_than_sent_is_no_negative_work() -> None:
    absurd = measured(record(first=1.0, prompt_tokens=100, cached_tokens=101))
    assert uncached_throughput.compute(absurd) == Absent(
        reason="the server counts more cached tokens than the prompt has"
    )
