"""A caller can neither supply golden acceptance, nor erase it, nor lose a variant over it."""

import pytest

from golden_curves import recipe, shipped, written
from infx.recipes.acceptance.overrides import (
    apply,
    collapsed,
    erased,
    read_overrides,
    supplied,
    supplied_by_settings,
)
from infx.recipes.acceptance.plan import Conditions, plan
from refusals import refusal

LOOKED_UP = "acceptance lengths are looked up in the golden curves, never supplied; remove it"
SPEC = '{"method":"mtp","num_speculative_tokens":3}'


def of(engine, args, prefix="qwen3.5"):
    conditions = Conditions(model_prefix=prefix, thinking="thinking_on")
    return plan(recipe(engine, args), conditions, shipped())


@pytest.mark.parametrize(
    "text",
    [
        'roles.agg.env.SGLANG_SIMULATE_ACC_LEN="3.9"',
        'environment.TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS="3"',
        'roles.agg.env={"A":"1","TILERT_SIMULATE_ACC_LEN":"3"}',
        "roles.agg.args.spec-decode-acceptance-length=3.9",
        "roles.agg.args.spec_decode_acceptance_rate=0.9",
        'roles.agg.args.speculative-config={"synthetic_acceptance_length":3.9}',
        'roles.agg.args.speculative-config="{\\"synthetic_acceptance_rates\\":[1]}"',
        'roles.agg={"args":{"speculative-config":{"synthetic_acceptance_length":3.9}}}',
    ],
)
def test_a_length_is_never_supplied(text):
    (problem,) = supplied(read_overrides([text], []))
    path = text.partition("=")[0]
    assert str(problem) == f"--set {path}: {LOOKED_UP}"


def test_a_draft_length_may_be_chosen():
    texts = ["roles.agg.args.speculative-num-steps=2", 'roles.agg.env.A="1"']
    assert list(supplied(read_overrides(texts, ["roles.agg.env.SGLANG_SIMULATE_ACC_LEN"]))) == []


def test_settings_of_a_row_supply_none_either():
    rows = ["CONFIG_FILE=recipes/a.yaml", "SYNTHETIC_ACCEPTANCE_LENGTH=2.49"]
    assert [str(one) for one in supplied_by_settings(rows, "m.yaml:7")] == [
        f"m.yaml:7: SYNTHETIC_ACCEPTANCE_LENGTH=2.49: {LOOKED_UP}"
    ]


@pytest.mark.parametrize("path", ["roles", "roles.agg.args", "roles.agg.args.speculative-config"])
def test_a_removal_may_not_erase_what_is_injected(path):
    (problem,) = erased(read_overrides([], [path]), of("vllm", {"speculative-config": SPEC}))
    assert str(problem) == (
        f"--unset {path} would erase the golden acceptance at roles.agg.args.speculative-config; "
        "remove it"
    )


def test_other_removals_are_free():
    removals = read_overrides([], ["roles.agg.args.max-model-len", "roles.prefill", "roles.agg.e"])
    assert list(erased(removals, of("vllm", {"speculative-config": SPEC}))) == []


def test_overrides_change_a_copy():
    tree = recipe("sglang", {"a": 1, "b": 2})
    changed = apply(
        tree, read_overrides(["roles.agg.args.a=5", "new.deep=1"], ["roles.agg.args.b", "x.y"])
    )
    assert changed["roles"]["agg"]["args"] == {"a": 5}
    assert changed["new"] == {"deep": 1}
    assert tree["roles"]["agg"]["args"] == {"a": 1, "b": 2}


def test_bad_overrides_are_all_named():
    said = refusal(lambda: read_overrides(["a", "b.c=text", ".=1"], ["a..b"]))
    assert [line.partition(";")[0] for line in said.splitlines()] == [
        "--set a: no value",
        "--set b.c=text: not PATH=JSON",
        "--set .=1: not PATH=JSON",
        "--unset a..b: no path",
    ]


BUNDLE = """
base: {schema: 2}
zip_override_depth:
  roles:
    agg:
      args:
        max-num-seqs: [8]
        speculative-config:
          - '{"method":"mtp","num_speculative_tokens":3}'
          - '{"method":"mtp","num_speculative_tokens":2}'
"""


def test_an_injection_may_not_swallow_the_lists_of_a_zip_group(tmp_path):
    document = written(tmp_path, BUNDLE)
    planned = of("vllm", {"speculative-config": SPEC})
    (problem,) = collapsed(document, "zip_override_depth[1]", planned)
    assert str(problem) == (
        f"{tmp_path}/toy_mtp.yaml:8: zip_override_depth[1]: its only lists stand at "
        "roles.agg.args.speculative-config, and one golden acceptance for all would leave one "
        "variant; give the group another list, or write one override for each variant"
    )


@pytest.mark.parametrize("seqs", ["[8, 16]", "[[8], [16]]"])
def test_another_list_keeps_the_variants_apart(tmp_path, seqs):
    document = written(tmp_path, BUNDLE.replace("[8]", seqs))
    planned = of("vllm", {"speculative-config": SPEC})
    assert list(collapsed(document, "zip_override_depth[1]", planned)) == []


def test_only_zip_groups_collapse(tmp_path):
    document = written(tmp_path, BUNDLE)
    for variant in ("base", "", "override_a", "zip_override_other[0]"):
        assert list(collapsed(document, variant, of("vllm", {"speculative-config": SPEC}))) == []
