"""Seeded bootstrap of figures whose requests are not independent.

Two things tie requests together: a lane asks them one after the other, and lanes share a server, so
what is under way at one time waits together. So whole lanes are resampled, or blocks of requests
that follow each other in time, and who wants to be safe takes both. A resample is kept as weights,
how often each request stands in it, so that every figure is computed on the same resamples. What
they tell is the chance within one measurement; what changes from run to run is the noise of
repetitions, another figure (`noise`).
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infx.model.result import Absent, Interval

Figures = NDArray[np.float64]
"""A figure a request; or a row a resample, and in it a column a statistic."""

Weights = NDArray[np.int32]
"""How often a request (row) stands in a resample (column)."""

Statistic = Callable[[Weights], Figures]
"""Computes one or more figures on each resample."""

LEVEL = 0.95
MIN_UNITS = 10
"""Fewer lanes or blocks than this describe no spread."""
RESAMPLES, LEAST_RESAMPLES = 1000, 200
"""How many are drawn; fewer where all their weights would be more than ..."""
MOST_WEIGHTS = 20_000_000
"""... these: many requests leave little to chance."""
_AT_ONCE = 4_000_000
"""Weights that are held in memory."""

UNDEFINED = "too few requests have it: some resamples have none"


@dataclass(frozen=True, slots=True)
class Lanes:
    """Whole lanes are drawn with replacement. `of` numbers the lane of each request from 0."""

    of: tuple[int, ...]
    units: int
    method: Literal["lanes"] = "lanes"

    @property
    def requests(self) -> int:
        """How many requests there are."""
        return len(self.of)

    def draw(self, rng: np.random.Generator, columns: int) -> Weights:
        """Return the weights of some resamples."""
        shares = np.full(self.units, 1 / self.units)
        times = rng.multinomial(self.units, shares, size=columns).astype(np.int32)
        drawn: Weights = np.ascontiguousarray(times.T)[np.asarray(self.of)]
        return drawn


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of `length` successive requests are drawn within each of the `sequences`.

    Blocks are circular (Politis and Romano, 1992): they wrap around the end of their own sequence
    and never cross into another, and each sequence keeps its number of requests.
    """

    sequences: tuple[int, ...]
    length: int
    units: int
    method: Literal["blocks"] = "blocks"

    @property
    def requests(self) -> int:
        """How many requests there are."""
        return sum(self.sequences)

    def draw(self, rng: np.random.Generator, columns: int) -> Weights:
        """Return the weights of some resamples."""
        parts = [self._draw(requests, rng, columns) for requests in self.sequences]
        return np.vstack(parts)

    def _draw(self, requests: int, rng: np.random.Generator, columns: int) -> Weights:
        starts = rng.integers(requests, size=(math.ceil(requests / self.length), 1, columns))
        places = (starts + np.arange(self.length)[:, None]).reshape(-1, columns)[:requests]
        cells = places % requests * columns + np.arange(columns)
        times = np.bincount(cells.ravel(), minlength=requests * columns)
        return times.reshape(requests, columns).astype(np.int32)


Plan = Lanes | Blocks


def blocks(sequences: Sequence[int], *, width: int = 1) -> Blocks | Absent:
    """Cut sequences into blocks, given the requests of each and how many run at one time.

    A block is as many requests as all that run at one time ask in the cube root of their turns
    (Hall, Horowitz and Jing, 1995), where that leaves 10 blocks; never less than the cube root of
    all requests.
    """
    used = tuple(requests for requests in sequences if requests)
    total = sum(used)
    if not total:
        return Absent(reason="no observations")
    wide = width * cube_root(math.ceil(total / width))
    length = max(cube_root(total), min(wide, total // MIN_UNITS))
    units = sum(math.ceil(requests / length) for requests in used)
    if units < MIN_UNITS:
        few = f"{total} requests give {units} blocks of {length}"
        return Absent(reason=f"{few}; {MIN_UNITS} are needed, from requests or repetitions")
    return Blocks(used, length, units)


def cube_root(number: int) -> int:
    """Return the cube root, rounded up."""
    return next(root for root in count(1) if root**3 >= number)


def generator(key: str) -> np.random.Generator:
    """Return the generator of a key: equal keys draw equal resamples."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(sha256(key.encode()).digest()[:8])))


def replicates(plan: Plan, statistics: Mapping[str, Statistic], *, key: str) -> dict[str, Figures]:
    """Return every statistic on the same resamples: a row for each, NaN where it is undefined."""
    found: dict[str, list[Figures]] = {name: [] for name in statistics}
    for weights in draws(plan, key):
        for name, statistic in statistics.items():
            found[name].append(statistic(weights))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def draws(plan: Plan, key: str) -> Iterator[Weights]:
    """Yield the weights of all resamples, some columns at a time."""
    rng = generator(key)
    resamples = min(RESAMPLES, max(LEAST_RESAMPLES, MOST_WEIGHTS // plan.requests))
    step = max(1, _AT_ONCE // plan.requests)
    for start in range(0, resamples, step):
        yield plan.draw(rng, min(step, resamples - start))


def distribution(values: ArrayLike, percents: Sequence[float]) -> Statistic:
    """Return the statistic that gives the mean and then percentiles; NaN values are left out.

    A percentile is that of `stats.percentile`, over each value as often as its weight says.
    """
    given = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    ordered = given[order]
    shares = np.asarray(percents, dtype=np.float64) / 100

    def compute(weights: Weights) -> Figures:
        times = weights[order]
        figures = np.full((weights.shape[1], 1 + len(shares)), np.nan)
        if len(times):
            ends = np.cumsum(times, axis=0, dtype=np.int32)
            with np.errstate(invalid="ignore"):
                figures[:, 0] = ordered @ times / ends[-1]
            for column, share in enumerate(shares, 1):
                figures[:, column] = _percentile(ordered, ends, share)
            figures[ends[-1] == 0] = np.nan
        return figures

    return compute


def _percentile(ordered: Figures, ends: Weights, share: float) -> Figures:
    """Return a percentile of each resample; value i stands at its ranks below `ends[i]`."""
    last = np.maximum(ends[-1] - 1, 0)
    ranks = share * last
    below = np.floor(ranks)
    low = ordered[_standing_at(below, ends)]
    high = ordered[_standing_at(np.minimum(below + 1, last), ends)]
    figures: Figures = np.minimum(low + (high - low) * (ranks - below), high)
    return figures


def _standing_at(ranks: Figures, ends: Weights) -> NDArray[np.intp]:
    """Return for each resample the first value whose end lies above the rank, by bisection.

    The last one where there is none, as in a resample that drew none of the values.
    """
    columns = np.arange(len(ranks))
    low, high = np.zeros(len(ranks), dtype=np.intp), np.full(len(ranks), len(ends) - 1)
    while (low < high).any():
        middle = (low + high) // 2
        above = ends[middle, columns] > ranks
        low = np.where(above, low, np.minimum(middle + 1, high))
        high = np.where(above, middle, high)
    return low


def relative_rate(amounts: ArrayLike, spans: ArrayLike) -> Statistic:
    """Return the statistic that gives amounts over spans, relative to that of all requests."""
    above = np.asarray(amounts, dtype=np.float64)
    below = np.asarray(spans, dtype=np.float64)

    def compute(weights: Weights) -> Figures:
        with np.errstate(divide="ignore", invalid="ignore"):
            whole = above.sum() / below.sum()
            figures: Figures = (above @ weights) / (below @ weights) / whole
        return figures[:, None]

    return compute


def drains(spans: ArrayLike, lanes: int, *, key: str, resamples: int) -> Figures:
    """Draw how long the last of `lanes` still works when there is nothing more to begin.

    Each lane is met at any moment of a request, and within a long one more often than within a
    short one (the residual life of a renewal process). `spans` are the times of the requests.
    """
    rng = generator(key)
    given = np.asarray(spans, dtype=np.float64)
    reached = np.cumsum(given)
    places = rng.uniform(0, reached[-1], size=(resamples, lanes))
    met = given[np.minimum(np.searchsorted(reached, places), len(given) - 1)]
    figures: Figures = (met * rng.uniform(size=met.shape)).max(axis=1)
    return figures


def interval(figures: Figures, plan: Plan) -> Interval | Absent:
    """Return where a statistic lies with 95 % confidence, by the percentile method."""
    if not np.isfinite(figures).all():
        return Absent(reason=UNDEFINED)
    low, high = np.quantile(figures, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(
        low=float(low), high=float(high), level=LEVEL, method=plan.method, units=plan.units
    )
