"""`infx recipe show` as transcripts."""

import json
from textwrap import dedent

import pytest
import yaml

from transcript import Transcript, refused

TOY = """\
    base:
      schema: 2
      name: toy
      engine: sglang
      resources: {gpu_type: gb200, gpus_per_node: 4}
      roles:
        agg:
          nodes: 1
          workers: 1
          gpus: 4
          args:
            chunked-prefill-size: 16384
            speculative-algorithm: EAGLE
            speculative-num-steps: 3
            speculative-draft-attention-backend: fa4
          env: {LEVEL: 017}
    override_c4:
      roles: {agg: {args: {chunked-prefill-size: 8192, cuda-graph-bs: [1, 2, 4]}}}
      benchmark: {env: {CONC: '4'}}
    override_c20:
      name: "toy: large"
      roles:
        agg:
          args:
            speculative-draft-attention-backend: null
      services: [{name: store, args: ["--port", "8800"]}]
      benchmark: {env: {CONC: '20'}}
"""


@pytest.fixture
def toy(tmp_path):
    (tmp_path / "toy.yaml").write_text(dedent(TOY), encoding="utf-8")


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.usefixtures("toy")
def test_the_bound_recipe(infx):
    said = infx("recipe", "show", "toy.yaml", "--concurrency", 4)
    assert (said.code, said.err) == (0, "")
    head, empty, *body = lines(said.out)
    assert head.startswith(
        "toy.yaml:override_c4; concurrency 4; sglang; 4 GPUs, 1 node; drafts eagle 3; digest "
    )
    assert empty == ""
    assert body == [
        "schema 2",
        "name toy_c4",
        "engine sglang",
        "resources.gpu_type gb200",
        "resources.gpus_per_node 4",
        "roles.agg.nodes 1",
        "roles.agg.workers 1",
        "roles.agg.gpus 4",
        "roles.agg.args.chunked-prefill-size 8192",
        "roles.agg.args.speculative-algorithm EAGLE",
        "roles.agg.args.speculative-num-steps 3",
        "roles.agg.args.speculative-draft-attention-backend fa4",
        "roles.agg.args.cuda-graph-bs [1, 2, 4]",
        'roles.agg.env.LEVEL "017"',
        'benchmark.env.CONC "4"',
    ]


@pytest.mark.usefixtures("toy")
def test_why_each_leaf_is_what_it_is(infx):
    said = infx("recipe", "show", "toy.yaml", "--concurrency", 20, "--why")
    assert lines(said.out)[2:] == [
        "toy.yaml:2 base schema 2",
        'toy.yaml:21 override_c20 name "toy: large" (hides toy of base, toy.yaml:3)',
        "toy.yaml:4 base engine sglang",
        "toy.yaml:5 base resources.gpu_type gb200",
        "toy.yaml:5 base resources.gpus_per_node 4",
        "toy.yaml:8 base roles.agg.nodes 1",
        "toy.yaml:9 base roles.agg.workers 1",
        "toy.yaml:10 base roles.agg.gpus 4",
        "toy.yaml:12 base roles.agg.args.chunked-prefill-size 16384",
        "toy.yaml:13 base roles.agg.args.speculative-algorithm EAGLE",
        "toy.yaml:14 base roles.agg.args.speculative-num-steps 3",
        'toy.yaml:16 base roles.agg.env.LEVEL "017"',
        "toy.yaml:26 override_c20 services[0].name store",
        'toy.yaml:26 override_c20 services[0].args ["--port", "8800"]',
        'toy.yaml:27 override_c20 benchmark.env.CONC "20"',
        (
            "toy.yaml:25 override_c20 roles.agg.args.speculative-draft-attention-backend "
            "removed (hides fa4 of base, toy.yaml:15)"
        ),
    ]


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("flags", [[], ["--why"]])
def test_yaml_is_a_recipe_again(infx, flags):
    as_json = json.loads(infx("recipe", "show", "toy.yaml:*c20", "--format", "json").out)
    said = infx("recipe", "show", "toy.yaml:*c20", "--format", "yaml", *flags)
    assert yaml.safe_load(said.out) == as_json["tree"]


@pytest.mark.usefixtures("toy")
def test_yaml_tells_why_in_comments(infx):
    said = infx("recipe", "show", "toy.yaml:override_c4", "--format", "yaml", "--why")
    assert (
        "      chunked-prefill-size: 8192  # toy.yaml:18 override_c4  "
        "(hides 16384 of base, toy.yaml:12)"
    ) in said.out.splitlines()


@pytest.mark.usefixtures("toy")
def test_json_names_the_chain_of_each_leaf(infx):
    said = infx("recipe", "show", "toy.yaml", "--concurrency", "4,20", "--format", "json", "--why")
    four, twenty = map(json.loads, said.out.splitlines())
    assert (four["variant"], twenty["variant"]) == ("override_c4", "override_c20")
    assert four["why"]["roles.agg.args.chunked-prefill-size"] == [
        {"where": "toy.yaml:18", "layer": "override_c4", "value": 8192},
        {"where": "toy.yaml:12", "layer": "base", "value": 16384},
    ]
    assert four["removed"] == {}
    assert list(twenty["removed"]) == ["roles.agg.args.speculative-draft-attention-backend"]
    assert four["recipe_digest"] != twenty["recipe_digest"]


@pytest.mark.usefixtures("toy")
def test_no_variant_fits(infx):
    assert infx("recipe", "show", "toy.yaml", "--concurrency", 8) == Transcript(
        2,
        "",
        "infx: toy.yaml: no variant fits concurrency 8; "
        "ask for what a variant states, or add a variant\n"
        "infx: toy.yaml:27: override_c20: CONC is 20\n"
        "infx: toy.yaml:19: override_c4: CONC is 4\n",
    )


@pytest.mark.usefixtures("toy")
def test_several_variants_fit(infx):
    assert infx("recipe", "show", "toy.yaml") == Transcript(
        2,
        "",
        "infx: toy.yaml: 2 variants fit an unnamed point; name one: FILE:SELECTOR\n"
        "infx: toy.yaml:20: override_c20 fits: no concurrency is asked\n"
        "infx: toy.yaml:17: override_c4 fits: no concurrency is asked\n",
    )


@pytest.mark.usefixtures("toy")
def test_a_selector_that_names_nothing(infx):
    said = infx("recipe", "show", "toy.yaml:override_c2")
    assert (said.code, said.err) == (
        2,
        "infx: toy.yaml:1: no variant is named override_c2; did you mean override_c20?\n",
    )


OWNED = """\
    schema: 2
    name: toy
    roles: {agg: {nodes: 1, args: {hicache-size: '@dram.per-gpu-gbs'}}}
    model: {path: 'hf:acme/Toy'}
    benchmark: {env: {MODEL: acme/Toy, CONC: '4'}}
"""


def test_keys_that_a_row_states(infx, tmp_path):
    text = dedent(OWNED).replace("gbs", "gb")
    (tmp_path / "old.yaml").write_text(text, encoding="utf-8")
    said = infx("recipe", "show", "old.yaml", "--concurrency", 4)
    refusals = (
        "old.yaml:4: model.path is not a recipe's to state: it is the row's model; remove it",
        (
            "old.yaml:5: benchmark.env.MODEL is not a recipe's to state: "
            "it is the row's model; remove it"
        ),
    )
    assert said.code == 0
    assert said.err == "".join(f"infx: warning: {one}\n" for one in refusals)
    assert infx("recipe", "show", "old.yaml", "--concurrency", 4, "--strict") == Transcript(
        2, "", "".join(f"infx: {one}\n" for one in refusals)
    )


def test_an_expression_that_nothing_defines(infx, tmp_path):
    (tmp_path / "old.yaml").write_text(dedent(OWNED), encoding="utf-8")
    assert infx("recipe", "show", "old.yaml", "--concurrency", 4) == Transcript(
        2,
        "",
        "infx: old.yaml:3: roles.agg.args.hicache-size: @dram.per-gpu-gbs is not defined; "
        "did you mean @dram.per-gpu-gb?\n",
    )


def test_a_recipe_under_a_root(infx, tmp_path):
    folder = tmp_path / "srt-recipes" / "toy"
    folder.mkdir(parents=True)
    text = "name: toy\nresources: {agg_nodes: 1, gpus_per_agg: 4}\nbackend: {type: vllm}\n"
    (folder / "old.yaml").write_text(text, encoding="utf-8")
    found = ("--recipe-root", "srt-recipes")
    said = infx("recipe", "show", "recipes/toy/old.yaml", *found, "--why")
    assert lines(said.out)[2:] == [
        (
            "srt-recipes/toy/old.yaml:3 recipe engine.type vllm "
            "(hides sglang of v1 default, srt-recipes/toy/old.yaml:3)"
        ),
        "srt-recipes/toy/old.yaml:1 recipe name toy",
        "srt-recipes/toy/old.yaml:2 recipe roles.agg.nodes 1",
        "srt-recipes/toy/old.yaml:2 recipe roles.agg.gpus 4",
    ]
    said = infx("recipe", "show", "recipes/toy/olds.yaml", *found)
    assert said == Transcript(
        2,
        "",
        "infx: there is no recipe recipes/toy/olds.yaml; did you mean recipes/toy/old.yaml?\n",
    )


@pytest.mark.usefixtures("toy")
def test_a_recipe_is_looked_for_around_the_catalog_that_is_here(infx, tmp_path):
    home = tmp_path / "catalog" / "recipes" / "acme"
    home.mkdir(parents=True)
    (tmp_path / "catalog" / "own-master.yaml").touch()
    (tmp_path / "toy.yaml").rename(home / "toy.yaml")
    said = infx("recipe", "show", "acme/toy.yaml", "--concurrency", 4)
    assert said.out.startswith("catalog/recipes/acme/toy.yaml:override_c4; concurrency 4; ")
    assert infx("recipe", "show", "acme/tiy.yaml") == refused(
        2, "there is no recipe acme/tiy.yaml; did you mean acme/toy.yaml?"
    )
    assert infx("recipe", "show", "other/toy.yaml") == refused(
        2,
        "there is no recipe other/toy.yaml; looked in catalog/recipes; name one: --recipe-root DIR",
    )
    assert infx("recipe", "show", "catalog") == refused(
        2, "catalog: this is a folder; name a file in it"
    )


@pytest.mark.usefixtures("toy")
def test_a_shared_block_lies_under_the_recipe(infx, tmp_path):
    (tmp_path / "lane.yaml").write_text("benchmark: {type: custom}\n", encoding="utf-8")
    said = infx("recipe", "show", "toy.yaml:override_c4", "--shared", "lane.yaml", "--why")
    assert "lane.yaml:1 shared block benchmark.type custom" in lines(said.out)
