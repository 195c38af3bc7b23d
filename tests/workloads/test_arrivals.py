"""Requests of an open loop are due as theory says, in the same nanoseconds on every machine."""

import statistics
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from itertools import islice, pairwise
from math import erf, exp, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.clock import NS
from infx.errors import InputError
from infx.model.workload import Arrival, FixedWorkload
from infx.workloads import arrivals
from infx.workloads.draws import Draws, seed_key

KEY = seed_key("tests of arrivals")
MANY = 20_000
KS_BOUND = 1.95 / sqrt(MANY)
"""Kolmogorov and Smirnov: exceeded by chance in one sample of a thousand; the draws are seeded."""


def due(count: int, *, key: bytes = KEY, **stated: object) -> list[int]:
    arrival = Arrival(**stated)  # type: ignore[arg-type]
    return list(islice(arrivals.due_times(arrival, key=key), count))


def gaps(times: list[int], rate: float = 1.0) -> list[float]:
    """Return the gaps between arrivals, the first from the start, in mean gaps of that rate."""
    return [(later - earlier) * rate / NS for earlier, later in pairwise([0, *times])]


def ks_distance(sample: list[float], cdf: Callable[[float], float]) -> float:
    """Return the largest distance between the sample's distribution and a theoretical one."""
    size = len(sample)
    return max(
        max(cdf(value) - index / size, (index + 1) / size - cdf(value))
        for index, value in enumerate(sorted(sample))
    )


def exponential_cdf(value: float) -> float:
    return 1 - exp(-value)


def erlang_2_cdf(value: float) -> float:
    """Gamma of shape 2 with mean 1."""
    return 1 - exp(-2 * value) * (1 + 2 * value)


def gamma_half_cdf(value: float) -> float:
    """Gamma of shape 1/2 with mean 1: the square of a normal number."""
    return erf(sqrt(value / 2))


PROCESSES = st.one_of(
    st.just({"process": "poisson"}),
    st.just({"process": "constant"}),
    st.floats(0.05, 50).map(lambda shape: {"process": "gamma", "shape": shape}),
)
RATES = st.floats(0.01, 10_000)
SERIES = st.lists(
    st.tuples(st.floats(0.001, 100), st.floats(0, 100) | st.just(0.0)), min_size=1, max_size=5
).map(
    lambda steps: (
        (0.0, 1.0),
        *((sum(length for length, _ in steps[: n + 1]), r) for n, (_, r) in enumerate(steps)),
    )
)
STATED = st.one_of(
    st.builds(lambda rate: {"rate": rate}, RATES), st.builds(lambda rates: {"rates": rates}, SERIES)
)


@settings(max_examples=60, deadline=None)
@given(STATED, PROCESSES, st.none() | st.floats(0.001, 300), st.binary(max_size=8))
def test_times_never_go_back_and_come_again_with_their_key(stated, process, ramp_s, key):
    first = due(200, **stated, **process, ramp_s=ramp_s, key=key)
    assert first == due(200, **stated, **process, ramp_s=ramp_s, key=key)
    assert all(earlier <= later for earlier, later in pairwise([0, *first]))


def test_another_key_draws_other_times():
    assert not set(due(1000, rate=5.0)) & set(due(1000, rate=5.0, key=seed_key("another")))


@given(RATES)
def test_constant_arrivals_are_each_in_the_nearest_nanosecond(rate):
    times = due(500, rate=rate, process="constant")
    exact = [n * NS / Fraction(rate) for n in range(500)]
    assert all(
        abs(time - when) <= Fraction(52, 100) for time, when in zip(times, exact, strict=True)
    )


def test_constant_arrivals_begin_at_the_start_and_keep_their_spacing():
    assert due(4, rate=4.0, process="constant") == [0, NS // 4, NS // 2, 3 * NS // 4]
    assert due(4, rate=3.0, process="constant") == [0, 333333333, 666666667, 1000000000]


@pytest.mark.parametrize(
    ("process", "cdf"),
    [
        ({"process": "poisson"}, exponential_cdf),
        ({"process": "gamma", "shape": 1.0}, exponential_cdf),
        ({"process": "gamma", "shape": 2.0}, erlang_2_cdf),
        ({"process": "gamma", "shape": 0.5}, gamma_half_cdf),
    ],
)
def test_gaps_follow_their_distribution(process, cdf):
    sample = gaps(due(MANY, rate=50.0, **process), rate=50.0)
    assert ks_distance(sample, cdf) < KS_BOUND


def test_the_distance_tells_distributions_apart():
    """The measure of the tests above fails for a distribution that is not the one drawn."""
    sample = gaps(due(MANY, rate=50.0), rate=50.0)
    assert ks_distance(sample, erlang_2_cdf) > 10 * KS_BOUND
    assert ks_distance(sample, lambda value: exponential_cdf(1.03 * value)) > KS_BOUND / 2


def test_normal_numbers_are_normal():
    draws = Draws(KEY)
    sample = [arrivals.normal(draws) for _ in range(MANY)]
    assert ks_distance(sample, lambda value: (1 + erf(value / sqrt(2))) / 2) < KS_BOUND


@pytest.mark.parametrize("shape", [0.1, 0.25, 0.9, 1.0, 1.5, 4.0, 30.0])
def test_gamma_gaps_have_the_mean_of_the_rate_and_the_spread_of_the_shape(shape):
    sample = gaps(due(MANY, rate=7.0, process="gamma", shape=shape), rate=7.0)
    mean, spread = statistics.fmean(sample), statistics.pstdev(sample)
    # Both within five standard errors; the kurtosis of a gamma distribution is 3 + 6/k.
    assert mean == pytest.approx(1, abs=5 / sqrt(shape * MANY))
    assert spread / mean == pytest.approx(1 / sqrt(shape), rel=5 * sqrt((2 + 6 / shape) / 4 / MANY))


def test_gaps_of_poisson_arrivals_do_not_depend_on_each_other():
    sample = gaps(due(MANY, rate=1.0))
    mean = statistics.fmean(sample)
    neighbours = statistics.fmean((a - mean) * (b - mean) for a, b in pairwise(sample))
    assert abs(neighbours) < 4 / sqrt(MANY)


def test_the_rate_only_stretches_time():
    slow, fast = due(100, rate=2.0), due(100, rate=8.0)
    assert all(abs(a - 4 * b) <= 4 for a, b in zip(slow, fast, strict=True))


def test_the_draws_are_the_declared_ones():
    """Rebuilds the first gap with nothing but sha256 and comparisons."""
    blocks = (sha256(KEY + n.to_bytes(8, "big")).digest() for n in range(100))
    draws = (int.from_bytes(block[at : at + 8], "big") for block in blocks for at in (24, 16, 8, 0))
    whole = 0
    while True:
        run = [next(draws)]
        while (following := next(draws)) < run[-1]:
            run.append(following)
        if len(run) % 2:
            break
        whole += 1
    gap = whole + Fraction(run[0], 2**64)
    (first,) = due(1, rate=1.0)
    assert abs(first - gap * NS) <= 0.501


def test_a_series_of_rates_holds_each_until_the_next():
    times = due(1000, process="constant", rates=((0.0, 2.0), (10.0, 0.0), (20.0, 5.0), (22.0, 0.0)))
    assert times[:20] == [n * NS // 2 for n in range(20)]
    assert times[20:] == [20 * NS + n * NS // 5 for n in range(10)]


def test_a_series_that_begins_with_nothing_begins_later():
    assert due(2, process="constant", rates=((0.0, 0.0), (3.0, 1.0))) == [3 * NS, 4 * NS]


def test_poisson_arrivals_of_a_series_are_as_many_as_its_rates_sum_to():
    series = ((0.0, 20.0), (100.0, 60.0), (150.0, 0.0), (200.0, 5.0), (400.0, 0.0))
    times = due(10**6, rates=series)
    ends = [100, 150, 200, 400]
    counts = [bisect_left(times, end * NS) for end in ends]
    found = [after - before for before, after in pairwise([0, *counts])]
    for count, wanted in zip(found, [2000, 3000, 0, 1000], strict=True):
        assert abs(count - wanted) <= 4 * sqrt(wanted)
    assert len(times) == counts[-1]


@settings(max_examples=40, deadline=None)
@given(SERIES, st.none() | st.floats(0.01, 300))
def test_constant_arrivals_count_the_integral_of_the_rate(series, ramp_s):
    """The n-th arrival is due where the rate, integrated here in small steps, reaches n."""
    times = due(50, rates=series, process="constant", ramp_s=ramp_s)

    def integral(end: float) -> float:
        total = 0.0
        stops = [*(second for second, _ in series), float("inf")]
        for (start, rate), stop in zip(series, stops[1:], strict=True):
            low, high = min(start, end), min(stop, end)
            ramp = ramp_s or 0.0
            on_ramp = max(0.0, min(high, ramp) - min(low, ramp))
            mean_scale = (min(high, ramp) + min(low, ramp)) / 2 / ramp if ramp else 0.0
            total += rate * (on_ramp * mean_scale + (high - low) - on_ramp)
        return total

    for n, time in enumerate(times):
        assert integral(time / NS) == pytest.approx(n, abs=1e-5, rel=1e-6)


def test_a_ramp_raises_the_rate_from_nothing():
    """10 requests/s after 20 s: t²/4 by second t, so the n-th at 2 sqrt(n); 100 on the ramp."""
    times = due(200, rate=10.0, process="constant", ramp_s=20.0)
    assert times[:101] == [round(2 * sqrt(n) * NS) for n in range(101)]
    assert times[101] - times[100] == times[151] - times[150] == NS // 10


def workload(**stated: object) -> FixedWorkload:
    return FixedWorkload(isl=8, osl=8, **stated)  # type: ignore[arg-type]


def starts(**stated: object) -> tuple[int, ...]:
    asked = workload(**stated)
    assert asked.arrival is not None
    return arrivals.starts(asked, asked.arrival, key=KEY)


def test_a_duration_asks_for_what_arrives_before_its_end():
    asked = starts(duration_s=30.0, arrival=Arrival(rate=20.0))
    longer = due(1000, rate=20.0)
    assert list(asked) == [time for time in longer if time < 30 * NS]
    assert abs(len(asked) - 600) <= 4 * sqrt(600)
    constant = Arrival(rate=2.0, process="constant")
    assert len(starts(duration_s=5.0, arrival=constant)) == 10


def test_requests_are_the_most_that_are_asked():
    assert len(starts(requests=7, arrival=Arrival(rate=0.01))) == 7
    assert len(starts(requests=7, duration_s=600.0, arrival=Arrival(rate=5.0))) == 7


@pytest.mark.parametrize(("rate", "count"), [(0.001, 10), (0.5, 30), (2.01, 121)])
def test_without_a_total_a_minute_of_arrivals_is_asked(rate, count):
    assert len(starts(arrival=Arrival(rate=rate))) == count


def test_a_series_that_ends_is_asked_to_its_end():
    series = ((0.0, 3.0), (4.0, 0.0))
    assert len(starts(arrival=Arrival(rates=series, process="constant"))) == 12


def test_nothing_due_in_time_is_refused():
    with pytest.raises(InputError, match="no request arrives before the end"):
        starts(duration_s=0.001, arrival=Arrival(rate=0.001))


def test_more_than_a_plan_holds_is_refused():
    with pytest.raises(InputError, match="more than 1,000,000 requests would arrive"):
        starts(duration_s=3600.0, arrival=Arrival(rate=1e6, process="constant"))


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ({}, "either a rate or a series"),
        ({"rate": 1.0, "rates": ((0.0, 1.0),)}, "either a rate or a series"),
        ({"rate": 0.0}, "greater than 0"),
        ({"rate": 1.0, "shape": 2.0}, "a shape belongs to gamma"),
        ({"rate": 1.0, "process": "gamma"}, "a shape belongs to gamma"),
        ({"rates": ((1.0, 1.0),)}, "starts at second 0"),
        ({"rates": ((0.0, 1.0), (0.0, 2.0))}, "its seconds grow"),
        ({"rates": ((0.0, 1.0), (1.0, -1.0))}, "no rate below 0"),
        ({"rates": ((0.0, 0.0),)}, "at least one above"),
    ],
)
def test_arrivals_that_mean_nothing_are_refused(stated, says):
    with pytest.raises(ValueError, match=says):
        Arrival(**stated)


def test_a_series_without_an_end_needs_one():
    endless = Arrival(rates=((0.0, 1.0),))
    with pytest.raises(ValueError, match="needs requests or a duration"):
        workload(arrival=endless)
    assert workload(arrival=endless, requests=5).arrival == endless


def test_an_open_loop_has_the_ramp_of_its_rate():
    with pytest.raises(ValueError, match="ramp_s of the arrival"):
        workload(arrival=Arrival(rate=1.0), ramp_s=5.0)


def test_nothing_is_due_after_a_lifetime():
    assert due(3, process="constant", rate=1e-300) == [0]
