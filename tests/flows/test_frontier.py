"""Frontiers of runs: one series a curve key, and gaps against what comparable curves cover."""

from types import SimpleNamespace

import pytest

from compared import WORKLOAD, point, summary
from infx.flows.frontier import frontiers
from infx.model.recipe import BoundRecipe
from infx.model.result import Absent, MetricValue
from infx.model.workload import Arrival


def recipe(hardware, model="m"):
    return BoundRecipe(
        name="r", model=model, hardware=hardware, engine="sglang", precision="fp4", gpus=4
    )


def run(
    name, places, *, hardware="gb200", model="m", replayed=False, precision=None, workload=WORKLOAD
):
    """Return a run of (concurrency, E2EL, throughput per GPU); None is a missing figure."""
    of = recipe(hardware, model)
    if precision is not None:
        of = of.model_copy(update={"precision": precision})
    points, summaries = [], {}
    for concurrency, x, y in places:
        found = point(concurrency, recipe=of, workload=workload)
        at = (
            Absent(reason="nothing ended")
            if x is None
            else MetricValue(unit="s", n=9, mean=x, p50=x, p75=x * 2, p90=x * 3)
        )
        metrics = {
            "e2el": at,
            "total_throughput_per_gpu": MetricValue(unit="tok/s/gpu", n=1, mean=y),
        }
        said = summary(metrics).model_copy(
            update={
                "point_id": found.point_id,
                "concurrency": concurrency,
                "replay": SimpleNamespace() if replayed else None,
            }
        )
        points.append(found)
        summaries[found.point_id] = said
    bundle = SimpleNamespace(path=f"runs/{name}", summary=lambda one: summaries[one.point_id])
    manifest = SimpleNamespace(run=name)
    return SimpleNamespace(points=points, bundle=bundle, manifest=manifest)


RISING = [(1, 1.0, 10.0), (2, 1.5, 18.0), (4, 2.5, 30.0), (8, 4.5, 50.0), (16, 8.0, 70.0)]


def test_a_series_is_named_counted_and_placed():
    (one,) = frontiers([run("a", RISING)]).series
    assert (one.run, one.bundle) == ("a", "runs/a")
    assert one.name == "m · 64/16 · gb200_sglang · fp4"
    (view,) = one.views
    assert (view.curve.x_statistic, view.curve.y_metric) == ("p50", "total_throughput_per_gpu")
    assert (view.coverage.status, view.coverage.frontier_points) == ("PASS", 5)
    assert (view.gaps, view.covered) == ((), None)


def test_replays_are_seen_by_p90_and_p75():
    (one,) = frontiers([run("a", RISING, replayed=True)]).series
    assert [view.curve.x_statistic for view in one.views] == ["p90", "p75"]
    assert [view.curve.points[0].x for view in one.views] == [3.0, 2.0]
    (asked,) = frontiers([run("a", RISING, replayed=True)], statistic="p50").series
    assert [view.curve.x_statistic for view in asked.views] == ["p50"]


def test_a_point_without_a_figure_is_no_evidence_and_warns():
    (one,) = frontiers([run("a", [*RISING, (32, None, 80.0)])]).series
    found = one.views[0].coverage
    assert (found.status, found.frontier_points, found.invalid_points) == ("WARN", 5, 1)


def test_what_the_other_curve_covers_counts_and_only_of_the_same_model():
    short = run("short", RISING[:2], hardware="b200")
    longer = run("longer", RISING)
    first, second = frontiers([short, longer]).series
    assert first.views[0].covered == (1.0, 8.0)
    assert [(gap.place, gap.start, gap.end) for gap in first.views[0].gaps] == [("after", 1.5, 8.0)]
    assert second.views[0].gaps == ()
    other = frontiers([short, run("other", RISING, model="n")]).series
    assert other[0].views[0].gaps == ()


def test_lanes_and_arrivals_are_no_one_curve_and_not_held_against_each_other():
    """The same server, asked by lanes up to 16 and, in another run, at rates."""
    closed, open_ = run("closed", RISING), run("open", RISING[:2], workload=WORKLOAD.at_rate(2.0))
    other = frontiers([closed, open_]).series
    assert [one.name for one in other] == [
        "m · 64/16 · gb200_sglang · fp4",
        "m · 64/16, poisson arrivals · gb200_sglang · fp4",
    ]
    assert [view.covered for one in other for view in one.views] == [None, None]
    both = run("both", RISING)
    both.points += open_.points
    inner, known = both.bundle.summary, {one.point_id for one in open_.points}
    both.bundle.summary = lambda one: (
        open_.bundle.summary(one) if one.point_id in known else inner(one)
    )
    assert [len(one.views[0].curve.points) for one in frontiers([both]).series] == [5, 2]


@pytest.mark.parametrize(
    ("arrival", "said"),
    [
        (Arrival(rate=2.0, process="constant"), "64/16, constant arrivals"),
        (Arrival(rate=2.0, process="gamma", shape=0.5), "64/16, gamma 0.5 arrivals"),
        (
            Arrival(rates=((0.0, 1.0), (9.0, 0.0))),
            "64/16, poisson arrivals at a series of rates",
        ),
    ],
)
def test_a_curve_says_how_its_requests_arrive(arrival, said):
    asked = WORKLOAD.model_copy(update={"arrival": arrival})
    (one,) = frontiers([run("a", RISING[:1], workload=asked)]).series
    assert one.name == f"m · {said} · gb200_sglang · fp4"


def test_curves_of_which_nobody_stated_the_model_are_not_comparable():
    found = frontiers([run("a", RISING[:2], model=None), run("b", RISING, model=None)]).series
    assert [view.covered for one in found for view in one.views] == [None, None]
    assert found[0].name.startswith("not stated · 64/16")


def test_one_run_of_two_precisions_is_two_curves():
    both = run("a", RISING)
    other = run("a", RISING, precision="fp8")
    both.points += other.points
    inner = both.bundle.summary
    known = {one.point_id for one in other.points}
    both.bundle.summary = lambda one: (
        other.bundle.summary(one) if one.point_id in known else inner(one)
    )
    names = [one.name for one in frontiers([both]).series]
    assert names == ["m · 64/16 · gb200_sglang · fp4", "m · 64/16 · gb200_sglang · fp8"]


def test_a_point_that_was_not_finished_is_left_out():
    broken = run("a", RISING)
    inner = broken.bundle.summary
    broken.bundle.summary = lambda one: None if one.concurrency == 16 else inner(one)
    (one,) = frontiers([broken]).series
    assert len(one.views[0].curve.points) == 4


@pytest.mark.parametrize("ratio", [1.4, 3.0])
def test_the_ratio_of_a_gap_is_the_users(ratio):
    (one,) = frontiers([run("a", RISING)], gap_ratio=ratio).series
    assert (one.views[0].gaps == ()) is (ratio == 3.0)
    assert one.views[0].gap_ratio == ratio
