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
    found = facts(repo)
    drafts = found.drafts
    assert [one.variant for one in drafts][:2] == ["override_c1", "override_c2"]
    assert {one.kv_how for one in drafts if one.variant == "override_c1"} == {"forced"}
    (banned,) = found.recipes[0].banned
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


UNREADABLE = ("multinode: false", "multinode: maybe")


def test_an_entry_that_the_base_cannot_read_is_changed_and_all_its_points_are_new(tmp_path):
    repo = submitted.repository(tmp_path)
    text = submitted.text("laptop-master.yaml")
    repo.git("checkout", "-q", "main")
    repo.commit({"laptop-master.yaml": text.replace(*UNREADABLE, 1)})
    repo.git("checkout", "-q", "-B", "change")
    repo.commit({"laptop-master.yaml": text, **submitted.edited(RECIPE, (": 120", ": 100"))})
    told = gathered(repo)
    assert {one.key: one.change for one in told.submission.configs} == {
        SMOL: "changed", MUSE: "recipe",
    }  # fmt: skip
    bases = {one.config: one.base_digest for one in told.submission.points}
    assert bases[SMOL] is None
    assert bases[MUSE] is not None
    assert any("multinode" in str(one) for one in told.said)


def test_a_measured_catalog_that_cannot_be_read_asks_for_no_jobs(tmp_path):
    repo = submitted.smaller_cache(tmp_path)
    recipe = submitted.edited("nvidia-master.yaml", UNREADABLE)
    measured = repo.commit(recipe)
    repo.commit({"nvidia-master.yaml": submitted.text("nvidia-master.yaml")})
    found = facts(repo, measured=measured)
    assert found.expected_jobs is None
    assert found.unknown["expected_jobs"].startswith("the catalog of the measured commit cannot")
    assert all(point.measured_digest is None for point in found.points)


def test_an_append_only_entry_and_what_earlier_points_rest_on(tmp_path):
    repo = submitted.repository(tmp_path)
    script = submitted.edited(
        RECIPE, ("  health_check:", "  setup_script: prepare.sh\n  health_check:")
    )
    repo.git("checkout", "-q", "main")
    repo.commit({**script, "configs/prepare.sh": "true\n"})
    repo.git("checkout", "-q", "-B", "change")
    repo.commit({"configs/prepare.sh": "false\n", **submitted.entry(MUSE, "  append-only: true")})
    found = facts(repo)
    assert found.changelog.entries[0].append_only is True
    assert found.changelog.entries[0].evals == "default"
    assert [(one.key, one.change) for one in found.configs] == [(MUSE, "script")]
    repo.commit(submitted.edited("nvidia-master.yaml", ("28, 32]", "28, 32, 40]")))
    (base,) = [one for one in facts(repo).closures if one.side == "base"]
    assert base.config == MUSE
    assert base.concurrencies == (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
    (file,) = base.files
    assert file.path == "configs/prepare.sh"
    assert f"{RECIPE}:" in file.via
    assert file.base != file.head


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
        artifacts=(
            str(submitted.artifacts(tmp_path, submitted.agentic_rows(), [submitted.eval_row()])),
        ),
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
