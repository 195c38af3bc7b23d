"""infx recipe diff: leaves, effects, formats, and what a reference may name."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

import gitted
from transcript import Infx, refused

TOY = dedent("""\
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
            tensor-parallel-size: 4
            kv-cache-dtype: fp8_e4m3
            speculative-algorithm: DFLASH
            speculative-num-draft-tokens: 8
            speculative-draft-attention-backend: fa4
    override_c8:
      roles: {agg: {args: {max-running-requests: 16}}}
      benchmark: {env: {CONC: '8'}}
    override_c20:
      roles:
        agg:
          args:
            speculative-draft-attention-backend: null
            max-running-requests: 16
      benchmark: {env: {CONC: '20'}}
    """)

DRAFT_KV = """\
- agg speculative-draft-kv-cache-dtype: bfloat16 (forced: fa4 cannot read quantized KV: a DFlash \
draft gets the compute dtype, whatever was asked)
+ agg speculative-draft-kv-cache-dtype: fp8_e4m3 (inherited from kv-cache-dtype: a draft without \
a KV dtype of its own inherits the target's)
  depends on the image; \
SGLang 0.5.23, configure_kv_cache_dtype in srt/mem_cache/kv_cache_dtype.py; \
SGLang 0.5.23, Spec in srt/arg_groups/fields/spec.py
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.yaml"
    path.write_text(TOY)
    return path


def test_what_a_removed_draft_backend_changes(toy: Path, infx: Infx) -> None:
    said = infx("recipe", "diff", "toy.yaml", "--concurrency", "8,20")
    head, effects = said.out.split("what follows\n")
    assert said.code == 0
    assert head == dedent("""\
        A toy.yaml at concurrency 8
        B toy.yaml at concurrency 20

        benchmark.env
        - CONC: 8   toy.yaml:19
        + CONC: 20  toy.yaml:26

        recipe
        - name: toy_c8   toy.yaml:3
        + name: toy_c20  toy.yaml:3

        roles.agg.args
        - speculative-draft-attention-backend: fa4      toy.yaml:16
        + speculative-draft-attention-backend: removed  toy.yaml:24

        """)
    assert effects.startswith("- agg speculative-draft-attention-backend: fa4 (stated)\n")
    assert "+ agg speculative-draft-attention-backend: trtllm_mha (inherited from" in effects
    assert DRAFT_KV in effects
    assert effects.endswith("rules were read in SGLang 0.5.23; the image has no known version\n")


def test_another_variant_of_the_same_file(toy: Path, infx: Infx) -> None:
    said = infx("recipe", "diff", "toy.yaml:override_c8", ":override_c20", "--format", "json")
    found = json.loads(said.out)
    assert (found["a"], found["b"]) == ("toy.yaml:override_c8", "toy.yaml:override_c20")
    removed = [one for one in found["leaves"] if one["kind"] == "removed"]
    assert removed == [
        {
            "kind": "removed",
            "path": ["roles", "agg", "args", "speculative-draft-attention-backend"],
            "role": "agg",
            "before": {"value": "fa4", "where": "toy.yaml:16"},
            "after": {"value": None, "where": "toy.yaml:24"},
        }
    ]
    effects = {one["setting"]: one for one in found["effects"]}
    kv = effects["speculative-draft-kv-cache-dtype"]
    assert (kv["before"]["value"], kv["after"]["value"]) == ("bfloat16", "fp8_e4m3")
    assert kv["after"]["inherited_from"] == "kv-cache-dtype"
    assert kv["certain"] is False


def test_a_file_in_a_commit(tmp_path: Path, infx: Infx) -> None:
    repo = gitted.repository(tmp_path, {"recipes/toy.yaml": TOY})
    repo.write({"recipes/toy.yaml": TOY.replace("gpus: 4", "gpus: 8")})
    said = infx(
        "recipe", "diff", "HEAD:recipes/toy.yaml:override_c8", "recipes/toy.yaml:override_c8"
    )
    assert said.out == dedent("""\
        A HEAD:recipes/toy.yaml:override_c8
        B recipes/toy.yaml:override_c8

        roles.agg
        - gpus: 4  HEAD:recipes/toy.yaml:10
        + gpus: 8  recipes/toy.yaml:10

        rules were read in SGLang 0.5.23; the image has no known version
        """)


def test_equal_recipes(toy: Path, infx: Infx) -> None:
    said = infx(
        *("recipe", "diff", "toy.yaml:override_c8", "toy.yaml:override_c8"),
        *("--image", "lmsysorg/sglang:v0.5.23"),
    )
    assert said.out == ("A toy.yaml:override_c8\nB toy.yaml:override_c8\n\nno leaf differs\n")


def test_markdown(toy: Path, infx: Infx) -> None:
    said = infx("recipe", "diff", "toy.yaml:override_c8", ":override_c20", "--format", "markdown")
    assert (
        "| roles.agg.args.speculative-draft-attention-backend | fa4 toy.yaml:16 | - toy.yaml:24 |"
        in said.out.splitlines()
    )


def test_what_names_nothing(toy: Path, tmp_path: Path, infx: Infx) -> None:
    gitted.repository(tmp_path, {"toy.yaml": TOY})
    assert infx("recipe", "diff", "toy.yaml:override_c8", "nowhere:toy.yaml") == refused(
        2, "nowhere is neither a recipe nor a commit; write FILE:SELECTOR or REV:FILE:SELECTOR"
    )
    assert infx("recipe", "diff", "toy.yaml:override_c8", "HEAD:gone.yaml") == refused(
        2, "HEAD has no file gone.yaml; name it from this folder"
    )
    assert infx("recipe", "diff", "toy.yaml:override_c8", ":override_c21") == refused(
        2, "toy.yaml:1: no variant is named override_c21; did you mean override_c20?"
    )
    assert infx("recipe", "diff", "toy.yaml") == refused(
        2, "diff compares two recipes, or one at two concurrencies; infx recipe diff --help"
    )
