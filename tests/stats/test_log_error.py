"""The error of a logarithm is how far a figure may be off, as a ratio."""

import math

import numpy as np
import pytest

from infx.model.result import Absent
from infx.stats.bootstrap import Blocks, Lanes
from infx.stats.log_error import LogError, joined, log_error

TEN = Lanes(tuple(range(10)), 10)


def test_it_is_the_spread_of_replicates_and_n_units_know_less():
    figures = np.exp(np.tile([-0.02, 0.02], 500))
    found = log_error(figures, TEN)
    assert isinstance(found, LogError)
    assert found.se == pytest.approx(0.02 * math.sqrt(10 / 9))
    assert (found.df, found.method, found.units) == (9, "lanes", 10)
    assert log_error(figures, Blocks((100,), 5, 20)).method == "blocks"


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.0, -1.0])
def test_what_has_no_logarithm_has_no_error(wrong):
    assert log_error(np.array([1.0, wrong]), TEN) == Absent(
        reason="too few requests have it: some resamples have none"
    )


def test_parts_add_up_by_their_squares():
    found = joined([LogError(0.03, 9, "blocks", 10), LogError(0.04, 15, "lanes", 16)])
    assert isinstance(found, LogError)
    assert found.se == pytest.approx(0.05)
    # 25 squared over 9 squared / 9 plus 16 squared / 15, all times the same power of ten
    assert found.df == pytest.approx(625 / (81 / 9 + 256 / 15))
    assert (found.method, found.units) == ("blocks", 10)


def test_a_part_that_is_missing_leaves_nothing():
    absent = Absent(reason="4 lanes")
    assert joined([LogError(0.03, 9, "blocks", 10), absent]) == absent


def test_no_error_at_all_is_possible():
    assert joined([LogError(0.0, 9, "blocks", 10)] * 2) == LogError(0.0, 9, "blocks", 10)
