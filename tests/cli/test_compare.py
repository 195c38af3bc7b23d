"""`infx compare` as transcripts: a table, its reasons, and a gate only for who asks for one."""

import json

import pytest

from infx.model.workload import FixedWorkload
from infx.servers.truth.script import EngineModel, Script
from playing import play
from transcript import refused

WORK = FixedWorkload(isl=64, osl=24, requests_per_lane=30)


def measure(folder, *, slow=1.0, **more):
    engine = EngineModel(
        slots=16, prefill_rate=4000.0, step_base_s=0.005 * slow, step_per_sequence_s=0.0004 * slow
    )
    settings = {"workload": WORK, "concurrency": (12,), **more}
    return play(folder, Script(engine=engine), **settings)[0].run


@pytest.fixture
def runs(tmp_path):
    """Two runs in `runs/`, the second one with a decode that is a tenth slower."""
    found = [measure(tmp_path / "runs", slow=slow) for slow in (1.0, 1.1)]
    return [run.bundle.path for run in found]


def compared(infx, runs, *flags):
    return infx("compare", runs[0], runs[1], "--assume-same-server", *flags)


def test_the_table_says_what_b_is(infx, runs):
    said = compared(infx, runs)
    assert (said.code, said.err) == (0, "")
    head, table, notes = said.out.split("\n\n")
    assert head == "A RUN\nB RUN"
    rows = [row.split() for row in table.splitlines()]
    assert " ".join(rows[0]) == "conc metric unit A B B/A 95 % interval noise B is"
    assert [" ".join(row[1:3]) for row in rows[1:]] == [
        "TTFT p50", "TTFT p90", "TPOT p50", "TPOT p90", "E2EL p50", "output throughput",
        "total throughput",
    ]  # fmt: skip
    tpot = rows[3]
    assert (tpot[0], tpot[3], tpot[8], tpot[9]) == ("12", "ms", "unknown", "worse")
    assert float(tpot[6]) == pytest.approx(float(tpot[5]) / float(tpot[4]), abs=0.01)
    low, high = map(float, tpot[7].split("-"))
    assert 1.0 < low < float(tpot[6]) < high
    assert notes.splitlines()[0].startswith("how much figures change from run to run is not known")
    assert notes.splitlines()[-1] == (
        "better: 0; worse: 4; no detectable difference: 3; not comparable: 0"
    )


def test_exit_1_only_when_asked_and_only_for_worse(infx, runs):
    assert compared(infx, runs, "--fail-on-worse").code == 1
    assert compared(infx, runs[::-1], "--fail-on-worse").code == 0
    assert compared(infx, [runs[0], runs[0]], "--fail-on-worse").code == 0


def test_json_is_one_object_on_one_line(infx, runs):
    said = compared(infx, runs, "--format", "json")
    assert said.out.count("\n") == 1
    found = json.loads(said.out)
    assert set(found) == {"a", "b", "points", "notes"}
    (point,) = found["points"]
    tpot = next(one for one in point["metrics"] if one["metric"] == "tpot")
    assert set(tpot) == {
        "metric", "statistic", "unit", "better", "a", "b", "ratio", "interval", "noise", "p",
        "least", "word", "reason",
    }  # fmt: skip
    assert (tpot["unit"], tpot["word"]) == ("s", "worse")
    assert tpot["interval"]["low"] < tpot["ratio"] < tpot["interval"]["high"]
    assert tpot["noise"] == {"reason": "no repetitions"}
    assert tpot["p"] < 0.05


def test_markdown_and_annotations(infx, runs):
    rows = compared(infx, runs, "--format", "markdown").out.splitlines()
    assert rows[0] == "A RUN, B RUN"
    assert rows[2].startswith("| conc | metric | unit | A | B | B/A | 95 % interval | noise | ")
    assert any(row.startswith("| 12 | TPOT p50 | ms | ") for row in rows)
    assert rows[-1].startswith("- better: 0; worse: 4; ")
    lines = compared(infx, runs, "--format", "github").out.splitlines()
    worse = "::warning title=infx concurrency 12%3A TPOT p50::worse: "
    assert sum(line.startswith("::warning ") for line in lines) == 4
    assert any(line.startswith(worse) for line in lines)
    assert lines[-1].startswith("::notice title=infx compare RUN RUN::better: 0; worse: 4; ")


def test_a_bare_endpoint_needs_someones_word(infx, runs):
    said = infx("compare", runs[0], runs[1])
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "A RUN\nB RUN\n\n"
        "concurrency 12: not comparable: nobody stated engine, image, checkpoint, precision, "
        "hardware, gpus of a bare endpoint; vouch for it with --assume-same-server\n"
        "better: 0; worse: 0; no detectable difference: 0; not comparable: 1\n"
    )


def test_what_is_said_of_several_points_is_said_once(infx, tmp_path):
    few = WORK.model_copy(update={"requests_per_lane": 2})
    runs = [
        measure(tmp_path / "runs", concurrency=(1, 2), workload=few.model_copy(update={"osl": n}))
        for n in (8, 9)
    ]
    said = infx("compare", *(run.bundle.path for run in runs))
    assert said.out.splitlines()[3] == (
        "concurrency 1, 2: not comparable: the workloads differ: osl 8 and 9"
    )


def test_what_has_no_figure_says_why_in_a_footnote(infx, tmp_path):
    few = WORK.model_copy(update={"requests_per_lane": 10})
    run = measure(tmp_path / "runs", concurrency=(2, 4), workload=few)
    said = infx("compare", "latest", run.bundle.path.name)
    table, notes = said.out.split("\n\n")[1:]
    words = [row.split("unknown")[1].strip() for row in table.splitlines()[1:]]
    assert words == ["not comparable [1]"] * 7 + ["not comparable [2]"] * 7
    assert notes.splitlines()[:2] == [
        "[1] 2 lanes over no repetitions; 10 are needed, from lanes or repetitions",
        "[2] 4 lanes over no repetitions; 10 are needed, from lanes or repetitions",
    ]


def test_noise_of_repetitions_stands_in_its_column(infx, tmp_path):
    few = WORK.model_copy(update={"requests_per_lane": 10})
    for _ in range(2):
        measure(tmp_path / "runs", concurrency=(4,), repetitions=2, workload=few)
    names = sorted(path.name for path in (tmp_path / "runs").iterdir() if path.is_dir())
    said = infx("compare", *names, "--assume-same-server")
    table, notes = said.out.split("\n\n")[1:]
    assert "unknown" not in table
    assert table.splitlines()[3].split()[9] == "%"
    assert notes.splitlines()[-1] == (
        "better: 0; worse: 0; no detectable difference: 7; not comparable: 0"
    )


def test_a_run_that_is_not_there(infx, runs):
    assert infx("compare", "latest", runs[0].name[:-1] + "x").code == 2
    said = infx("compare", "nowhere/a", runs[0])
    assert said == refused(
        2,
        "nowhere/a: this is not a run bundle: it has no manifest.json; "
        "infx runs list shows the runs there are",
    )
