"""Repetitions tell how much a figure changes from one measurement to the next."""

import math

import pytest

from infx.model.result import Absent
from infx.stats.log_error import LogError
from infx.stats.noise import noise


def test_both_sides_are_pooled_about_their_own_means() -> None:
    # Logarithms 0, .2 about .1 and 1, 1.4 about 1.2: squares .02 + .08 over 2 degrees of freedom.
    found = noise([1.0, math.exp(0.2)], [math.exp(1.0), math.exp(1.4)])
    assert isinstance(found, LogError)
    assert found.se == pytest.approx(math.sqrt(0.05 * (1 / 2 + 1 / 2)))
    assert (found.df, found.method, found.units) == (2, "repetitions", 4)


def test_one_side_may_tell_for_both() -> None:
    found = noise([1.0], [1.0, math.exp(0.2)])
    assert isinstance(found, LogError)
    assert found.se == pytest.approx(math.sqrt(0.02 * (1 + 1 / 2)))
    assert (found.df, found.units) == (1, 3)


def test_without_repetitions_it_is_not_known() -> None:
    assert noise([1.0], [2.0]) == Absent(reason="no repetitions")
