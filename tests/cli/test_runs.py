"""`infx runs` and `infx report` over real bundles, as transcripts."""

import json
import re

import pytest

import bundled
from infx.servers.truth.script import Script
from infx.store.bundles import create
from infx.store.journal import Journal
from journaled import issue
from playing import play
from transcript import only_run, refused


@pytest.fixture
def run(tmp_path):
    """A finished run of three points in `runs/`, measured in virtual time."""
    outcome, _, _ = play(tmp_path / "runs", Script(), command=("infx", "bench", "U"))
    return outcome.run.bundle.path


def test_list(infx, run):
    said = infx("runs", "list")
    assert (said.code, said.out, said.err) == (0, "RUN  finished     3 points   infx bench U\n", "")


def test_list_tells_killed_from_going_and_broken_from_both(infx, tmp_path):
    live = create(tmp_path, bundled.manifest(run="20270115T090000Z-aaaaaa"))
    killed = tmp_path / "20270115T100000Z-bbbbbb"
    killed.mkdir()
    text = (live.path / "manifest.json").read_text().replace(live.path.name, killed.name)
    (killed / "manifest.json").write_text(text)
    broken = tmp_path / "20270115T110000Z-cccccc"
    broken.mkdir()
    (broken / "manifest.json").write_text("{")
    said = infx("runs", "list", "--root", ".")
    assert said.code == 0
    going, dead, unreadable = said.out.splitlines()
    assert re.fullmatch(r"RUN  running +0 points +infx bench http://127.0.0.1:8000", going)
    assert re.fullmatch(r"RUN  killed +0 points +infx bench http://127.0.0.1:8000", dead)
    assert unreadable.startswith("RUN  unreadable  RUN/manifest.json:1: this is not JSON")
    live.close("finished", "2027-01-15T09:01:00+00:00")


def test_list_of_nothing(infx):
    said = infx("runs", "list")
    assert (said.code, said.out, said.err) == (0, "", "no runs in runs\n")


def test_a_foreign_command_line_cannot_steer_the_terminal(infx, run):
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["command"] = ["infx", "\x1b[2J\nfake"]
    (run / "manifest.json").write_text(json.dumps(manifest))
    said = infx("runs", "list")
    assert "\x1b" not in said.out
    assert len(said.out.splitlines()) == 1


@pytest.mark.parametrize("name", ["latest", "{run.name}", "{run}", "runs/{run.name}"])
def test_a_run_is_named_by_latest_id_or_folder(infx, run, name):
    said = infx("runs", "show", name.format(run=run))
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1].endswith("runs/RUN")
    assert "certified: " in said.out


def test_an_unknown_run_gets_the_nearest(infx, run):
    said = infx("runs", "show", run.name[:-1] + "x")
    assert said.code == 2
    assert re.fullmatch(r"infx: no run '\S+' in runs; did you mean RUN\?\n", said.err)


def test_a_run_where_there_are_none(infx):
    said = infx("runs", "show", "latest")
    assert said == refused(2, "no run 'latest' in runs; infx bench URL makes one")


def test_a_folder_that_is_no_run(infx, tmp_path):
    (tmp_path / "empty").mkdir()
    for command in (("runs", "show"), ("runs", "verify"), ("runs", "recover"), ("report",)):
        assert infx(*command, "empty") == refused(
            2,
            "empty: this is not a run bundle: it has no manifest.json; "
            "infx runs list shows the runs there are",
        )


def test_verify_says_that_all_is_well(infx, run):
    said = infx("runs", "verify", "latest")
    assert (said.code, said.err) == (0, "")
    assert said.out == "runs/RUN: every file is as it was written, every count holds\n"


def test_verify_lists_what_differs_and_exits_with_1(infx, run):
    plan = next(run.glob("points/*/plan.bin"))
    plan.write_bytes(plan.read_bytes() + b"x")
    (run / "notes.txt").write_text("mine")
    said = infx("runs", "verify", "latest")
    assert (said.code, said.err) == (1, "")
    lines = said.out.splitlines()
    relative = plan.relative_to(run)
    assert f"runs/RUN/{relative}: the file was changed: its sha256 differs; restore it" in lines
    assert "runs/RUN/notes.txt: the manifest does not know this file; remove it" in lines


def test_recover_finishes_a_killed_run_and_prints_it(infx, tmp_path):
    writer = bundled.begin(tmp_path / "runs", 1)
    bundled.finish_point(writer, 1)
    folder = writer.begin_point(bundled.point(2))
    with Journal(folder / "requests.jsonl.zst") as journal:
        journal.issue(issue(0))
    alive = infx("runs", "recover", "latest")
    assert alive == refused(2, "runs/RUN: the run is still going; wait for it, or end its process")
    writer._lock.release()  # as the end of its process would
    said = infx("runs", "recover", "latest", "--format", "json")
    assert (said.code, said.err) == (0, "")
    result = json.loads(said.out)
    assert result["reasons"][0] == "run-recovered"
    assert result["points"][1]["counts"]["lost"] == 1
    assert infx("runs", "verify", "latest").code == 0
    assert infx("runs", "recover", "latest") == refused(
        2,
        "runs/RUN: there is nothing to recover: the run is recovered; show it with: infx runs show",
    )


def test_report_writes_one_page_beside_the_run_and_says_where(infx, run, tmp_path):
    said = infx("report", "latest")
    assert (said.code, said.out, said.err) == (0, "runs/RUN.html\n", "")
    page = (tmp_path / "runs" / f"{run.name}.html").read_text()
    assert run.name in page
    assert infx("report", "latest", "--out", "page.html").out == "page.html\n"
    assert (tmp_path / "page.html").read_text() == page
    assert infx("runs", "verify", "latest").code == 0
    assert only_run(tmp_path / "runs") == run


def test_report_that_cannot_be_written(infx, run):
    said = infx("report", "latest", "--out", "nowhere/page.html")
    assert said.code == 3
    (line,) = said.err.splitlines()
    assert line.startswith("infx: nowhere/page.html: cannot write the file: No such file")
