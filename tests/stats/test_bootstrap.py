"""Intervals cover what they claim, repeat with their seed, and are absent where they would lie."""

import numpy as np
import pytest

from infx.model.result import Absent
from infx.stats.bootstrap import (
    Interval,
    block_length,
    block_replicates,
    cluster_replicates,
    interval,
)


def median(values: np.ndarray) -> float:
    return float(np.median(values))


def average(values: np.ndarray) -> float:
    return float(values.mean())


def lanes(count: int, each: int, seed: int = 0) -> dict[int, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {lane: rng.normal(1.0, 0.1, size=each) for lane in range(count)}


def test_same_seed_same_interval_whatever_the_order_of_lanes() -> None:
    given = lanes(16, 10)
    shuffled = dict(reversed(given.items()))
    first = interval([given], median, seed=7)
    assert isinstance(first, Interval)
    assert interval([shuffled], median, seed=7) == first
    assert interval([given], median, seed=8) != first


def test_lanes_are_the_clusters() -> None:
    found = interval([lanes(16, 10)], median, seed=0)
    assert isinstance(found, Interval)
    assert (found.method, found.units, found.level) == ("lanes", 16, 0.95)
    assert found.low < 1.0 < found.high


def test_clusters_that_agree_inside_and_differ_outside_widen_the_interval() -> None:
    # Ten lanes of constant value: 1000 requests know no more than ten.
    constant = {lane: np.full(100, float(lane)) for lane in range(10)}
    found = interval([constant], average, seed=0)
    assert isinstance(found, Interval)
    # The mean of ten draws of 0..9 has std sqrt(8.25 / 10) = 0.908, so about 4.5 -+ 1.78.
    assert found.low == pytest.approx(4.5 - 1.78, abs=0.2)
    assert found.high == pytest.approx(4.5 + 1.78, abs=0.2)


def test_coverage_of_the_mean_over_lanes() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        effects = rng.normal(0.0, 1.0, size=20)
        given = {lane: effects[lane] + rng.normal(0.0, 1.0, size=10) for lane in range(20)}
        found = interval([given], average, seed=trial, resamples=200)
        assert isinstance(found, Interval)
        covered += found.low <= 0.0 <= found.high
    # 95 % less what the percentile method loses with 20 clusters. Were requests resampled, as if
    # independent, the std would be sqrt(0.01) for sqrt(0.055): a coverage of about 60 %.
    assert 0.86 <= covered / 200 <= 0.99


def test_few_lanes_without_repetitions_have_no_interval() -> None:
    assert interval([lanes(9, 100)], median, seed=0) == Absent(
        reason="9 lanes over no repetitions; 10 are needed, from lanes or repetitions"
    )


def test_repetitions_make_up_for_few_lanes() -> None:
    found = interval([lanes(4, 20, seed) for seed in range(3)], median, seed=0)
    assert isinstance(found, Interval)
    assert (found.method, found.units) == ("lanes", 12)
    assert interval([lanes(4, 20, seed) for seed in range(2)], median, seed=0) == Absent(
        reason="8 lanes over 2 repetitions; 10 are needed, from lanes or repetitions"
    )


def test_one_lane_is_resampled_in_blocks() -> None:
    found = interval([lanes(1, 100)], median, seed=0)
    assert isinstance(found, Interval)
    assert (found.method, found.units) == ("blocks", 20)  # blocks of 5, the cube root of 100
    assert found.low < 1.0 < found.high


def test_one_short_lane_has_no_interval() -> None:
    assert interval([lanes(1, 20)], median, seed=0) == Absent(
        reason="one lane gives 7 blocks of 3; 10 are needed"
    )


@pytest.mark.parametrize("empty", [[], [{}], [{0: np.array([])}]])
def test_nothing_has_no_interval(empty: list[dict[int, np.ndarray]]) -> None:
    assert interval(empty, median, seed=0) == Absent(reason="no observations")


def test_a_ratio_of_sums_keeps_its_columns_together() -> None:
    # Tokens and seconds of each request: every draw gives exactly 20 tokens a second.
    rows = {lane: np.array([[20.0, 1.0], [40.0, 2.0]]) * (lane + 1) for lane in range(10)}
    found = interval([rows], lambda drawn: drawn[:, 0].sum() / drawn[:, 1].sum(), seed=0)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == (20.0, 20.0)


def test_a_draw_takes_whole_clusters() -> None:
    clusters = [np.array([1.0, 2.0]), np.array([10.0])]
    sums = cluster_replicates(
        clusters, lambda drawn: drawn.sum(), rng=np.random.default_rng(0), resamples=200
    )
    assert set(sums.tolist()) == {6.0, 13.0, 20.0}


def test_a_block_wraps_around_its_own_end_and_keeps_the_length() -> None:
    seen: list[list[float]] = []

    def keep(drawn: np.ndarray) -> float:
        seen.append(drawn.tolist())
        return 0.0

    block_replicates(
        [np.array([0.0, 1.0, 2.0, 3.0])],
        keep,
        length=2,
        rng=np.random.default_rng(0),
        resamples=100,
    )
    pairs = {(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 0.0)}
    assert {tuple(drawn[:2]) for drawn in seen} == pairs
    assert {tuple(drawn[2:]) for drawn in seen} == pairs


@pytest.mark.parametrize(("observations", "length"), [(1, 1), (8, 2), (9, 3), (27, 3), (1000, 10)])
def test_block_length_is_the_cube_root(observations: int, length: int) -> None:
    assert block_length(observations) == length


def test_a_statistic_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        interval([lanes(10, 2)], lambda _: float("nan"), seed=0)


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        interval([lanes(10, 2)], median, seed=0, level=level)
