"""`infx frontier` as transcripts: a plot, a table, the count, and the gaps with what to try."""

import json

import pytest

from infx.model.workload import FixedWorkload
from infx.servers.truth.script import EngineModel, Script
from playing import play
from transcript import refused

ENGINE = EngineModel(slots=8, prefill_rate=4000.0, step_base_s=0.005, step_per_sequence_s=0.0004)


@pytest.fixture
def run(tmp_path):
    """A run that goes from 2 to 64 at a time: eight of them saturate its engine."""
    workload = FixedWorkload(isl=64, osl=24, requests_per_lane=5)
    outcome = play(
        tmp_path / "runs", Script(engine=ENGINE), workload=workload, concurrency=(1, 2, 64)
    )[0]
    return outcome.run.bundle.path


def test_a_curve_stands_with_its_count_and_its_gap(infx, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    said = infx("frontier", "latest")
    assert (said.code, said.err) == (0, "")
    head, plot, table, notes = said.out.rstrip("\n").split("\n\n")
    assert head == "RUN  truth · 64/24 · not stated · not stated, p50"
    assert "E2EL p50 (s), less is better" in plot
    rows = [row.split() for row in table.splitlines()]
    assert " ".join(rows[0]) == "conc E2EL p50 total throughput frontier"
    assert [(row[0], row[-1]) for row in rows[2:]] == [("1", "yes"), ("2", "yes"), ("64", "yes")]
    first, gap = notes.splitlines()
    assert first == "frontier: 3 of 3 points, fewer than 5 (rule upper_right: WARN)"
    assert gap.startswith(f"gap: nothing between {rows[3][1]} and {rows[4][1]} s, ")
    assert gap.endswith(" times; try concurrency 5, 11, 27")


def test_no_gap_is_said_too(infx, run):
    said = infx("frontier", run, "--gap-ratio", "100", "--percentile", "p90")
    assert said.out.rstrip("\n").endswith("gaps: none above 100 times")
    assert "not stated, p90" in said.out


def test_json_is_one_line_of_metric_units(infx, run):
    said = infx("frontier", run, "--format", "json")
    (series,) = json.loads(said.out)["series"]
    (view,) = series["views"]
    assert view["coverage"]["frontier_points"] == 3
    assert view["gaps"][0]["concurrencies"] == [5, 11, 27]
    assert view["curve"]["x_unit"] == "s"
    assert said.out.count("\n") == 1


def test_markdown_has_tables_without_a_plot(infx, run):
    said = infx("frontier", run, "--format", "markdown")
    head, table, notes = said.out.rstrip("\n").split("\n\n")
    assert head.startswith("**RUN  truth")
    assert table.splitlines()[0] == "| conc | E2EL p50 (s) | total throughput (tok/s) | frontier |"
    assert notes.startswith("- frontier: 3 of 3 points")


def test_two_runs_are_held_to_each_others_range(infx, run, tmp_path):
    more = play(
        tmp_path / "runs",
        Script(engine=ENGINE),
        workload=FixedWorkload(isl=64, osl=24, requests_per_lane=5),
        concurrency=(1,),
    )[0]
    said = infx("frontier", run, more.run.bundle.path)
    assert "; comparable curves end there; try concurrency " in said.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no run; name one, or `latest`"),
        (("latest",), "no run 'latest' in runs; infx bench URL makes one"),
        (("x", "--gap-ratio", "1"), "--gap-ratio: 1 is no ratio above 1; use 2"),
    ],
)
def test_misuse_is_told(infx, words, said):
    assert infx("frontier", *words) == refused(2, said)


def test_a_run_without_a_finished_point_says_so(infx, tmp_path):
    from bundled import begin

    begin(tmp_path / "runs", 1)
    assert infx("frontier", "latest").out == "no point of these runs has a summary\n"
