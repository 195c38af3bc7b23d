"""A curve shows every point of its series, or says why one has no place on it."""

from importlib import import_module
from itertools import permutations

import pytest

import replayed
from handmade import measured, record
from infx.curves.curve import AXES, E2EL, TOTAL_THROUGHPUT, Axis, axes, curve
from infx.metrics import METRICS
from infx.metrics.summary import compute_metrics
from infx.model.result import (
    Absent,
    Counts,
    CurvePoint,
    Interval,
    Metric,
    MetricValue,
    PointSummary,
)


def summary(
    name: str, *, x: float | None, y: float | None, repetition: int = 0, **more: Metric
) -> PointSummary:
    nothing = Counts(
        issued=0, ok=0, error=0, overflow=0, cancelled_at_end=0, cancelled_by_plan=0, lost=0
    )
    metrics: dict[str, Metric] = {
        "e2el": Absent(reason="nothing ok")
        if x is None
        else MetricValue(unit="s", n=3, mean=9.0, p50=x),
        "total_throughput": Absent(reason="no usage")
        if y is None
        else MetricValue(unit="tok/s", n=3, mean=y),
    }
    return PointSummary(
        point_id=name,
        concurrency=1,
        repetition=repetition,
        achieved_concurrency=None,
        certified=False,
        reasons=(),
        counts=nothing,
        warmup_counts=nothing,
        error_reasons={},
        metrics=metrics | more,
    )


def test_points_in_order_of_x_with_both_rules() -> None:
    given = [
        summary("c", x=3.0, y=120.0),
        summary("a", x=1.0, y=100.0),
        summary("d", x=4.0, y=110.0),
        summary("b", x=2.0, y=120.0, repetition=1),
    ]
    drawn = curve(given, E2EL, TOTAL_THROUGHPUT)
    assert (drawn.x_metric, drawn.x_statistic, drawn.x_unit, drawn.x_better) == (
        "e2el",
        "p50",
        "s",
        "smaller",
    )
    assert (drawn.y_metric, drawn.y_statistic, drawn.y_unit, drawn.y_better) == (
        "total_throughput",
        "mean",
        "tok/s",
        "larger",
    )
    expected = [
        ("a", 0, 1.0, 100.0, True, True),
        ("b", 1, 2.0, 120.0, True, True),
        ("c", 0, 3.0, 120.0, False, True),
        ("d", 0, 4.0, 110.0, False, False),
    ]
    assert drawn.points == tuple(
        CurvePoint(
            point_id=name,
            repetition=repetition,
            concurrency=1,
            x=x,
            y=y,
            on_frontier=strict,
            on_reference_frontier=reference,
        )
        for name, repetition, x, y, strict, reference in expected
    )
    assert drawn.missing == {}
    assert all(curve(order, E2EL, TOTAL_THROUGHPUT) == drawn for order in permutations(given))


def test_a_point_carries_where_its_figures_lie() -> None:
    within = Interval(low=0.9, high=1.2, level=0.95, method="lanes", units=16)
    x = MetricValue(unit="s", n=3, mean=9.0, p50=1.0, intervals={"p50": within})
    y = MetricValue(unit="tok/s", n=3, mean=2.0, intervals={"mean": Absent(reason="4 lanes")})
    given = summary("a", x=1.0, y=2.0, e2el=x, total_throughput=y)
    (point,) = curve([given], E2EL, TOTAL_THROUGHPUT).points
    assert (point.x_interval, point.y_interval) == (within, None)


def test_what_has_no_place_says_why() -> None:
    drawn = curve(
        [
            summary("a", x=1.0, y=None),
            summary("b", x=None, y=None, repetition=2),
            summary("c", x=1.0, y=1.0),
        ],
        E2EL,
        TOTAL_THROUGHPUT,
    )
    assert [point.point_id for point in drawn.points] == ["c"]
    assert drawn.missing == {
        "a": "total_throughput: no usage",
        "b-r2": "e2el: nothing ok; total_throughput: no usage",
    }


def test_a_statistic_or_metric_that_is_not_there() -> None:
    given = [summary("a", x=1.0, y=1.0)]
    tail = Axis("e2el", "p99", "smaller", "s")
    unknown = Axis("power", "mean", "smaller", "W")
    assert curve(given, tail, TOTAL_THROUGHPUT).missing == {"a": "e2el has no p99"}
    assert curve(given, unknown, TOTAL_THROUGHPUT).missing == {"a": "power was not computed"}


def test_units_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="e2el is in s, and its axis in ms"):
        curve([summary("a", x=1.0, y=1.0)], Axis("e2el", "p50", "smaller", "ms"), TOTAL_THROUGHPUT)


def test_the_headline_is_total_throughput_against_median_latency() -> None:
    assert AXES[0] == (E2EL, TOTAL_THROUGHPUT)
    assert len(set(AXES)) == len(AXES) == 8


def test_per_gpu_when_every_point_has_it() -> None:
    per_gpu = {
        f"{name}_per_gpu": MetricValue(unit="tok/s/gpu", n=1, mean=1.0)
        for name in ("total_throughput", "output_throughput")
    }
    stated, unstated = summary("a", x=1.0, y=1.0, **per_gpu), summary("b", x=1.0, y=1.0)
    headline = Axis("total_throughput_per_gpu", "mean", "larger", "tok/s/gpu")
    assert axes([stated, stated])[0] == (E2EL, headline)
    assert axes([stated, unstated]) == axes([]) == AXES
    assert len(curve([stated], E2EL, headline).points) == 1


def test_axes_agree_with_the_metrics() -> None:
    for axis in {axis for pair in AXES for axis in pair}:
        module = import_module(METRICS[axis.metric])
        assert (axis.unit, axis.better) == (module.UNIT, module.BETTER)


def test_every_pair_has_a_place_for_a_real_point() -> None:
    answer = record(first=1.0, gaps=(1.0, 1.0), prompt_tokens=9, completion_tokens=3)
    for gpus in (None, 2):
        metrics = compute_metrics(measured(answer, gpus=gpus))
        point = summary("a", x=1.0, y=1.0, **metrics)
        for x, y in axes([point]):
            assert curve([point], x, y).missing == {}


def test_replays_are_shown_by_p90() -> None:
    """E2EL at p90 against total throughput per GPU: 10 s, and 1100 tokens in 10 s on 8 GPUs."""
    replay = replayed.summary()
    x, y = axes([replay])[0]
    assert (x.metric, x.statistic, y.metric) == ("e2el", "p90", "total_throughput_per_gpu")
    assert {x.statistic for x, _ in axes([replay])} == {"p90"}
    (drawn,) = curve([replay], x, y).points
    assert (drawn.x, drawn.y) == (pytest.approx(10.0), pytest.approx(1100 / 10 / 8, rel=0.001))
    assert axes([replay, summary("a", x=1.0, y=1.0)]) == AXES
