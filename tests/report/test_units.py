"""Figures read as people write them, in the units people use."""

import pytest

from infx.report.units import display_unit, figure, label, plus_minus


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0123456, "0.0123"),
        (0.00001234, "0.0000123"),
        (1, "1.00"),
        (9.996, "10.0"),
        (99.96, "100"),
        (123.4, "123"),
        (999.7, "1,000"),
        (12345.6, "12,346"),
        (-2.5, "-2.50"),
    ],
)
def test_a_figure_has_three_digits_and_no_exponent(value, text):
    assert figure(value) == text


@pytest.mark.parametrize(
    ("metric", "unit", "shown"),
    [
        ("ttft", "s", ("ms", 1000)),
        ("itl", "s", ("ms", 1000)),
        ("e2el", "s", ("s", 1)),
        ("error_rate", "share", ("%", 100)),
        ("output_throughput", "tok/s", ("tok/s", 1)),
    ],
)
def test_short_times_are_shown_in_milliseconds_and_shares_in_percent(metric, unit, shown):
    assert display_unit(metric, unit) == shown


def test_metrics_have_the_names_of_the_field():
    assert label("ttft", "p99") == "TTFT p99"
    assert label("e2e_interactivity", "p50") == "E2E interactivity p50"
    assert label("interactivity", "mean") == "interactivity mean"
    assert label("output_throughput", "mean") == "output throughput"
    assert label("output_throughput_per_gpu", "mean") == "output throughput per GPU"


@pytest.mark.parametrize(
    ("value", "within", "text"),
    [
        (5.62, (5.1, 6.0), "5.62 ±0.52"),  # the farther end
        (1552.4, (1507.0, 1590.0), "1,552 ±45"),
        (16.3, (16.2996, 16.3004), "16.3 ±0.00040"),
        (7.0, (7.0, 7.0), "7.00 ±0"),
        (7.0, None, "7.00"),
    ],
)
def test_what_chance_may_do_stands_behind_a_figure(value, within, text):
    assert plus_minus(value, within) == text
