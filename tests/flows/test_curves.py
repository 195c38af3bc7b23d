"""A run is drawn as one series for each curve key, and replays never share one."""

from types import SimpleNamespace

from compared import metric, point, summary
from infx.flows.curves import series_of
from infx.model.result import RunResult
from infx.model.traits import traits

FIGURES = {"e2el": metric("e2el", 1.0), "total_throughput": metric("total_throughput", 9.0)}
FIXED = point()


def result(*kinds: str) -> RunResult:
    """Return a run with a point of each kind, named by its number."""
    keys = {
        "lanes": FIXED.curve_key,
        "rate": {**FIXED.curve_key, "arrival": {"process": "poisson", "shape": None, "rates": []}},
        "replay": {**FIXED.curve_key, "benchmark_type": "agentic_traces", "isl": None},
    }
    points = [
        summary(FIGURES).model_copy(
            update={
                "point_id": str(number),
                "curve_key": keys[kind],
                "traits": traits(FIXED),
                "replay": SimpleNamespace() if kind == "replay" else None,
            }
        )
        for number, kind in enumerate(kinds)
    ]
    return RunResult.model_construct(points=tuple(points))


def drawn(*kinds: str) -> list[tuple[str, list[str]]]:
    return [
        (series.name, [one.point_id for one in series.curves[0].points])
        for series in series_of(result(*kinds))
    ]


def test_one_kind_is_one_series_without_a_name():
    assert drawn("lanes", "lanes") == [("", ["0", "1"])]


def test_each_kind_is_drawn_and_named_by_what_it_is():
    assert drawn("lanes", "rate", "lanes", "replay") == [
        ("64/16", ["0", "2"]),
        ("64/16 poisson arrivals", ["1"]),
        ("agentic", ["3"]),
    ]


def test_replays_are_drawn_against_p90_and_nothing_is_missing():
    fixed, replay = series_of(result("lanes", "replay"))
    assert (fixed.curves[0].x_statistic, replay.curves[0].x_statistic) == ("p50", "p90")
    assert fixed.curves[0].missing == replay.curves[0].missing == {}


def test_a_run_without_points_has_no_series():
    assert series_of(result()) == ()
