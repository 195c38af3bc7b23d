"""`--format`: stdout carries data only, in the shape that scripts rely on; talk goes to stderr."""

import json

import pytest

from infx.metrics import METRICS
from infx.model.record import EndState
from infx.model.result import RunResult
from infx.servers.truth.script import Script
from served import truth_server
from transcript import only_run

BENCH = ("--isl", "32", "--osl", "8", "--range-ratio", "1", "--concurrency", "1,2")
STATISTICS = {"unit", "n", "mean", "std", "p50", "p75", "p90", "p95", "p99"}


@pytest.fixture(scope="module")
def url():
    with truth_server(Script(ttft_s=0.005, itl_s=0.001)) as base:
        yield base


def test_json_is_exactly_one_object_of_the_promised_shape(infx, url, tmp_path):
    said = infx("bench", url, *BENCH, "--gpus", "2", "--slo", "ttft=1", "--format", "json")
    assert said.code == 0
    assert said.out.count("\n") == 1
    result = json.loads(said.out)
    assert set(result) == {"run", "bundle", "certified", "reasons", "simulated", "points"}
    assert (result["run"], result["bundle"]) == ("RUN", "runs/RUN")
    assert result["simulated"] is False
    assert result["certified"] == (not result["reasons"])
    assert [point["concurrency"] for point in result["points"]] == [1, 2]
    folders = {path.name for path in (only_run(tmp_path / "runs") / "points").iterdir()}
    assert {point["point_id"] for point in result["points"]} == folders
    for point in result["points"]:
        counts = point["counts"]
        assert set(counts) == {"issued", *EndState}
        assert counts["issued"] == counts["ok"] == 10 * point["concurrency"]
        assert sum(counts[state] for state in EndState) == counts["issued"]
        assert 0 < point["achieved_concurrency"] <= point["concurrency"]
        assert set(METRICS) <= set(point["metrics"])
        for name, metric in point["metrics"].items():
            assert set(metric) == {"reason"} or set(metric) >= STATISTICS, name
            assert metric.get("reason") != ""
        assert point["metrics"]["ttft"]["unit"] == "s"
        assert 0.005 <= point["metrics"]["ttft"]["p50"] < 1
        assert point["metrics"]["output_throughput_per_gpu"]["unit"] == "tok/s/gpu"
    RunResult.model_validate_json(said.out)


def test_talk_is_on_stderr(infx, url):
    said = infx("bench", url, *BENCH, "--format", "json")
    assert said.err.splitlines() == [
        "bundle runs/RUN",
        "calibrating prompt lengths against the server's own token count",
        "concurrency 1: 10 ok",
        "concurrency 2: 20 ok",
    ]


@pytest.mark.parametrize("format_", ["text", "json", "markdown", "github"])
def test_a_run_is_shown_again_as_it_was_printed(infx, url, format_):
    said = infx("bench", url, *BENCH, "--format", format_)
    again = infx("runs", "show", "latest", "--format", format_)
    assert (said.code, again.code, again.err) == (0, 0, "")
    assert said.out == again.out
    assert said.out.strip()
    for line in said.err.splitlines():
        assert line not in said.out


def test_each_format_is_what_its_reader_expects(infx, url):
    infx("bench", url, *BENCH)
    text = infx("runs", "show", "latest").out
    assert "TTFT p50" in text
    assert text.splitlines()[-1] == "bundle: runs/RUN"
    rows = infx("runs", "show", "latest", "--format", "markdown").out.splitlines()
    assert rows[0].startswith("| conc | achieved | ")
    assert rows[1].startswith("| --: | --: | ")
    assert rows[2].startswith("| 1 | ")
    lines = infx("runs", "show", "latest", "--format", "github").out.splitlines()
    assert [line.split("::")[1].split(" ", 1)[1] for line in lines] == [
        "title=infx concurrency 1",
        "title=infx concurrency 2",
    ]


def test_strict_is_a_verdict_and_changes_no_data(infx, url, tmp_path):
    """One prompt, asked again and again, may stand in a prefix cache: never certified."""
    prompts = tmp_path / "one.jsonl"
    prompts.write_text('{"prompt": "hello there"}\n')
    said = infx(
        "bench", url, "--dataset", str(prompts), "--osl", "8", "--strict", "--format", "json"
    )
    assert said.code == 1
    result = json.loads(said.out)
    assert result["certified"] is False
    assert "prompts-repeated" in result["reasons"]
    reasons = ", ".join(result["reasons"])
    assert said.verdict == [f"infx: not certified, and --strict asks for it: {reasons}"]
