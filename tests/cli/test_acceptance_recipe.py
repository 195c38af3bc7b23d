"""`infx acceptance show --recipe` as transcripts: what a recipe gets, and each refusal."""

import json

import pytest

from transcript import refused

PLAIN = """\
schema: 2
name: toy
engine: sglang
environment:
  SGLANG_SIMULATE_ACC_LEN: '2'
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 4
    args:
      speculative-algorithm: EAGLE
      speculative-num-steps: 3
    env:
      SGLANG_SIMULATE_ACC_LEN: '3.4'
benchmark:
  env:
    THINKING_MODE: thinking_on
"""

VLLM = """\
schema: 2
name: toy
engine: vllm
roles:
  prefill: {nodes: 1, workers: 1, gpus: 4, args: {}}
  decode:
    nodes: 1
    workers: 1
    gpus: 4
    args:
      speculative-config: '{"method":"mtp","num_speculative_tokens":2}'
"""

BUNDLE = """\
base:
  schema: 2
  name: toy
  engine: {type: vllm}
  roles:
    agg: {nodes: 1, workers: 1, gpus: 4}
  benchmark: {env: {THINKING_MODE: thinking_on}}
zip_override_depth:
  roles:
    agg:
      args:
        speculative-config:
          - '{"method":"mtp","num_speculative_tokens":1}'
          - '{"method":"mtp","num_speculative_tokens":2}'
"""


@pytest.fixture
def show(infx, tmp_path):
    def shown(text, *flags, prefix="qwen3.5", variant=""):
        (tmp_path / "toy.yaml").write_text(text)
        recipe = ("--recipe", f"toy.yaml{variant}", "--model-prefix", prefix)
        return infx("acceptance", "show", *recipe, *flags)

    return shown


def test_a_role_gets_the_golden_length_and_copies_go(show):
    said = show(PLAIN)
    assert (said.code, said.err) == (0, "")
    head, table, own = said.out.split("\n\n")
    assert head == (
        "recipe toy.yaml\ngolden acceptance 3.39: qwen3.5_mtp, thinking_on, 3 draft tokens"
    )
    assert [line.split() for line in table.splitlines()[1:]] == [
        ["agg", "sets", "variable", "SGLANG_SIMULATE_ACC_LEN", "3.39"],
        ["agg", "sets", "variable", "SGLANG_SIMULATE_ACC_METHOD", "match-expected"],
        ["agg", "sets", "variable", "SGLANG_SIMULATE_ACC_TOKEN_MODE", "real-draft-token"],
        ["all", "unsets", "variable", "SGLANG_SIMULATE_ACC_LEN"],
    ]
    assert own == (
        "toy.yaml:15: roles.agg.env.SGLANG_SIMULATE_ACC_LEN states 3.4; replaced: golden is 3.39\n"
    )


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("--eval-only",), "an eval verifies for real"),
        (("--scenario-type", "fixed-seq-len"), "only agentic points simulate acceptance"),
    ],
)
def test_elsewhere_everything_is_taken_out(show, flags, reason):
    head, table, own = show(PLAIN, *flags).out.split("\n\n")
    assert head == f"recipe toy.yaml\nreal acceptance: {reason}"
    assert [line.split() for line in table.splitlines()[1:]] == [
        ["agg", "unsets", "variable", "SGLANG_SIMULATE_ACC_LEN"],
        ["all", "unsets", "variable", "SGLANG_SIMULATE_ACC_LEN"],
    ]
    assert own.endswith("states 3.4; taken out\n")


def test_a_recipe_without_drafts_has_nothing_to_change(show):
    text = PLAIN.replace("      speculative-algorithm: EAGLE\n", "")
    text = text.replace("    env:\n      SGLANG_SIMULATE_ACC_LEN: '3.4'\n", "")
    text = text.replace("environment:\n  SGLANG_SIMULATE_ACC_LEN: '2'\n", "")
    assert show(text).out == (
        "recipe toy.yaml\nreal acceptance: the role agg does not speculate\n\nnothing to change\n"
    )


def test_json_has_the_plan(show):
    said = json.loads(show(VLLM, "--thinking", "on", "--format", "json").out)
    assert (said["file"], said["variant"], said["reason"]) == ("toy.yaml", "", None)
    assert said["cell"] == {
        "curve": "qwen3.5_mtp",
        "model": "qwen3.5-397b-a17b-nvfp4",
        "thinking": "thinking_on",
        "length": 2,
        "al": "2.73",
    }
    config = json.loads(said["roles"]["decode"]["set_args"]["speculative-config"])
    assert (config["rejection_sample_method"], config["synthetic_acceptance_length"]) == (
        "synthetic",
        2.73,
    )
    assert said["roles"]["prefill"]["set_args"] == {}


def test_a_caller_may_choose_the_draft_length(show):
    out = show(PLAIN, "--set", "roles.agg.args.speculative-num-steps=4").out
    assert "golden acceptance 3.97: qwen3.5_mtp, thinking_on, 4 draft tokens" in out


def test_a_model_without_a_curve_is_refused(show):
    said = show(PLAIN, prefix="glm5.2", variant="")
    assert "golden acceptance 2.99" in said.out
    assert show(PLAIN, prefix="glm5.1") == refused(
        2, "toy.yaml:13: there is no golden curve glm5.1_mtp; did you mean glm5.2_mtp?"
    )
    assert show(PLAIN, prefix="GLM 5").verdict == [
        (
            "infx: toy.yaml:13: 'GLM 5_mtp' is no name of a golden curve; a model prefix and a "
            "method have only a-z, 0-9, dot, dash and underscore"
        )
    ]


def test_two_thinking_modes_are_refused(show):
    assert show(PLAIN, "--thinking", "off") == refused(
        2,
        "toy.yaml:18: THINKING_MODE is thinking_on, and thinking_off was asked for; "
        "ask for what the recipe says",
    )


def test_a_caller_never_erases_one(show):
    assert show(PLAIN, "--unset", "roles.agg.env") == refused(
        2,
        "--unset roles.agg.env would erase the golden acceptance at "
        "roles.agg.env.SGLANG_SIMULATE_ACC_LEN; remove it",
    )
    assert show(PLAIN, "--eval-only", "--unset", "roles.agg.env").code == 0


def test_a_zip_group_is_not_swallowed(show):
    assert show(BUNDLE, variant=":zip_override_depth[1]") == refused(
        2,
        "toy.yaml:12: zip_override_depth[1]: its only lists stand at "
        "roles.agg.args.speculative-config, and one golden acceptance for all would leave one "
        "variant; give the group another list, or write one override for each variant",
    )
    apart = BUNDLE + "  benchmark: {env: {CONC: ['4', '8']}}\n"
    assert "golden acceptance 2.73" in show(apart, "--concurrency", 8).out
    assert "golden acceptance 1.93" in show(apart, variant=":zip_override_depth[0]").out


def test_a_recipe_needs_a_model_prefix(infx):
    assert infx("acceptance", "show", "--recipe", "toy.yaml") == refused(
        2, "a look-up needs --recipe, --model-prefix; add --model-prefix"
    )
