"""Artifacts, scripts and texts of strangers: read safely, or refused by name."""

import json
from datetime import date
from zipfile import ZipFile

import pytest

import gitted
import submitted
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given
from refusals import refusal
from submitted import MUSE, RECIPE, RUN

ROW = submitted.agentx_row(4, p90=10.0, p75=8.0, per_gpu=100.0)


def facts(repo, **more):
    ask = Ask(base="main", folder=repo.root)
    given = Given(ask=ask, day=date(2026, 10, 19), **more)
    return collect(given, gitted.ENVIRONMENT).submission


@pytest.fixture
def repo(tmp_path):
    return submitted.smaller_cache(tmp_path / "repo")


def test_archives_of_one_run_are_read_together(repo, tmp_path):
    rows, scores = tmp_path / "rows.zip", tmp_path / "scores.zip"
    with ZipFile(rows, "w") as archive:
        archive.writestr("results_bmk/agg_bmk.json", json.dumps([ROW]))
    with ZipFile(scores, "w") as archive:
        archive.writestr("agg_eval_all.json", json.dumps([submitted.eval_row()]))
    found = facts(repo, artifacts=(f"{RUN}={rows}", f"{RUN}={scores}"))
    assert [one.measured for one in found.curves] == [1, 1]
    assert [one.run for one in found.evals] == [RUN]


def test_an_archive_that_leads_out_is_refused(repo, tmp_path):
    path = tmp_path / "rows.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("../agg_bmk.json", "[]")
    said = refusal(lambda: facts(repo, artifacts=(f"{RUN}={path}",)))
    assert "leads out of the archive" in said


def test_links_in_a_folder_are_not_followed(repo, tmp_path):
    folder = tmp_path / str(RUN)
    folder.mkdir()
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps([ROW]))
    (folder / "agg_bmk.json").symlink_to(secret)
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "agg_bmk.json").write_text(json.dumps([ROW]))
    (folder / "linked").symlink_to(tmp_path / "else")
    assert facts(repo, artifacts=(str(folder),)).curves == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 200 + "]" * 200, "deep"),
        ('[{"task": "a", "task": "b"}]', "agg_eval_all.json:1"),
        ('{"rows": []}', "holds no list of rows"),
        ("[1e999]", "too large for a number"),
        ("[NaN", "this is not JSON"),
        ("\udcff", "not UTF-8"),
    ],
)
def test_json_that_is_meant_to_hurt_is_refused(repo, tmp_path, text, said):
    folder = tmp_path / str(RUN)
    folder.mkdir()
    (folder / "agg_eval_all.json").write_bytes(text.encode(errors="surrogateescape"))
    assert said in refusal(lambda: facts(repo, artifacts=(str(folder),)))


def test_nobody_says_whose_artifacts_they_are(repo, tmp_path):
    said = refusal(lambda: facts(repo, artifacts=(str(tmp_path), f"x={tmp_path}")))
    assert len(said.splitlines()) == 2


SETUP = ("  health_check:", "  setup_script: prepare.sh\n  health_check:")
PATCH = "#!/bin/bash\nsed -i s/1/2/ /usr/lib/python3/site-packages/sglang/srt/server.py\n"
PAGE = """---
pr: 42
configs: [{config}]
image: {image}
files: [{{path: configs/prepare.sh, sha256: {digest}}}]
effects: [edit]
upstream: [https://github.com/sgl-project/sglang/pull/1]
removal: {{condition: merged upstream, by: 2026-12-31}}
approved_by: [ada]
---
# Why
"""


def patched(root):
    repo = submitted.repository(root)
    files = {**submitted.edited(RECIPE, SETUP), "configs/prepare.sh": PATCH}
    repo.commit({**files, **submitted.entry(MUSE)})
    return repo


def test_a_setup_script_is_read_to_what_it_changes(tmp_path):
    repo = patched(tmp_path)
    found = facts(repo)
    (one,) = [patches.report for patches in found.patches]
    edit = next(effect for effect in one.effects if effect.kind == "edit")
    assert (edit.file, edit.line, edit.place) == ("configs/prepare.sh", 2, "engine")
    assert [patches.new for patches in found.patches] == [True]
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "change")
    repo.git("checkout", "-q", "-B", "change")
    repo.commit(submitted.edited("nvidia-master.yaml", ("28, 32]", "28]")))
    assert [patches.new for patches in facts(repo).patches] == [False]


def test_waivers_are_told_with_who_brings_and_links_them(tmp_path):
    repo = patched(tmp_path / "repo")
    digest = facts(repo).patches[0].report.sha256["configs/prepare.sh"]
    page = PAGE.format(config=MUSE, image=submitted.IMAGE, digest=digest)
    head = repo.commit({"docs/waiver/42.md": page, "docs/waiver/41.md": "no head\n"})
    comment = {
        "url": "https://forge.example/1", "form": "comment", "author": "ada", "body": "",
        "author_type": "user", "created": "2026-10-18T10:00:00Z",
    }  # fmt: skip
    signed = "As a PR reviewer and CODEOWNER, see docs/waiver/42.md"
    record = {
        "pull": {
            "number": 42, "title": "", "author": "ada", "base": "0" * 40, "head": head,
            "commits": [head], "body": "Concurrency 1 and 2.",
        },
        "comments": [{**comment, "body": signed}, {**comment, "body": "docs/waiver/41.md"}],
    }  # fmt: skip
    (tmp_path / "pull.json").write_text(json.dumps(record))
    found = facts(repo, pull=tmp_path / "pull.json")
    other, mine = found.waivers
    assert (other.waiver, other.unreadable, other.linked) == (None, "it has no front matter", False)
    assert (mine.waiver.pr, mine.brought, mine.linked) == (42, True, True)
    assert found.claims is not None
