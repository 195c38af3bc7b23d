"""Intervals cover what they claim, repeat with their key, and are absent where they would lie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.result import Absent, Interval
from infx.stats.bootstrap import (
    Blocks,
    Lanes,
    Plan,
    blocks,
    cube_root,
    distribution,
    drains,
    draws,
    interval,
    relative_rate,
    replicates,
)
from infx.stats.percentile import mean, percentile

FINITE = st.floats(min_value=-1e6, max_value=1e6)


def lanes(count: int, each: int) -> Lanes:
    """Lanes whose requests stand one after the other."""
    return Lanes(tuple(lane for lane in range(count) for _ in range(each)), count)


def weights_of(plan: Plan) -> np.ndarray:
    return np.hstack(list(draws(plan, "k")))


def of_mean(values, plan, key="k"):
    """Return the replicates of the mean."""
    return replicates(plan, {"x": distribution(values, [])}, key=key)["x"][:, 0]


@pytest.mark.parametrize(("number", "root"), [(1, 1), (8, 2), (9, 3), (27, 3), (1000, 10)])
def test_cube_root_is_rounded_up(number, root):
    assert cube_root(number) == root


def test_one_sequence_is_cut_into_blocks_of_the_cube_root():
    assert blocks([100]) == Blocks((100,), 5, 20)
    assert blocks([50, 0, 50]) == Blocks((50, 50), 5, 20)


@pytest.mark.parametrize(
    ("requests", "width", "length", "units"),
    [
        (120, 12, 12, 10),  # ten turns of all lanes: three would be 36, and leave too few blocks
        (600, 12, 48, 13),  # fifty turns: blocks of four
        (12_000, 12, 120, 100),  # a thousand turns: blocks of ten
        (40, 12, 4, 10),  # never below the cube root of all
    ],
)
def test_a_block_holds_turns_of_all_that_run_at_one_time(requests, width, length, units):
    assert blocks([requests], width=width) == Blocks((requests,), length, units)


def test_few_requests_tell_no_spread():
    assert blocks([20]) == Absent(
        reason="20 requests give 7 blocks of 3; 10 are needed, from requests or repetitions"
    )
    assert blocks([]) == blocks([0, 0]) == Absent(reason="no observations")


def test_ten_blocks_tell_a_spread_and_nine_do_not():
    """The cube roots of 36 and 37 are both rounded up to 4: 9 blocks, and 10."""
    assert blocks([36]) == Absent(
        reason="36 requests give 9 blocks of 4; 10 are needed, from requests or repetitions"
    )
    assert blocks([37]) == Blocks((37,), 4, 10)


def test_a_draw_takes_whole_lanes_and_as_many_as_there_are():
    plan = Lanes((0, 1, 1, 2, 3, 3, 0), 4)
    weights = weights_of(plan)
    assert weights.shape == (7, 1000)
    assert (weights[0] == weights[6]).all()
    assert (weights[1] == weights[2]).all()
    assert (weights[[0, 1, 3, 4]].sum(axis=0) == 4).all()


def test_a_block_wraps_around_its_own_end_and_keeps_the_length():
    weights = weights_of(Blocks((4, 3), length=2, units=4))
    assert (weights[:4].sum(axis=0) == 4).all()
    assert (weights[4:].sum(axis=0) == 3).all()
    # Two blocks of two neighbours on a ring of four: the alternate ones 0 and 2 never differ from
    # 1 and 3 in number.
    assert (weights[0] + weights[2] == weights[1] + weights[3]).all()
    assert {tuple(column) for column in weights[:4].T.tolist()} == {
        (2, 2, 0, 0), (0, 2, 2, 0), (0, 0, 2, 2), (2, 0, 0, 2), (1, 1, 1, 1),
        (1, 2, 1, 0), (0, 1, 2, 1), (1, 0, 1, 2), (2, 1, 0, 1),
    }  # fmt: skip


def test_many_requests_are_drawn_in_parts_and_less_often():
    parts = list(draws(lanes(100, 1000), "k"))
    assert len(parts) == 5
    assert sum(part.shape[1] for part in parts) == 200
    assert len(of_mean(np.zeros(100), lanes(10, 10))) == 1000


@given(
    st.lists(st.tuples(FINITE, st.integers(0, 4)), min_size=1, max_size=12).filter(
        lambda pairs: any(times for _, times in pairs)
    ),
    st.floats(0, 100),
)
def test_a_weighted_figure_is_that_of_the_values_repeated(pairs, p):
    values, times = zip(*pairs, strict=True)
    repeated = sorted(value for value, n in pairs for _ in range(n))
    weights = np.array([times], dtype=np.int32).T
    ((found_mean, found),) = distribution(values, [p])(weights)
    assert found == pytest.approx(percentile(repeated, p), rel=1e-9, abs=1e-6)
    assert found_mean == pytest.approx(mean(repeated), rel=1e-9, abs=1e-6)


def test_values_that_are_missing_are_left_out():
    weights = np.array([[1, 0], [2, 5], [1, 0]], dtype=np.int32)
    figures = distribution([1.0, np.nan, 3.0], [50])(weights)
    assert figures[0].tolist() == [2.0, 2.0]
    assert np.isnan(figures[1]).all()
    assert np.isnan(distribution([np.nan] * 3, [50])(weights)).all()


def test_a_resample_without_any_of_many_values_is_undefined_beside_others():
    """The second resample draws the one request that has no value, and none of the nine others."""
    values = [*map(float, range(1, 10)), np.nan]
    weights = np.array([[1, 0]] * 9 + [[0, 10]], dtype=np.int32)
    figures = distribution(values, [50, 100])(weights)
    assert figures[0].tolist() == [5.0, 5.0, 9.0]
    assert np.isnan(figures[1]).all()


def test_a_rate_is_relative_to_that_of_all():
    # 60 tokens in 4 s are 15 a second; the first request alone makes 20, the second 13.33.
    weights = np.array([[1, 1, 0], [1, 0, 2]], dtype=np.int32)
    rates = relative_rate([20.0, 40.0], [1.0, 3.0])(weights)
    assert rates.ravel().tolist() == pytest.approx([1.0, 20 / 15, 40 / 3 / 15])
    assert np.isnan(relative_rate([0.0, 0.0], [1.0, 3.0])(weights)).all()


def test_same_key_same_interval():
    values = np.random.default_rng(0).normal(1.0, 0.1, size=160)
    plan = lanes(16, 10)
    first = interval(of_mean(values, plan), plan)
    assert isinstance(first, Interval)
    assert (first.method, first.units, first.level) == ("lanes", 16, 0.95)
    assert first.low < 1.0 < first.high
    assert interval(of_mean(values, plan), plan) == first
    assert interval(of_mean(values, plan, key="other"), plan) != first


def test_lanes_that_agree_inside_and_differ_outside_widen_the_interval():
    # Ten lanes of constant value: 1000 requests know no more than ten.
    plan = lanes(10, 100)
    found = interval(of_mean(np.repeat(np.arange(10.0), 100), plan), plan)
    assert isinstance(found, Interval)
    # The mean of ten draws of 0..9 has std sqrt(8.25 / 10) = 0.908, so about 4.5 -+ 1.78.
    assert found.low == pytest.approx(4.5 - 1.78, abs=0.2)
    assert found.high == pytest.approx(4.5 + 1.78, abs=0.2)


@pytest.mark.parametrize("kind", ["lanes", "blocks"])
def test_coverage_of_the_mean(kind):
    """Lanes with effects of their own, and one lane whose requests follow each other."""
    rng = np.random.default_rng(1)
    plan = lanes(20, 10) if kind == "lanes" else blocks([400])
    covered = 0
    for trial in range(200):
        if kind == "lanes":
            values = np.repeat(rng.normal(size=20), 10) + rng.normal(size=200)
        else:
            noise = rng.normal(size=401)
            values = noise[1:] + 0.5 * noise[:-1]
        found = interval(of_mean(values, plan, key=str(trial)), plan)
        assert isinstance(found, Interval)
        covered += found.low <= 0.0 <= found.high
    # 95 % less what the percentile method loses with 20 clusters. Were requests resampled as if
    # independent, lanes would be covered in about 60 %, and the one lane in about 86 %.
    assert 0.87 <= covered / 200 <= 0.99


def test_what_is_undefined_on_a_resample_has_no_interval():
    assert interval(np.array([1.0, np.nan]), lanes(10, 1)) == Absent(
        reason="too few requests have it: some resamples have none"
    )


def test_a_drain_is_the_longest_of_what_is_left():
    # A lane within a request of 1 s is met at any moment of it; the longest of nine lasts .9 s.
    alike = drains([1.0] * 50, 9, key="k", resamples=4000)
    assert alike.mean() == pytest.approx(0.9, abs=0.01)
    assert alike.max() < 1.0
    # Half of the requests last 3 s, and three quarters of all time lies within them: 1.125 + .125.
    mixed = drains([1.0, 3.0] * 50, 1, key="k", resamples=20_000)
    assert mixed.mean() == pytest.approx(0.75 * 1.5 + 0.25 * 0.5, abs=0.03)
