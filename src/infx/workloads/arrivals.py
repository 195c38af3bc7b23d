"""When the requests of an open loop are due.

A process of one arrival a unit is drawn, and time is stretched to the asked rate: the n-th request
is due when the rate, summed up since the start, reaches the n-th arrival's place. Equal keys give
equal nanoseconds on every machine: draws are integers of sha256, floats are only added, multiplied,
divided and rooted, which IEEE 754 rounds in one way, and logarithms and exponentials are
`decimal`'s, which are correctly rounded, where those of a C library may differ in the last digit.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import partial
from itertools import count, islice, pairwise, takewhile
from math import ceil, inf, sqrt

from infx.clock import NS
from infx.errors import InputError, Problem
from infx.model.workload import Arrival, FixedWorkload
from infx.workloads.draws import Draws

USUAL_S = 60
"""Where neither requests nor a duration is stated, as many are asked as arrive in this time ..."""
USUAL_LEAST = 10
"""... and not fewer than these."""
MOST = 1_000_000
"""The most requests that a plan of an open loop holds."""
HORIZON_S = 1e9
"""Nothing is due later than after 31 years; a plan's nanoseconds are 64-bit integers."""

_EXACT = Context(prec=20, rounding=ROUND_HALF_EVEN)


def starts(workload: FixedWorkload, arrival: Arrival, *, key: bytes) -> tuple[int, ...]:
    """Return when each profiling request is due, in nanoseconds after the start of its phase.

    These are the arrivals before `duration_s`, at most `requests` of them. Where neither is
    stated, a rate asks for as many as arrive in 60 s on average without its ramp, at least 10, and
    a series of rates for all of its arrivals. Raises InputError where none is due in time, or more
    than a million are.
    """
    times = due_times(arrival, key=key)
    if workload.duration_s is not None:
        end_ns = round(workload.duration_s * NS)
        times = takewhile(lambda due: due < end_ns, times)
    if workload.requests is not None:
        times = islice(times, workload.requests)
    elif workload.duration_s is None and arrival.rate is not None:
        times = islice(times, max(USUAL_LEAST, ceil(USUAL_S * arrival.rate)))
    due = tuple(islice(times, MOST + 1))
    if not due:
        what = "no request arrives before the end"
        raise InputError(Problem(what, "--rate", "ask for a higher rate, or a longer --duration"))
    if len(due) > MOST:
        what = f"more than {MOST:,} requests would arrive, which is the most that a plan holds"
        raise InputError(Problem(what, "--rate", "ask for a lower rate, or a shorter --duration"))
    return due


def due_times(arrival: Arrival, *, key: bytes) -> Iterator[int]:
    """Yield when each request is due, in nanoseconds after the start; never goes back.

    `constant` arrivals begin at the start, the others one gap after it. Ends where a series of
    rates ends with 0, and after 31 years.
    """
    pieces = _pieces(arrival)
    piece = next(pieces)
    for place in _places(arrival, Draws(key)):
        while place >= piece.upto:
            following = next(pieces, None)
            if following is None:
                return
            piece = following
        second = piece.second(place)
        if second > HORIZON_S:
            return
        yield round(second * NS)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of time with one stated rate, on the ramp or after it.

    `before` and `upto` are how many requests arrive by its start and its end on average.
    """

    start_s: float
    rate: float
    ramp_s: float | None
    before: float
    upto: float

    def second(self, place: float) -> float:
        """Return when that many requests have arrived on average."""
        stated = (place - self.before) / self.rate
        if self.ramp_s is None:
            return self.start_s + stated
        return sqrt(self.start_s * self.start_s + 2 * self.ramp_s * stated)


def _pieces(arrival: Arrival) -> Iterator[_Piece]:
    """Yield the stretches in which anything arrives."""
    series = ((0.0, arrival.rate),) if arrival.rate is not None else arrival.rates
    ramp = arrival.ramp_s or 0.0
    stated = dict(series)
    rate = before = 0.0
    for start, end in pairwise([*sorted({*stated, ramp}), inf]):
        rate = stated.get(start, rate)
        if not rate:
            continue
        ramping = start < ramp
        full_s = (end * end - start * start) / (2 * ramp) if ramping else end - start
        piece = _Piece(start, rate, ramp if ramping else None, before, before + rate * full_s)
        before = piece.upto
        yield piece


def _places(arrival: Arrival, draws: Draws) -> Iterator[float]:
    """Yield the arrivals of a process whose gaps are 1 on average."""
    if arrival.process == "constant":
        yield from map(float, count())
    gap: Callable[[], float] = partial(exponential, draws)
    if arrival.shape is not None:
        gap = partial(_gamma_gap, arrival.shape, draws)
    place = 0.0
    while True:
        place += gap()
        yield place


def exponential(draws: Draws) -> float:
    """Draw from the exponential distribution of mean 1.

    By comparing uniform numbers alone, as von Neumann did (Various techniques used in connection
    with random digits, 1951): the first of a falling run of odd length, after a whole number of
    runs of even length.
    """
    whole = 0
    while True:
        first = last = draws.below(1 << 64)
        odd = True
        while (following := draws.below(1 << 64)) < last:
            last, odd = following, not odd
        if odd:
            return whole + first / (1 << 64)
        whole += 1


def normal(draws: Draws) -> float:
    """Draw from the standard normal distribution, by rejection from an exponential one.

    exp(-x²/2) is below exp(1/2 - x) by the factor exp(-(x-1)²/2), which is the chance that an
    exponential draw exceeds (x-1)²/2.
    """
    while True:
        size = exponential(draws)
        if 2 * exponential(draws) > (size - 1) * (size - 1):
            return size if draws.below(2) else -size


def gamma(shape: float, draws: Draws) -> float:
    """Draw from the gamma distribution of that shape and scale 1; its mean is the shape.

    Marsaglia and Tsang, A simple method for generating gamma variables (2000); shapes below 1 from
    shape + 1 times a uniform number to the power of 1/shape, as there.
    """
    if shape < 1:
        power = float(_EXACT.exp(Decimal(-exponential(draws) / shape)))
        return gamma(shape + 1, draws) * power
    d = shape - 1 / 3
    c = 1 / sqrt(9 * d)
    while True:
        x = normal(draws)
        root = 1 + c * x
        v = root * root * root
        if v <= 0:
            continue
        u = draws.below(1 << 64) / (1 << 64)
        if u < 1 - 0.0331 * x * x * x * x or _ln(u) < x * x / 2 + d * (1 - v + _ln(v)):
            return d * v


def _gamma_gap(shape: float, draws: Draws) -> float:
    return gamma(shape, draws) / shape


def _ln(value: float) -> float:
    return float(_EXACT.ln(Decimal(value)))
