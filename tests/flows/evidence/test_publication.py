"""What shows that launches of TensorRT-LLM behind Dynamo publish their metrics."""

import json
from datetime import date

import pytest

import gitted
import toy_repository as toy
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given

KEY = "toy-fp4-h200-sglang-agentic"
RECIPE = toy.RECIPE.replace("engine: sglang", "engine: {type: trtllm}").replace(
    "frontend: {type: sglang, enable_multiple_frontends: false}", "frontend: {type: dynamo}"
)
ROUTER = "router: {name: dynamo-router, version: 1.5.1}\n  "
PULL = {"number": 42, "title": "T", "body": "B", "author": "ada", "base": "0" * 40}


@pytest.fixture
def repo(tmp_path):
    entry = f"{KEY}:\n  image: acme/sglang:v1"
    master = toy.master(
        (entry, f"{KEY}:\n  {ROUTER}image: acme/trt:v1"),
        ("precision: fp4\n  framework: sglang", "precision: fp4\n  framework: dynamo-trt"),
    )
    made = gitted.repository(tmp_path / "repo", toy.FILES)
    made.git("checkout", "-q", "-b", "change")
    made.commit({"configs/toy-master.yaml": master, "recipes/toy.yaml": RECIPE})
    return made


def facts(repo, tmp_path, **recorded):
    head = repo.git("rev-parse", "HEAD")
    path = tmp_path / "pull.json"
    pull = {**PULL, "head": head, "commits": [head]}
    path.write_text(json.dumps({"pull": pull, **recorded}))
    given = Given(ask=Ask(base="main", folder=repo.root), day=date(2026, 10, 19), pull=path)
    return collect(given, gitted.ENVIRONMENT).submission


def test_the_catalog_states_the_dynamo_that_a_recipe_leaves_out(repo, tmp_path):
    (one,) = facts(repo, tmp_path).publication
    version = one.dynamo_version
    assert (version.name, version.value) == ("router", "1.5.1")
    assert version.cite.path == "configs/toy-master.yaml"
    assert one.scraped is None
    assert "the later launcher turns off" in one.because


def test_a_record_of_the_run_beats_the_catalog_and_has_the_pages(repo, tmp_path):
    place = {"path": "run 900 packages.txt", "line": 12}
    record = {
        "installed": [
            {"config": "another", "name": "ai-dynamo", "version": "1.0.0", "cite": place},
            {"config": KEY, "name": "ai-dynamo", "version": "1.4.2", "cite": place},
        ],
        "pages": [{"config": KEY, "series": ["trtllm_kv_cache_hit_rate"], "cite": place}],
    }
    (one,) = facts(repo, tmp_path, **record).publication
    assert (one.dynamo_version.value, one.dynamo_version.cite.where) == (
        "1.4.2", "run 900 packages.txt:12",
    )  # fmt: skip
    assert one.scraped is True
    record["pages"][0]["series"] = ["dynamo_requests_total"]
    (one,) = facts(repo, tmp_path, **record).publication
    assert one.scraped is False
