"""Acceptance length comes from the engine's counters, and is held against the golden one."""

from dataclasses import replace
from decimal import Decimal

import pytest

from handmade import measured
from infx.flows.summary import acceptance_of
from infx.metrics import acceptance_error, acceptance_length
from infx.model.acceptance import Cell
from infx.model.measured import Acceptance, Measured
from infx.model.result import Absent, MetricValue, ServerMetrics


def counted(length: float, steps: int, golden: float | None = None) -> Measured:
    return replace(measured(), acceptance=Acceptance(length, steps, golden))


def test_the_measured_length_and_its_distance() -> None:
    """2.7 tokens a step where 3 are golden: 10 % off; above it is as far."""
    low, high = counted(2.7, 500, 3.0), counted(3.3, 500, 3.0)
    assert acceptance_length.compute(low) == MetricValue(unit="tok/step", n=500, mean=2.7)
    for given in (low, high):
        found = acceptance_error.compute(given)
        assert isinstance(found, MetricValue)
        assert (found.n, found.mean) == (500, pytest.approx(0.1))


def test_what_the_metrics_pages_say_of_it() -> None:
    told = MetricValue(unit="tok/step", n=500, mean=2.7)
    silent = Absent(reason="these pages do not have it")
    pages = [
        ServerMetrics(
            dialect="vllm", window_s=1, pages=1, before_s=0, after_s=0,
            metrics={"acceptance_length": length},
        )
        for length in (told, silent)
    ]  # fmt: skip
    golden = Cell(curve="c", model="m", thinking="thinking_on", length=3, al=Decimal("3.0"))
    assert acceptance_of(pages[0], golden) == Acceptance(2.7, 500, 3.0)
    unknown = acceptance_of(pages[0], Absent(reason="nobody says how it drafts"))
    assert unknown == Acceptance(2.7, 500, None, "nobody says how it drafts")
    assert acceptance_of(pages[0]) == Acceptance(2.7, 500)
    assert acceptance_of(pages[1], golden) == "these pages do not have it"
    assert acceptance_of(Absent(reason="no metrics page was read")) == "no metrics page was read"


def test_without_counters_or_a_golden_length() -> None:
    idle = "the engine made no step of speculative decoding"
    for given, reason in (
        (measured(), "no counters of speculative decoding were read"),
        (replace(measured(), acceptance="the server has no page"), "the server has no page"),
        (counted(0.0, 0, 3.0), idle),
    ):
        assert acceptance_length.compute(given) == Absent(reason=reason)
        assert acceptance_error.compute(given) == Absent(reason=reason)
    assert acceptance_error.compute(counted(2.0, 9)) == Absent(
        reason="no golden acceptance length holds for this point"
    )
