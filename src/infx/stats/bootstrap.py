"""Seeded bootstrap of figures whose requests are not independent.

Requests of one lane follow each other, so whole lanes are resampled, not requests. Where one
sequence is all there is, blocks of successive requests are. A resample is kept as weights, how
often each request stands in it, so that every figure is computed on the same resamples. What they
tell is the chance within one measurement; what changes from run to run is the noise of
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


@dataclass(frozen=True, slots=True)
class Resampling:
    """What is drawn with replacement: whole sequences, or blocks within each of them.

    `lengths` are the requests of each sequence, `units` the sequences or blocks.
    """

    method: Literal["lanes", "blocks"]
    units: int
    lengths: tuple[int, ...]
    block: int = 1


def resampling(repetitions: Sequence[Sequence[int]]) -> Resampling | Absent:
    """Choose how to resample by the number of requests in each lane of each repetition.

    Every lane of every repetition is one cluster. With fewer than 10 clusters, lanes that were
    alone are resampled in blocks; several lanes give nothing until repetitions make them 10.
    """
    used = [[length for length in lanes if length] for lanes in repetitions]
    lengths = tuple(length for lanes in used for length in lanes)
    if not lengths:
        return Absent(reason="no observations")
    if len(lengths) >= MIN_UNITS:
        return Resampling("lanes", len(lengths), lengths)
    if any(len(lanes) > 1 for lanes in used):
        times = "no repetitions" if len(used) == 1 else f"{len(used)} repetitions"
        lanes = f"{len(lengths)} lanes over {times}"
        return Absent(reason=f"{lanes}; {MIN_UNITS} are needed, from lanes or repetitions")
    block = block_length(sum(lengths))
    blocks = sum(math.ceil(length / block) for length in lengths)
    if blocks < MIN_UNITS:
        return Absent(reason=f"one lane gives {blocks} blocks of {block}; {MIN_UNITS} are needed")
    return Resampling("blocks", blocks, lengths, block)


def block_length(observations: int) -> int:
    """Return the cube root of the count, rounded up (Hall, Horowitz and Jing, 1995)."""
    return next(length for length in count(1) if length**3 >= observations)


def generator(key: str) -> np.random.Generator:
    """Return the generator of a key: equal keys draw equal resamples."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(sha256(key.encode()).digest()[:8])))


def replicates(
    plan: Resampling, statistics: Mapping[str, Statistic], *, key: str
) -> dict[str, Figures]:
    """Return every statistic on the same resamples: a row for each, NaN where it is undefined."""
    found: dict[str, list[Figures]] = {name: [] for name in statistics}
    affordable = MOST_WEIGHTS // sum(plan.lengths)
    resamples = min(RESAMPLES, max(LEAST_RESAMPLES, affordable))
    for weights in draws(plan, generator(key), resamples):
        for name, statistic in statistics.items():
            found[name].append(statistic(weights))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def draws(plan: Resampling, rng: np.random.Generator, resamples: int) -> Iterator[Weights]:
    """Yield the weights of all resamples, some columns at a time."""
    draw = _lanes if plan.method == "lanes" else _blocks
    step = max(1, _AT_ONCE // sum(plan.lengths))
    for start in range(0, resamples, step):
        yield draw(plan, rng, min(step, resamples - start))


def _lanes(plan: Resampling, rng: np.random.Generator, columns: int) -> Weights:
    lanes = len(plan.lengths)
    times = rng.multinomial(lanes, np.full(lanes, 1 / lanes), size=columns).astype(np.int32)
    return np.repeat(np.ascontiguousarray(times.T), plan.lengths, axis=0)


def _blocks(plan: Resampling, rng: np.random.Generator, columns: int) -> Weights:
    """Draw circular blocks (Politis and Romano, 1992).

    Blocks wrap around the end of their own sequence and never cross into another; each sequence
    keeps its number of requests.
    """
    return np.vstack([_wrapped(length, plan.block, rng, columns) for length in plan.lengths])


def _wrapped(length: int, block: int, rng: np.random.Generator, columns: int) -> Weights:
    starts = rng.integers(length, size=(math.ceil(length / block), 1, columns))
    places = (starts + np.arange(block)[:, None]).reshape(-1, columns)[:length] % length
    cells = places * columns + np.arange(columns)
    times = np.bincount(cells.ravel(), minlength=length * columns)
    return times.reshape(length, columns).astype(np.int32)


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
    """Return for each resample the first value whose end lies above the rank, by bisection."""
    columns = np.arange(len(ranks))
    low, high = np.zeros(len(ranks), dtype=np.intp), np.full(len(ranks), len(ends) - 1)
    while (low < high).any():
        middle = (low + high) // 2
        above = ends[middle, columns] > ranks
        low, high = np.where(above, low, middle + 1), np.where(above, middle, high)
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


def interval(figures: Figures, plan: Resampling) -> Interval | Absent:
    """Return where a statistic lies with 95 % confidence, by the percentile method."""
    if not np.isfinite(figures).all():
        return Absent(reason=_UNDEFINED)
    low, high = np.quantile(figures, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(
        low=float(low), high=float(high), level=LEVEL, method=plan.method, units=plan.units
    )


@dataclass(frozen=True, slots=True)
class LogError:
    """The standard error of the logarithm of a figure, and the units that it rests on."""

    se: float
    method: Literal["lanes", "blocks"]
    units: int


def log_error(figures: Figures, plan: Resampling) -> LogError | Absent:
    """Return how far a positive figure may be off, as a ratio.

    A bootstrap takes its n units for all there are: its variance is (n - 1)/n of the estimate.
    """
    if not np.isfinite(figures).all() or not (figures > 0).all():
        return Absent(reason=_UNDEFINED)
    se = float(np.log(figures).std()) * math.sqrt(plan.units / (plan.units - 1))
    return LogError(se, plan.method, plan.units)


_UNDEFINED = "too few requests have it: some resamples have none"
