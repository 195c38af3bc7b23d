"""What differs from the base at points that both sides have, and claims that rest on it."""

import json
from datetime import date

import gitted
import submitted
import toy_repository as toy
from factual import judgements
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given
from submitted import MUSE, RECIPE

PULL = {"number": 42, "title": "T", "author": "ada", "base": "0" * 40}


def facts(repo, **more):
    given = Given(ask=Ask(base="main", folder=repo.root), day=date(2026, 10, 19), **more)
    return collect(given, gitted.ENVIRONMENT).submission


def described(tmp_path, repo, body):
    """Return the claims of a body beside the facts of the repository's head."""
    head = repo.git("rev-parse", "HEAD")
    path = tmp_path / "pull.json"
    path.write_text(json.dumps({"pull": {**PULL, "body": body, "head": head, "commits": [head]}}))
    return [(one.subject, one.equal, one.actual) for one in facts(repo, pull=path).claims]


def test_a_setting_that_differs_is_told_once_for_all_its_points(tmp_path):
    repo = submitted.smaller_cache(tmp_path)
    found = facts(repo)
    (row,) = found.changes
    assert (row.config, row.why) == (MUSE, None)
    assert row.concurrencies == (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
    (change,) = row.changes
    assert (change.name, change.role) == ("hicache-size", "agg")
    assert (change.before, change.after) == (120, 100)
    assert (change.cite.path, change.cite.value) == (RECIPE, "100")
    assert judgements(found) == []


def test_a_claim_that_only_one_thing_changed_is_compared_with_the_base(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    told = "hicache-size 120 became 100"
    assert described(tmp_path, repo, "Only the HiCache size changed.\nThe draft is the same.") == [
        ("only-changed", True, told),
        ("unchanged", True, "nothing of it changed"),
    ]
    assert described(tmp_path, repo, "Only the draft changed.\nHiCache stays unchanged.") == [
        ("only-changed", False, told),
        ("unchanged", False, told),
    ]


def test_new_points_are_compared_with_nothing(tmp_path):
    repo = submitted.repository(tmp_path)
    repo.commit(submitted.edited("nvidia-master.yaml", ("28, 32]", "28, 32, 40]")))
    (row,) = facts(repo).changes
    assert 40 not in row.concurrencies
    assert row.changes == ()


def test_fields_of_the_matrix_and_launch_scripts_count(tmp_path):
    script = "benchmarks/single_node/fixed_seq_len/toy_fp8_h200.sh"
    launch = "python3 -m sglang.launch_server --tp $TP --log-level {} &\n"
    repo = gitted.repository(tmp_path, {**toy.FILES, script: launch.format("info")})
    repo.git("checkout", "-q", "-b", "change")
    repo.commit({
        script: launch.format("error"),
        "configs/toy-master.yaml": toy.master(("- tp: 4\n        ep: 4", "- tp: 8\n        ep: 4")),
    })  # fmt: skip
    (row,) = facts(repo).changes
    assert [(one.name, one.before, one.after) for one in row.changes] == [
        ("row.tp", 4, 8), ("log-level", "info", "error"), ("tp-size", 4, 8),
    ]  # fmt: skip


def test_a_launch_that_cannot_be_told_is_a_reason(tmp_path):
    repo = gitted.repository(tmp_path, toy.FILES)
    repo.git("checkout", "-q", "-b", "change")
    end = "  model: acme/Toy\n  model-prefix: toy\n  runner: h200"
    edit = (f"image: acme/sglang:v1\n{end}", f"image: acme/sglang:v2\n{end}")
    repo.commit({"configs/toy-master.yaml": toy.master(edit)})
    (row,) = facts(repo).changes
    assert row.changes is None
    assert row.why.startswith("no recipe that binds, and no script that can be read")


def test_command_lines_of_a_script_are_compared_in_their_order(tmp_path):
    script = "benchmarks/single_node/fixed_seq_len/toy_fp8_h200.sh"
    launch = "S=1\nif test $X; then S=2; fi\nvllm serve m --seed $S --port {}\n"
    repo = gitted.repository(tmp_path, {**toy.FILES, script: launch.format(1)})
    repo.git("checkout", "-q", "-b", "change")
    master = {"configs/toy-master.yaml": toy.master(("[4, 8]", "[4, 8, 16]"))}
    repo.commit({**master, script: launch.format(2)})
    (row,) = facts(repo).changes
    assert [(one.name, one.before, one.after) for one in row.changes] == [("port", 1, 2)]
    repo.commit({script: launch.format(2).replace("if test", "if false; then S=3; fi; if test")})
    (row,) = facts(repo).changes
    assert row.why == "its script may start 2 servers at the base, and 3 at the head"
