"""Figures come with an interval wherever lanes or blocks can tell one, else with its reason."""

from dataclasses import replace
from random import Random

import pytest

from handmade import measured, record
from infx.metrics.intervals import with_intervals
from infx.metrics.summary import compute_metrics
from infx.model.measured import Measured
from infx.model.record import EndState, RequestRecord, Slo
from infx.model.result import Absent, Interval, MetricValue

DISTRIBUTIONS = ("ttft", "tpot", "itl", "e2el", "interactivity")
RATES = (
    "request_rate", "input_throughput", "output_throughput", "total_throughput",
    "total_throughput_per_gpu", "goodput",
)  # fmt: skip


def lane(number: int, count: int, speed: float = 1.0, chance: Random | None = None) -> list:
    """Requests one after the other; a faster lane fits more of them into the same time."""
    made, sent = [], 0.0
    for place in range(count):
        each = speed * (chance.lognormvariate(0, 0.1) if chance else 1.0)
        made.append(
            record(
                lane=number,
                request=1000 * number + place,
                sent=sent,
                first=sent + 0.2 * each,
                gaps=(0.2 * each,) * 4,
                prompt_tokens=10,
                completion_tokens=5,
            )
        )
        sent += each + 0.001
    return made


def told(*records: RequestRecord, key: str = "k", **more: object) -> dict[str, MetricValue]:
    given = measured(*records, gpus=2, slo=Slo(ttft=9.0), **more)  # type: ignore[arg-type]
    found = with_intervals(compute_metrics(given), given, key=key)
    return {name: metric for name, metric in found.items() if isinstance(metric, MetricValue)}


def interval(metric: MetricValue, statistic: str = "mean") -> Interval:
    found = metric.intervals[statistic]
    assert isinstance(found, Interval)
    return found


def test_equal_lanes_leave_nothing_to_chance() -> None:
    """So every latency's interval is its figure. Rates still depend on when lanes end.

    Ten lanes that are each somewhere in their last request of 12 are done after .91 of one, with
    the std .083: 1.96 x .083 / 12 is 1.4 % to each side.
    """
    found = told(*(r for n in range(10) for r in lane(n, 12)))
    for name in DISTRIBUTIONS:
        assert list(found[name].intervals) == ["mean", "p50", "p90", "p99"]
        for statistic in ("mean", "p50", "p90"):
            figure = getattr(found[name], statistic)
            own = interval(found[name], statistic)
            assert (own.low, own.high) == (pytest.approx(figure), pytest.approx(figure))
            assert (own.level, own.units) == (0.95, 10)
    for name in RATES:
        own, figure = interval(found[name]), found[name].mean
        assert own.low < figure < own.high
        assert (own.high - own.low) / 2 / figure == pytest.approx(0.0136, rel=0.2)
        assert list(found[name].intervals) == ["mean"]
    assert found["queue_time"].intervals == found["error_rate"].intervals == {}


def test_interactivity_lies_where_the_itl_that_it_is_made_of_does() -> None:
    """Six tokens, two of them in the first chunk: 0.8 s over 4 tokens are 5 a second.

    TPOT spreads the same time over 5 tokens, so 1 / TPOT, 6.25, says nothing of it.
    """
    records = [
        replace(one, completion_tokens=6, first_chunk_tokens=2)
        for n in range(10)
        for one in lane(n, 12)
    ]
    found = told(*records)
    assert found["interactivity"].mean == pytest.approx(5)
    assert found["tpot"].mean == pytest.approx(0.16)
    within = interval(found["interactivity"])
    assert (within.low, within.high) == (pytest.approx(5), pytest.approx(5))


def test_a_percentile_with_too_few_requests_beyond_it_has_none() -> None:
    found = told(*(r for n in range(10) for r in lane(n, 12)))
    assert found["ttft"].intervals["p99"] == Absent(
        reason="1 of 120 requests lie beyond p99; 10 are needed"
    )
    assert isinstance(found["ttft"].intervals["p90"], Interval)
    fewer = told(*(r for n in range(10) for r in lane(n, 9)))
    assert fewer["ttft"].intervals["p90"] == Absent(
        reason="9 of 90 requests lie beyond p90; 10 are needed"
    )


def test_lanes_that_differ_spread_latency_and_throughput_alike() -> None:
    """A quarter of the lanes is 40 % slower, and has ended fewer requests in the same time."""
    chance = Random(1)
    slow = [n % 4 == 0 for n in range(64)]
    records = [
        r for n in range(64) for r in lane(n, 20 if slow[n] else 28, 1.4 if slow[n] else 1, chance)
    ]
    found = told(*records)
    tpot, rate = found["tpot"], found["output_throughput"]
    # The time a token of a drawn lane is 1 or 1.4: std .4 x sqrt(.25 x .75) over about 1.08.
    half = 1.96 * 0.4 * (0.25 * 0.75) ** 0.5 / 8 / 1.1
    for metric in (tpot, rate):
        own = interval(metric)
        assert own.low < metric.mean < own.high
        assert (own.high - own.low) / metric.mean / 2 == pytest.approx(half, rel=0.35)
    speed = found["interactivity"]
    low, high = 1 / interval(tpot, "p90").high, 1 / interval(tpot, "p90").low
    own = interval(speed, "p90")
    # The quantiles of reciprocals lie between the same neighbours, at another place between them.
    assert (own.low, own.high) == (pytest.approx(low, rel=1e-3), pytest.approx(high, rel=1e-3))


def test_few_lanes_say_why_for_every_statistic() -> None:
    found = told(*(r for n in range(9) for r in lane(n, 50)))
    reason = "9 lanes over no repetitions; 10 are needed, from lanes or repetitions"
    assert found["ttft"].intervals == dict.fromkeys(
        ("mean", "p50", "p90", "p99"), Absent(reason=reason)
    )
    assert found["total_throughput"].intervals == {"mean": Absent(reason=reason)}


def test_one_lane_and_an_open_loop_are_resampled_in_blocks() -> None:
    chance = Random(2)
    alone = told(*lane(0, 100, chance=chance))
    own = interval(alone["ttft"])
    assert (own.method, own.units) == ("blocks", 20)
    few = [r for n in range(5) for r in lane(n, 40, chance=chance)]
    own = interval(told(*few, open_loop=True)["output_throughput"])
    # Five in flight on average: blocks of twenty requests, half of the 40 that four turns would be.
    assert (own.method, own.units) == ("blocks", 10)
    assert isinstance(told(*few)["output_throughput"].intervals["mean"], Absent)


def test_what_all_lanes_see_at_one_time_is_one_thing() -> None:
    """Every lane is slow in the same third of the time: lanes agree, and still nothing is sure."""
    records = []
    for number in range(32):
        sent = 0.0
        for place in range(30):
            each = 2.0 if place // 5 % 3 == 0 else 1.0
            gaps = (each / 4,) * 4
            records.append(
                record(lane=number, request=100 * number + place, sent=sent, first=sent,
                       gaps=gaps, prompt_tokens=10, completion_tokens=5)
            )  # fmt: skip
            sent += each
    own = interval(told(*records)["tpot"])
    assert own.method == "blocks"
    # Lanes are equal, so by lanes there would be no interval to speak of.
    assert (own.high - own.low) / 2 > 0.05


def test_equal_keys_give_equal_intervals_whatever_the_order() -> None:
    chance = Random(3)
    records = [r for n in range(12) for r in lane(n, 12, chance=chance)]
    shuffled = list(records)
    chance.shuffle(shuffled)
    assert told(*records) == told(*shuffled)
    assert told(*records) != told(*records, key="other")


def test_only_ok_requests_enter() -> None:
    good = [r for n in range(12) for r in lane(n, 12)]
    failed = [
        record(lane=n, sent=20.0, first=29.0, state=EndState.ERROR, request=9) for n in range(12)
    ]
    assert interval(told(*good, *failed)["ttft"]).high == pytest.approx(0.2)


def test_a_metric_that_is_missing_stays_missing() -> None:
    records = [r for n in range(12) for r in lane(n, 12)]
    given = Measured(records=(*records, record(lane=1, sent=50.0, first=51.0, request=999)))
    found = with_intervals(compute_metrics(given), given, key="k")
    assert found["output_throughput"] == Absent(
        reason="the server gave no count for 1 of 145 ok requests"
    )
    assert found["goodput"] == Absent(reason="no latency target is set")
