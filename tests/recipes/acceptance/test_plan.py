"""When acceptance is simulated, in which roles, and what is taken out everywhere else."""

import json
from decimal import Decimal

import pytest

from golden_curves import recipe, shipped
from infx.recipes.acceptance.plan import Conditions, plan
from infx.recipes.acceptance.role import Injection
from refusals import refusal

GOLDEN = shipped()
ON = "thinking_on"
EAGLE3 = {"speculative-algorithm": "EAGLE", "speculative-num-steps": 3}
SIMULATED = {
    "SGLANG_SIMULATE_ACC_LEN": "9",
    "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
    "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
}


def where(*path):
    return "toy.yaml:" + ".".join(map(str, path))


def planned(tree, prefix="qwen3.5", thinking=ON, **more):
    conditions = Conditions(model_prefix=prefix, thinking=thinking, **more)
    return plan(tree, conditions, GOLDEN, where=where)


def disaggregated(engine, prefill, decode, /, **env):
    return {
        "engine": engine,
        "roles": {
            "prefill": {"args": prefill, "env": env.get("prefill")},
            "decode": {"args": decode, "env": env.get("decode")},
        },
    }


@pytest.mark.parametrize(
    ("prefix", "engine", "args", "injected"),
    [
        ("dsv4", "sglang",
         {"speculative-algorithm": "DSPARK", "speculative-dspark-block-size": 6}, "3.77"),
        ("dsv41flash", "sglang",
         {"speculative-algorithm": "DSPARK", "speculative-dspark-block-size": 5}, "3.51"),
        ("qwen3.5", "sglang", EAGLE3, "3.39"),
        ("musespark", "sglang",
         {"speculative-algorithm": "DFLASH", "speculative-num-draft-tokens": 8}, "4.05"),
    ],
)  # fmt: skip
def test_the_published_examples(prefix, engine, args, injected):
    found = planned(recipe(engine, args), prefix)
    assert found.cell.al == Decimal(injected)
    assert found.reason is None
    assert found.roles["agg"].set_env["SGLANG_SIMULATE_ACC_LEN"] == injected


def test_trtllm_gets_the_length_less_one():
    args = {"speculative_config": {"decoding_type": "MTP", "max_draft_len": 3}}
    found = planned(recipe({"type": "trtllm"}, args), "dsv4")
    assert found.roles["agg"].set_env == {"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": "1.49"}


def test_decode_defines_the_length_and_prefill_gets_it_too():
    prefill = {"speculative-algorithm": "EAGLE", "speculative-num-steps": 1}
    found = planned(disaggregated("sglang", prefill, EAGLE3))
    assert (found.cell.length, found.cell.al) == (3, Decimal("3.39"))
    assert {one.set_env["SGLANG_SIMULATE_ACC_LEN"] for one in found.roles.values()} == {"3.39"}


def test_a_role_that_does_not_speculate_keeps_no_simulation():
    found = planned(disaggregated("sglang", {}, EAGLE3, prefill=SIMULATED))
    assert found.roles["prefill"] == Injection(unset_env=tuple(SIMULATED))
    assert found.roles["decode"].unset_env == ()


def test_nothing_is_simulated_when_only_prefill_speculates():
    found = planned(disaggregated("sglang", EAGLE3, {}, prefill=SIMULATED))
    assert found.cell is None
    assert found.reason == "the role decode does not speculate"
    assert found.roles["prefill"].unset_env == tuple(SIMULATED)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"eval_only": True}, "an eval verifies for real"),
        ({"agentic": False}, "only agentic points simulate acceptance"),
        ({"spec_decoding": "none"}, "the point does not speculate: spec-decoding is none"),
    ],
)
def test_elsewhere_everything_simulated_is_taken_out(more, reason):
    tree = recipe("sglang", EAGLE3, SIMULATED, environment={**SIMULATED, "KEEP": "1"})
    found = planned(tree, thinking=None, **more)
    assert (found.cell, found.reason) == (None, reason)
    assert found.roles["agg"] == Injection(unset_env=tuple(SIMULATED))
    assert found.unset_environment == tuple(SIMULATED)


def test_an_eval_takes_vllm_back_to_block():
    spec = {
        "method": "mtp",
        "num_speculative_tokens": 3,
        "rejection_sample_method": "synthetic",
        "synthetic_acceptance_length": 3.39,
    }
    found = planned(recipe("vllm", {"speculative-config": json.dumps(spec)}), eval_only=True)
    assert json.loads(found.roles["agg"].set_args["speculative-config"]) == {
        "method": "mtp",
        "num_speculative_tokens": 3,
        "rejection_sample_method": "block",
    }


def test_copies_for_the_whole_recipe_go_even_where_roles_are_simulated():
    tree = recipe("sglang", EAGLE3, environment={"SGLANG_SIMULATE_ACC_LEN": "2"})
    assert planned(tree).unset_environment == ("SGLANG_SIMULATE_ACC_LEN",)


def test_variables_of_another_engine_go_too():
    env = {"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": "1"}
    assert planned(recipe("sglang", EAGLE3, env)).roles["agg"].unset_env == tuple(env)


def test_tilert_simulates_decode_and_leaves_vllm_prefill_real():
    stale = {"method": "mtp", "num_speculative_tokens": 1, "rejection_sample_method": "synthetic"}
    tree = {
        "engine": "tilert",
        "roles": {
            "prefill": {
                "engine": {"type": "vllm"},
                "args": {"speculative-config": stale},
                "env": {"TILERT_SIMULATE_ACC_LEN": "2"},
            },
            "decode": {"args": {"with-mtp": True, "num-mtp": 3}},
        },
    }
    found = planned(tree, "glm5.2")
    assert found.roles["decode"].set_env == {
        "TILERT_SIMULATE_ACC_LEN": "2.99",
        "TILERT_SIMULATE_ACC_METHOD": "match-expected",
    }
    prefill = found.roles["prefill"]
    assert prefill.set_args["speculative-config"]["rejection_sample_method"] == "block"
    assert prefill.unset_env == ("TILERT_SIMULATE_ACC_LEN",)


def test_lengths_of_its_own_are_facts_about_a_recipe():
    tree = disaggregated(
        "sglang", EAGLE3, EAGLE3,
        prefill={"SGLANG_SIMULATE_ACC_LEN": "3.4"}, decode={"SGLANG_SIMULATE_ACC_LEN": "3.390"},
    )  # fmt: skip
    found = planned(tree)
    assert [(one.role, one.text, one.al == found.cell.al) for one in found.stated] == [
        ("prefill", "3.4", False),
        ("decode", "3.390", True),
    ]
    assert found.stated[0].where == "toy.yaml:roles.prefill.env.SGLANG_SIMULATE_ACC_LEN"


def test_what_cannot_be_told_is_refused_where_it_stands():
    at = "toy.yaml:roles.agg.args.speculative-num-steps"
    steps = {"speculative-algorithm": "EAGLE", "speculative-num-steps": 9}
    assert refusal(lambda: planned(recipe("sglang", EAGLE3), thinking=None)) == (
        f"{at}: nobody says whether the model thinks, and golden acceptance depends on it; "
        "state THINKING_MODE as thinking_on or thinking_off, or ask with --thinking"
    )
    assert refusal(lambda: planned(recipe("sglang", steps))).startswith(
        f"{at}: the golden curve qwen3.5_mtp has no draft length 9"
    )
    assert refusal(lambda: planned(recipe("sglang", EAGLE3), "dsr1")).startswith(
        f"{at}: there is no golden curve dsr1_mtp; "
    )
    assert refusal(lambda: planned(recipe("sglng", EAGLE3))) == (
        "toy.yaml:engine: roles.agg: acceptance cannot be simulated for the engine "
        "sglng; did you mean sglang?"
    )
    assert refusal(lambda: planned({"engine": "sglang"})) == (
        "toy.yaml:roles: no role of the recipe generates tokens; "
        "a recipe has the role agg, or prefill and decode"
    )
