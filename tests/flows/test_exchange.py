"""Runs given out and taken in again: the same figures, to the last digit."""

import json
from pathlib import Path

import pytest

from foreign import START, export, line
from infx.clock import SystemClock
from infx.flows.exporting import export_run
from infx.flows.imported import Stated
from infx.flows.importing import import_runs
from infx.flows.importing_rows import import_rows
from infx.flows.importing_serving import Asked, import_results
from infx.flows.runs import Run, open_run, verify_run
from infx.model.aiperf import RECORDS
from infx.model.recipe import BoundRecipe
from infx.model.record import EndState, Phase, Slo
from infx.servers.truth.faults import read_faults
from infx.servers.truth.script import Script
from infx.store.datasets import demo_path
from playing import play
from refusals import refusal
from replaying import PACE, agentic, replay


@pytest.fixture(scope="module")
def replayed(tmp_path_factory) -> Run:
    """A replay with failed requests, prompts that did not fit, and some cut at the end."""
    faults = read_faults(["reset:0.5@50+20", "overflow@60+51"])
    outcome, _, _ = play(
        tmp_path_factory.mktemp("run"), Script(**{**PACE, "ttft_s": 1.0}, faults=faults),
        corpus=demo_path(), workload=agentic(duration_s=60.0, warmups_per_lane=2), concurrency=(4,),
        grace_s=0.05,
    )  # fmt: skip
    return outcome.run


@pytest.fixture(scope="module")
def exported(replayed, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("export") / "out"
    export_run(replayed.bundle.path, out, format="aiperf")
    return out


def again(folder: Path, out: Path) -> Run:
    return import_runs(folder, out, stated=Stated())


def test_a_replay_says_the_same_after_going_out_and_in(replayed, exported, tmp_path) -> None:
    """Every figure of the summary is computed anew, from the exported records alone."""
    before = replayed
    ends = {record.state for record in before.bundle.records(before.points[0])}
    assert ends >= {EndState.OK, EndState.ERROR, EndState.OVERFLOW, EndState.CANCELLED_AT_END}
    after = again(exported, tmp_path)
    assert after.result.points == before.result.points
    (old,), (new,) = before.points, after.points
    assert after.bundle.records(new) == before.bundle.records(old)
    assert new.audit.pop("imported") == {"run": before.manifest.run, "plan_digest": old.plan_digest}
    assert new == old.model_copy(update={"plan_digest": None})
    assert verify_run(after.bundle.path) == ()


def test_independent_requests_say_the_same_too(tmp_path) -> None:
    outcome, _, _ = play(tmp_path / "a", Script(), slo=Slo(ttft=1.0), repetitions=2)
    written = export_run(outcome.run.bundle.path, tmp_path / "b", format="aiperf")
    assert len({path.parent for path in written}) == 6
    after = again(tmp_path / "b", tmp_path / "c")
    points = {one.point_id + str(one.repetition): one for one in after.result.points}
    assert points == {one.point_id + str(one.repetition): one for one in outcome.run.result.points}


def changed(exported: Path, out: Path, *names: str) -> Path:
    """Copy an export with some times of its ok requests 1 ms less."""
    out.mkdir()
    for path in exported.iterdir():
        (out / path.name).write_bytes(path.read_bytes())
    rows = [json.loads(line) for line in (out / RECORDS).read_text().splitlines()]
    for row in rows:
        for name in names if "error" not in row else ():
            row["metrics"][name]["value"] -= 1.0
    (out / RECORDS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return out


def test_what_aiperfs_fields_say_is_what_is_read(exported, tmp_path) -> None:
    """A first token 1 ms earlier is one."""
    times = ("time_to_first_token", "time_to_first_output_token", "request_latency")
    (before,) = again(exported, tmp_path / "a").result.points
    (after,) = again(changed(exported, tmp_path / "in", *times), tmp_path / "b").result.points
    assert after.metrics["ttft"].mean == pytest.approx(before.metrics["ttft"].mean - 0.001)


def test_an_export_that_contradicts_itself_is_refused(exported, tmp_path) -> None:
    folder = changed(exported, tmp_path / "in", "time_to_first_token")
    said = refusal(lambda: again(folder, tmp_path / "out"))
    assert "inter_chunk_latency does not add up" in said
    assert len(said.splitlines()) == 20
    assert not (tmp_path / "out").exists()


def test_a_point_is_chosen_by_its_id(tmp_path) -> None:
    outcome, _, _ = play(tmp_path / "a", Script())
    path, ids = outcome.run.bundle.path, [one.point_id for one in outcome.run.points]
    written = export_run(path, tmp_path / "b", format="aiperf", point=ids[1][:20])
    assert {one.parent for one in written} == {tmp_path / "b"}
    (only,) = again(tmp_path / "b", tmp_path / "c").points
    assert only.point_id == ids[1]
    said = refusal(lambda: export_run(path, tmp_path / "d", format="aiperf", point="zz"))
    assert said.startswith(f"{path}: no point 'zz'; the run has {ids[0][:16]}, ")


def test_nothing_is_written_over(replayed, exported) -> None:
    run = replayed.bundle.path
    said = refusal(lambda: export_run(run, exported, format="aiperf"))
    assert said == f"{exported}: the folder is not empty; name another"


def test_a_row_that_lacks_facts_leaves_nothing_behind(replayed, tmp_path) -> None:
    run = replayed.bundle.path
    said = refusal(lambda: export_run(run, tmp_path / "row", format="agentx-row"))
    assert "hw: Field required" in said
    assert not (tmp_path / "row").exists()


def test_a_foreign_run_becomes_a_point_with_what_is_stated(tmp_path) -> None:
    """Two requests of one session, the second 0.9 s after the first; 3 of 3 tokens each."""
    said: list[str] = []
    run = import_runs(
        export(tmp_path / "in", line(0, sent=0.1), line(1, sent=1.0)), tmp_path / "out",
        stated=Stated(gpus=8, hardware="b200", engine="vllm", model="named"), talk=said.append,
    )  # fmt: skip
    (point,), (summary,) = run.points, run.result.points
    assert said == ["without --corpus neither asked input lengths nor prefix hits are known"]
    recipe = point.recipe
    assert (recipe.gpus, recipe.hardware, recipe.engine) == (8, "b200", "vllm")
    assert (recipe.model, recipe.image, recipe.precision) == ("named", None, None)
    assert (point.endpoint.url, point.endpoint.model) == ("http://h:1", "m")
    assert (point.concurrency, point.workload.duration_s) == (1, 4.0)
    assert summary.counts.ok == summary.counts.issued == 2
    assert summary.metrics["ttft"].mean == 0.05
    assert summary.replay.coverage.expected_duration_s == 4
    assert "client-not-audited" in summary.reasons
    assert run.manifest.command == ("aiperf", "profile", "-m", "m")
    assert verify_run(run.bundle.path) == ()


def test_the_zone_of_a_run_is_the_one_in_which_its_first_request_fits(tmp_path) -> None:
    """The file says 13:30 where the first credit was issued at 08:00:00.099 UTC."""
    folder = export(
        tmp_path / "in", line(0, sent=0.1), start_time="2027-01-15T13:30:00",
        end_time="2027-01-15T13:30:04.5",
    )  # fmt: skip
    (point,) = again(folder, tmp_path / "out").points
    (window,) = point.phases
    assert (window.phase, window.start_ns) == (Phase.PROFILING, START)
    assert window.end_ns == START + 4_500_000_000


def test_a_run_that_was_cancelled_is_interrupted(tmp_path) -> None:
    run = again(export(tmp_path / "in", line(0), was_cancelled=True), tmp_path / "out")
    assert run.manifest.state == "interrupted"
    assert "run-interrupted" in run.result.reasons


def test_equal_points_of_one_folder_are_repetitions(tmp_path) -> None:
    for name in ("a", "b"):
        export(tmp_path / "in" / name, line(0))
    run = again(tmp_path / "in", tmp_path / "out")
    assert [point.repetition for point in run.points] == [0, 1]
    assert verify_run(run.bundle.path) == ()


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"datasets": [{"format": "weka_trace", "random_seed": 1}]}, "--concurrency"),
        (
            {"datasets": [{"type": "synthetic", "random_seed": 1}], "phases": [{"concurrency": 1}]},
            "this run replayed no recorded sessions; only replays can be imported",
        ),
        (
            {"datasets": [{"format": "weka_trace"}], "phases": [{"concurrency": 1, "duration": 0}]},
            "duration_s: Input should be greater than 0",
        ),
    ],
)
def test_settings_that_tell_too_little_are_refused(tmp_path, config, why) -> None:
    folder = export(tmp_path / "in", line(0), input_config=config)
    assert why in refusal(lambda: again(folder, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_folder_without_a_run_is_refused(tmp_path) -> None:
    said = refusal(lambda: again(tmp_path, tmp_path / "out"))
    assert said == f"{tmp_path}: no profile_export.jsonl in it; name the artifact folder"


def test_points_of_two_runs_of_infx_are_imported_apart(replayed, exported, tmp_path) -> None:
    other = replay(tmp_path / "run", duration_s=1.0).outcome.run.bundle.path
    manifest = json.loads((other / "manifest.json").read_text())
    manifest["anchor"]["wall_ns"] += 1
    (other / "manifest.json").write_text(json.dumps(manifest))
    both = tmp_path / "both"
    export_run(other, both / "b", format="aiperf")
    export_run(replayed.bundle.path, both / "a", format="aiperf")
    said = refusal(lambda: again(both, tmp_path / "out"))
    assert said == f"{both}: these are points of several runs of infx; import each on its own"


def test_a_point_without_an_end_is_not_given_out(replayed, tmp_path) -> None:
    path = replayed.bundle.path
    copy = tmp_path / "run"
    for file in path.rglob("*"):
        if file.is_file() and file.name != "summary.json":
            place = copy / file.relative_to(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    assert open_run(copy).points
    said = refusal(lambda: export_run(copy, tmp_path / "out", format="aiperf"))
    assert "the point never came to its end" in said


FACTS = {"infmax_model_prefix": "m", "is_multinode": False, "tp": 3}
ROW = {**FACTS, "hw": "b200", "framework": "vllm", "precision": "fp4"}
STATED = Stated(gpus=3, hardware="b200", engine="vllm", precision="fp4")


def test_a_result_of_the_public_client_becomes_its_aggregate_row(tmp_path) -> None:
    """Milliseconds by 1000, tokens a second by 3 GPUs, and 1000/8 ms, 1000/0.5 ms of TPOT."""
    result = {
        "model_id": "m", "num_prompts": 40, "completed": 40, "duration": 2.0, "max_concurrency": 4,
        "total_input_tokens": 480, "total_output_tokens": 60, "request_throughput": 20.0,
        "output_throughput": 30.0, "total_token_throughput": 270.0, "mean_ttft_ms": 250.0,
        "median_ttft_ms": 125.0, "p99_ttft_ms": 500.0, "mean_tpot_ms": 8.0, "std_tpot_ms": 0.5,
        "mean_e2el_ms": 1500.0, "mean_itl_ms": 16.0, "p90_itl_ms": 0.0,
    }  # fmt: skip
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result))
    run = import_results(
        path, tmp_path / "a", stated=STATED, asked=Asked((1024, 1024)), clock=SystemClock()
    )
    out = tmp_path / "rows"
    (written,) = export_run(run.bundle.path, out, format="agg-bmk", facts=FACTS)
    (row,) = json.loads(written.read_text())
    assert {name: one for name, one in row.items() if isinstance(one, float)} == {
        "tput_per_gpu": 90.0, "output_tput_per_gpu": 10.0, "input_tput_per_gpu": 80.0,
        "mean_ttft": 0.25, "median_ttft": 0.125, "p99_ttft": 0.5, "mean_tpot": 0.008,
        "std_tpot": 0.0005, "mean_intvty": 125.0, "std_intvty": 2000.0, "mean_e2el": 1.5,
        "mean_itl": 0.016, "p90_itl": 0.0,
    }  # fmt: skip
    assert (row["isl"], row["osl"], row["conc"], row["hw"]) == (1024, 1024, 4, "b200")


def test_rows_say_the_same_after_going_out_and_in(tmp_path) -> None:
    """Every statistic that a row has comes back, of times, speeds and throughput per GPU."""
    outcome, _, _ = play(
        tmp_path / "a",
        Script(ttft_s=0.37, itl_s=0.013),
        concurrency=(1, 3),
        recipe=BoundRecipe(name="endpoint", gpus=3),
    )
    before = outcome.run
    (rows,) = export_run(before.bundle.path, tmp_path / "b", format="agg-bmk", facts=ROW)
    after = import_rows(rows, tmp_path / "c", clock=SystemClock())
    names = ("ttft", "tpot", "chunk_gap", "e2el", "interactivity")
    names += tuple(f"{kind}_throughput_per_gpu" for kind in ("total", "input", "output"))
    for old, new in zip(before.result.points, after.result.points, strict=True):
        assert new.concurrency == old.concurrency
        for name in names:
            was, now = old.metrics[name], new.metrics[name]
            left_out = {"n", "intervals"} | ({"std"} if name == "interactivity" else set())
            assert now.model_dump(exclude=left_out) == was.model_dump(exclude=left_out), name
    (twice,) = export_run(after.bundle.path, tmp_path / "d", format="agg-bmk", facts=ROW)
    assert json.loads(twice.read_text()) == json.loads(rows.read_text())
