"""Facts of a submission: from a repository, runs and a record, and nothing but facts."""

import json
from datetime import date
from pathlib import Path

import pytest

import bundled
import gitted
import submitted
from factual import judgements
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given
from infx.flows.verify import verify
from infx.store import evidence
from refusals import refusal
from submitted import MUSE, RECIPE, RUN, SMOL

DAY = date(2026, 10, 19)


def gathered(repo, **more):
    ask = Ask(base="main", folder=repo.root)
    return collect(Given(ask=ask, day=DAY, **more), gitted.ENVIRONMENT)


def facts(repo, **more):
    return gathered(repo, **more).submission


def test_a_changed_recipe_is_told_with_its_points_on_all_sides(tmp_path):
    repo = submitted.smaller_cache(tmp_path)
    found = facts(repo, measured="HEAD")
    (config,) = found.configs
    assert (config.key, config.change, config.hardware) == (MUSE, "recipe", "gb200")
    assert (config.cite.path, config.cite.at) == ("nvidia-master.yaml", found.head)
    line = submitted.text("nvidia-master.yaml").splitlines()[config.cite.line - 1]
    assert line == f"{MUSE}:"
    assert config.thinking == "thinking_on"
    measured = [point for point in found.points if not point.eval]
    assert [point.concurrency for point in measured] == [1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32]
    assert all(p.digest == p.measured_digest != p.base_digest for p in measured)
    assert all(p.base_digest is not None for p in measured)
    assert [point.concurrency for point in found.points if point.eval] == [32]
    assert [job.concurrency for job in found.expected_jobs if job.kind == "eval"] == [(32,)]
    assert len(found.expected_jobs) == 13


def test_effective_settings_have_the_line_of_the_layer_that_won(tmp_path):
    found = facts(submitted.smaller_cache(tmp_path))
    first = next(one for one in found.recipes if one.concurrencies == (1,))
    size = first.roles["agg"].args["hicache-size"]
    assert (size.value, size.layer, size.cite.path) == (100, "base", RECIPE)
    lines = submitted.text(RECIPE).splitlines()
    assert lines[size.cite.line - 1].strip() == "hicache-size: 120"
    most = first.roles["agg"].args["max-running-requests"]
    assert (most.value, most.layer) == (4, "override_c1")
    assert first.roles["agg"].env["SGLANG_TIMEOUT_KEEP_ALIVE"].value == "900"
    assert (first.frontend, first.dynamo_version) == ("sglang", None)


def test_acceptance_is_that_of_the_curve_and_nobody_saw_a_server(tmp_path):
    found = facts(submitted.smaller_cache(tmp_path))
    row = next(one for one in found.acceptance if one.concurrency == (10,))
    assert (row.curve, str(row.expected), row.draft_tokens) == (
        "musespark_dflash thinking_on", "4.05", 7,
    )  # fmt: skip
    assert row.observed is None
    assert [one.concurrency for one in found.acceptance if one.eval] == [(32,)]


def test_a_draft_is_told_with_what_decides_it(tmp_path):
    repo = submitted.repository(tmp_path)
    variable = "PYTHONUNBUFFERED: '1'\n        SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE: 'yes'"
    repo.commit(submitted.edited(RECIPE, ("PYTHONUNBUFFERED: '1'", variable)))
    drafts = facts(repo).drafts
    assert [one.variant for one in drafts][:2] == ["override_c1", "override_c2"]
    assert {one.kv_how for one in drafts if one.variant == "override_c1"} == {"forced"}
    (banned,) = drafts[0].banned
    assert (banned.name, banned.value) == ("SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE", "yes")
    assert drafts[0].allowed is True
    assert "its checkpoint was not read" in drafts[0].why_unknown


def test_checkpoints_tell_what_ships(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    draft = tmp_path / "draft"
    draft.mkdir()
    (draft / "config.json").write_text('{"torch_dtype": "bfloat16"}')
    name = "RadixArk/Muse-Spark-Open-DFlash2"
    found = facts(repo, checkpoints=(f"{name}@46c90f41={draft}",))
    last = found.drafts[-1]
    assert (last.shipped.weights, last.revision, last.registered) == (
        "bf16",
        "46c90f41",
        "46c90f41",
    )


def test_points_that_only_one_side_has(tmp_path):
    repo = submitted.repository(tmp_path)
    edit = ("conc-list: [1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32]", "conc-list: [1, 2, 4]")
    repo.commit(submitted.edited("nvidia-master.yaml", edit))
    found = facts(repo)
    (config,) = found.configs
    assert config.change == "changed"
    now = [point.concurrency for point in found.points if point.digest and not point.eval]
    gone = [point.concurrency for point in found.points if point.digest is None]
    assert (now, gone) == ([1, 2, 4], [6, 8, 10, 12, 16, 20, 24, 28, 32])
    assert all(p.digest == p.base_digest for p in found.points if p.digest)


def test_a_recipe_that_does_not_bind_leaves_its_points_without_one(tmp_path):
    repo = submitted.repository(tmp_path)
    repo.commit(submitted.edited("nvidia-master.yaml", ("[1, 2, 4, 6", "[1, 2, 3, 4, 6")))
    told = gathered(repo)
    assert any("no variant fits concurrency 3" in str(one) for one in told.said)
    assert all(3 not in one.concurrencies for one in told.submission.recipes)
    assert any(point.concurrency == 3 for point in told.submission.points)


def test_what_was_measured_is_another_commit_than_the_head(tmp_path):
    repo = submitted.smaller_cache(tmp_path)
    measured = repo.git("rev-parse", "HEAD")
    repo.commit(submitted.edited(RECIPE, ("hicache-size: 120", "hicache-size: 90")))
    found = facts(repo, measured=measured)
    assert found.measured == measured != found.head
    digests = {(p.digest, p.measured_digest, p.base_digest) for p in found.points}
    assert all(len(set(three)) == 3 for three in digests)


def test_added_and_removed_entries_and_those_beside_them(tmp_path):
    repo = submitted.repository(tmp_path)
    text = submitted.text("laptop-master.yaml").replace(SMOL, f"{SMOL}-two")
    repo.commit({"laptop-master.yaml": text})
    found = facts(repo)
    assert {one.key: one.change for one in found.configs} == {
        f"{SMOL}-two": "added", SMOL: "removed",
    }  # fmt: skip
    assert MUSE in {one.key for one in found.others}
    assert not {SMOL, f"{SMOL}-two"} & {one.key for one in found.others}


def test_an_append_only_entry_and_what_earlier_points_rest_on(tmp_path):
    repo = submitted.repository(tmp_path)
    script = submitted.edited(
        RECIPE, ("  health_check:", "  setup_script: prepare.sh\n  health_check:")
    )
    repo.git("checkout", "-q", "main")
    repo.commit({**script, "configs/prepare.sh": "true\n"})
    repo.git("checkout", "-q", "-B", "change")
    repo.commit({"configs/prepare.sh": "false\n", **submitted.entry(MUSE, "  append-only: true")})
    changelog = gathered_changelog(repo)
    assert changelog.entries[0].append_only is True
    assert changelog.entries[0].evals == "no-evals"
    assert changelog.closure_changed == ()  # no point of an affected entry
    repo.commit(submitted.edited("nvidia-master.yaml", ("28, 32]", "28, 32, 40]")))
    touched = gathered_changelog(repo).closure_changed
    assert {one.path for one in touched} == {"configs/prepare.sh"}
    assert f"point {MUSE} c1" in {one.value for one in touched}


def gathered_changelog(repo):
    return facts(repo).changelog


def agentic_rows():
    """Twelve points whose latency and throughput both grow, but for c24 which is dominated."""
    concurrencies = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
    rows = []
    for place, concurrency in enumerate(concurrencies):
        speed = 50.0 if concurrency == 24 else 100.0 * (place + 1)
        rows.append(
            submitted.agentx_row(
                concurrency, p90=10.0 * (place + 1), p75=8.0 * (place + 1), per_gpu=speed
            )
        )
    return rows


def test_artifacts_become_curves_evals_and_clients(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    folder = submitted.artifacts(tmp_path, agentic_rows(), [submitted.eval_row()])
    found = facts(repo, measured="HEAD", artifacts=(str(folder),))
    assert [(one.percentile, one.measured) for one in found.curves] == [("p90", 12), ("p75", 12)]
    assert found.curves[0].frontier == (1, 2, 4, 6, 8, 10, 12, 16, 20, 28, 32)
    assert found.curves[0].configs == (MUSE,)
    assert found.curves[0].gaps == ()
    (score,) = found.evals
    assert (score.run, score.score, score.samples, score.split) == (RUN, 0.9803, 1319, 1319)
    assert (str(score.floor), score.floor_of) == ("0.90", "default gsm8k")
    assert (score.config, score.concurrency, score.cite.line) == (MUSE, (32,), 2)
    (client,) = found.clients
    assert (client.foreign, client.certified, client.chat_requests) == (True, None, None)


def test_figures_that_are_none_are_told_as_no_evidence(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    rows = agentic_rows()
    rows[0]["request_metrics"]["latency"]["e2el"]["p90"] = -1.0
    rows[1]["request_metrics"]["throughput"] = {}
    found = facts(repo, artifacts=(str(submitted.artifacts(tmp_path, rows)),))
    assert [one.invalid for one in found.curves] == [(1, 2), (2,)]


def test_a_score_that_is_no_number_is_its_text(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    scores = json.dumps([submitted.eval_row(score=float("nan"), score_se="N/A", n_eff=200)])
    folder = submitted.artifacts(tmp_path, [], scores)
    (score,) = facts(repo, artifacts=(str(folder),)).evals
    assert (score.score, score.score_se, score.samples) == ("NaN", None, 200)


def test_rows_of_other_entries_are_passed_over(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    others = [
        {**submitted.agentx_row(4, p90=1.0, p75=1.0, per_gpu=1.0), **change}
        for change in ({"hw": "b200"}, {"precision": "fp8"}, {"framework": "vllm"}, {"conc": 5})
    ]
    found = facts(repo, artifacts=(str(submitted.artifacts(tmp_path, others)),))
    assert (found.curves, found.clients) == ((), ())


def test_all_bad_rows_are_named_at_their_lines(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    rows = [{**agentic_rows()[0], "conc": "1"}, {"hw": "b200"}]
    folder = submitted.artifacts(tmp_path, rows)
    said = refusal(lambda: facts(repo, artifacts=(str(folder),)))
    assert "agg_bmk.json:5: 0.conc" in said
    assert len([line for line in said.splitlines() if "agg_bmk.json" in line]) >= 3


def test_a_bundle_tells_its_client_workload_and_run(tmp_path):
    repo = submitted.repository(tmp_path / "repo")
    edit = ("conc-end: 8, srt-recipe: llamacpp.yaml", "conc-end: 16, srt-recipe: llamacpp.yaml")
    repo.commit(submitted.edited("laptop-master.yaml", edit))
    bundle = bundled.finished(tmp_path / "runs", 1, 16)
    found = facts(repo, measured="HEAD", runs=(str(bundle),))
    (run,) = found.runs
    assert (run.id, run.event, run.head) == (20270115080000, "local", found.head)
    assert [(job.concurrency, job.conclusion) for job in run.jobs] == [
        ((1,), "success"), ((16,), "success"),
    ]  # fmt: skip
    (client,) = found.clients
    assert (client.tool, client.foreign, client.certified) == ("infx 0.1.0", False, True)
    assert (client.endpoint, client.chat_requests, client.completions) == (
        "/v1/chat/completions", 6, 0,
    )  # fmt: skip
    one = found.workloads[0]
    assert (one.facts["isl"], one.facts["osl"]) == (64, 16)
    assert (one.required["isl"], one.required["osl"]) == (64, 32)
    (curve,) = found.curves
    assert (curve.percentile, curve.measured, curve.invalid) == ("p50", 2, (1, 16))


def test_several_entries_ask_whose_bundle_it_is(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    repo.commit(submitted.edited("laptop-master.yaml", ("osl: 32", "osl: 16")))
    bundle = bundled.finished(tmp_path / "runs", 1)
    said = refusal(lambda: facts(repo, runs=(str(bundle), f"muse={bundle}")))
    assert "nobody says which entry it measured; write ENTRY=FOLDER" in said
    assert "no affected entry 'muse'" in said
    assert len(facts(repo, runs=(f"{SMOL}={bundle}",)).clients) == 1


PULL = {"number": 42, "title": "T", "body": "B", "author": "ada", "base": "0" * 40}


def record(path, head, **more):
    path.write_text(json.dumps({"pull": {**PULL, "head": head, "commits": [head]}, **more}))
    return path


def test_a_record_gives_the_parts_that_it_has(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    head = repo.git("rev-parse", "HEAD")
    why = {"comments": "the forge was away"}
    found = facts(repo, pull=record(tmp_path / "pull.json", head, unknown=why))
    assert found.pull.number == 42
    assert (found.comments, found.unknown["comments"]) == (None, "the forge was away")
    assert "pull" not in found.unknown
    assert found.unknown["owners"] == "the record of the pull request does not have it"
    said = refusal(lambda: facts(repo, pull=record(tmp_path / "other.json", "1" * 40)))
    assert f"it records 111111111111, and HEAD is {head[:12]}" in said


def test_an_unknown_commit_or_branch_is_refused(tmp_path):
    repo = submitted.smaller_cache(tmp_path)
    assert "no commit is called 'nowhere'" in refusal(lambda: facts(repo, measured="nowhere"))
    ask = Ask(base="nowhere", folder=Path(tmp_path))
    said = refusal(lambda: collect(Given(ask=ask, day=DAY), gitted.ENVIRONMENT))
    assert "no commit is called 'nowhere'" in said


def test_every_part_is_there_or_says_why_not(tmp_path):
    found = facts(submitted.smaller_cache(tmp_path))
    heads = {"evidence", "day", "head", "base", "measured", "unknown"}
    missing = {name for name in type(found).model_fields if getattr(found, name) is None} - heads
    assert missing == set(found.unknown)


@pytest.fixture
def whole(tmp_path):
    """Evidence with every kind of part that can be gathered."""
    repo = submitted.smaller_cache(tmp_path / "repo")
    repo.commit(submitted.edited("laptop-master.yaml", ("osl: 32", "osl: 16")))
    head = repo.git("rev-parse", "HEAD")
    return gathered(
        repo,
        measured="HEAD",
        artifacts=(str(submitted.artifacts(tmp_path, agentic_rows(), [submitted.eval_row()])),),
        runs=(f"{SMOL}={bundled.finished(tmp_path / 'runs', 1, 8)}",),
        pull=record(tmp_path / "pull.json", head),
    )


def test_no_fact_is_a_judgement(whole):
    """A forge's conclusion of a job and a registry's word on a key are facts of others."""
    assert judgements(whole.submission) == []
    noted = whole.submission.model_copy(update={"unknown": {"outputs": "status: all good"}})
    assert judgements(noted) == [(("unknown", "outputs"), "status: all good")]


def test_the_same_facts_have_the_same_folder_and_can_be_judged(whole, tmp_path):
    folders = {evidence.write(tmp_path / "out", whole.submission, whole.files) for _ in range(2)}
    (folder,) = folders
    read = evidence.read(folder)
    assert read.submission.configs == whole.submission.configs
    assert f"artifacts/{RUN}/agg_bmk.json" in read.files
    assert f"head/{RECIPE}" in read.files
    assert any(path.endswith("/summary.json") for path in read.files)
    results = {one.check: one.status for one in verify(folder).judgement.results}
    assert results["curve-density"] in ("PASS", "WARN")
    assert results["owner-sign-off"] == "FAIL"
