"""Seeded bootstrap intervals for any statistic of requests that are not independent.

Requests of one lane follow each other, so lanes are resampled, not requests. Where one lane is all
there is, blocks of successive requests are. The interval covers the chance of one measurement; what
changes from run to run is the noise band of repetitions, another figure.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infx.model.result import Absent

Observations = NDArray[np.float64]
"""Observations along the first axis; a second axis, where there is one, holds their columns."""

Statistic = Callable[[Observations], float]

MIN_UNITS = 10
"""Fewer resampled lanes or blocks than this describe no spread."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the statistic lies with `level` confidence, by the percentile method.

    `units` is the number of lanes or blocks that were resampled.
    """

    low: float
    high: float
    level: float
    method: Literal["lanes", "blocks"]
    units: int


def interval(
    repetitions: Sequence[Mapping[int, ArrayLike]],
    statistic: Statistic,
    *,
    seed: int,
    level: float = 0.95,
    resamples: int = 2000,
) -> Interval | Absent:
    """Return the interval of `statistic`, or why these observations give none.

    Each repetition maps a lane to its observations in order of time. Every lane of every repetition
    is one cluster. With fewer than 10 clusters, a single lane is resampled in blocks; several lanes
    give no interval until repetitions make them 10.
    """
    if not 0 < level < 1:
        raise ValueError(f"level {level} is outside 0..1")
    sequences = [series for lanes in repetitions for series in _series(lanes)]
    if not sequences:
        return Absent(reason="no observations")
    rng = np.random.Generator(np.random.PCG64(seed))
    if len(sequences) >= MIN_UNITS:
        replicates = cluster_replicates(sequences, statistic, rng=rng, resamples=resamples)
        return _interval(replicates, level, "lanes", len(sequences))
    if any(len(lanes) > 1 for lanes in repetitions):
        return Absent(reason=_too_few(len(sequences), len(repetitions)))
    length = block_length(sum(map(len, sequences)))
    blocks = sum(math.ceil(len(series) / length) for series in sequences)
    if blocks < MIN_UNITS:
        return Absent(reason=f"one lane gives {blocks} blocks of {length}; {MIN_UNITS} are needed")
    replicates = block_replicates(sequences, statistic, length=length, rng=rng, resamples=resamples)
    return _interval(replicates, level, "blocks", blocks)


def cluster_replicates(
    clusters: Sequence[Observations],
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> Observations:
    """Return `statistic` over `resamples` draws of whole clusters with replacement."""

    def draws() -> Iterator[float]:
        for chosen in rng.integers(len(clusters), size=(resamples, len(clusters))):
            yield statistic(np.concatenate([clusters[index] for index in chosen]))

    return np.fromiter(draws(), dtype=np.float64, count=resamples)


def block_length(observations: int) -> int:
    """Return the cube root of the count, rounded up (Hall, Horowitz and Jing, 1995)."""
    return next(length for length in count(1) if length**3 >= observations)


def block_replicates(
    sequences: Sequence[Observations],
    statistic: Statistic,
    *,
    length: int,
    rng: np.random.Generator,
    resamples: int,
) -> Observations:
    """Return `statistic` over draws of circular blocks (Politis and Romano, 1992).

    Blocks wrap around the end of their own sequence and never cross into another; each sequence
    keeps its number of observations.
    """

    def draw(series: Observations) -> Observations:
        starts = rng.integers(len(series), size=math.ceil(len(series) / length))
        positions = (starts[:, None] + np.arange(length)).ravel()[: len(series)]
        drawn: Observations = series[positions % len(series)]
        return drawn

    def draws() -> Iterator[float]:
        for _ in range(resamples):
            yield statistic(np.concatenate([draw(series) for series in sequences]))

    return np.fromiter(draws(), dtype=np.float64, count=resamples)


def _series(lanes: Mapping[int, ArrayLike]) -> list[Observations]:
    # In order of lane, so that the same seed gives the same draws.
    every = [np.asarray(lanes[lane], dtype=np.float64) for lane in sorted(lanes)]
    return [series for series in every if len(series)]


def _interval(
    replicates: Observations, level: float, method: Literal["lanes", "blocks"], units: int
) -> Interval:
    if not np.isfinite(replicates).all():
        raise ValueError("the statistic is not finite on every resample")
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return Interval(low=float(low), high=float(high), level=level, method=method, units=units)


def _too_few(clusters: int, repetitions: int) -> str:
    times = "no repetitions" if repetitions == 1 else f"{repetitions} repetitions"
    return f"{clusters} lanes over {times}; {MIN_UNITS} are needed, from lanes or repetitions"
