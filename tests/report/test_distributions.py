"""Strips show the same latencies that the metrics summarise, in few numbers."""

from dataclasses import replace

import pytest

from infx.report.distributions import axis_scale, distributions, ticks


def test_the_marks_are_the_percentiles_of_the_metrics(demo):
    report = demo((1, 8), troubled=8)
    panels = distributions(report.points)
    assert [panel["metric"] for panel in panels] == ["TTFT", "TPOT", "E2EL"]
    names = ("ttft", "tpot", "e2el")
    for name, panel, factor in zip(names, panels, (1000, 1000, 1), strict=True):
        for point, row in zip(report.points, panel["rows"], strict=True):
            metric = point.summary.metrics[name]
            assert row["p50"] == pytest.approx(metric.p50 * factor, rel=1e-4)
            assert row["p99"] == pytest.approx(metric.p99 * factor, rel=1e-4)
            assert ["requests", str(metric.n)] in row["rows"]


def test_one_tick_is_one_request_until_there_are_too_many():
    few = [float(n) for n in range(101)]
    assert ticks(few) == few
    many = [float(n) for n in range(1001)]
    assert ticks(many) == [float(n) for n in range(0, 1001, 10)]


def test_a_latency_that_no_request_has_is_said_to_be_absent(demo):
    point = demo((1,)).points[0]
    burst = replace(point, latencies={**point.latencies, "tpot": ()})
    ttft, tpot, e2el = distributions([burst])
    assert len(ttft["rows"]) == len(e2el["rows"]) == 1
    assert tpot["rows"] == []
    assert tpot["absent"] == ["concurrency 1: no successful request has one"]


def test_an_axis_is_logarithmic_only_for_wide_positive_values():
    assert axis_scale([1, 5], 5) == "log"
    assert axis_scale([1, 4.9], 5) == "linear"
    assert axis_scale([0, 100], 5) == "linear"
    assert axis_scale([], 5) == "linear"
