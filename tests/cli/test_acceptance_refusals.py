"""Each error case of golden acceptance, as `infx acceptance show` refuses it.

Every id is a rule of section 6 of the public pipeline's rules.
"""

import pytest

from judged import agentic, several
from named_recipes import FLEET, RUNNERS
from transcript import refused

FILE = "toy.yaml"
LENGTHS = "1, 2, 3, 4, 5, 6, 7, 8"
LOOKED_UP = "acceptance lengths are looked up in the golden curves, never supplied; remove it"
LIST = "roles.agg: the draft length"


def recipe(engine: str, *args: str, role: str = "agg") -> str:
    """Return a recipe whose arguments begin on line 7."""
    head = (
        f"schema: 2\nengine: {engine}\nbenchmark: {{env: {{THINKING_MODE: thinking_on}}}}\n"
        f"roles:\n  {role}:\n    args:\n"
    )
    return head + "".join(f"      {one}\n" for one in args)


SGLANG = recipe("sglang", "speculative-algorithm: EAGLE", "speculative-num-steps: 3")
VLLM = recipe("vllm", """speculative-config: '{"method":"mtp","num_speculative_tokens":3}'""")
TRT = recipe("trtllm", "speculative_config: {decoding_type: MTP, max_draft_len: 3}")
ATOM = recipe("atom", "method: mtp", "num-speculative-tokens: 3")
TILERT = recipe("tilert", "with-mtp: true", "num-mtp: 3", role="decode")
ENGINES = {"sglang": SGLANG, "vllm": VLLM, "trtllm": TRT, "atom": ATOM, "tilert": TILERT}


def sglang(*args: str) -> str:
    return recipe("sglang", *args)


def length(name: str, is_: str, line: int, least: str = "a positive integer") -> str:
    return f"{line}: roles.agg: the draft length {name} must be {least}, and is {is_}; state {name}"


STEPS, BLOCK, DRAFT = (
    "speculative-num-steps", "speculative-dspark-block-size", "speculative-num-draft-tokens",
)  # fmt: skip
DSPARK, DFLASH = "speculative-algorithm: DSPARK", "speculative-algorithm: DFLASH"

READ = {
    "the-length-is-missing": (sglang("speculative-algorithm: EAGLE"), length(STEPS, "missing", 7)),
    "the-length-is-a-boolean": (
        SGLANG.replace("steps: 3", "steps: true"), length(STEPS, "True", 8),
    ),
    "the-length-is-0": (SGLANG.replace("steps: 3", "steps: 0"), length(STEPS, "0", 8)),
    "the-length-is-negative": (SGLANG.replace("steps: 3", "steps: -1"), length(STEPS, "-1", 8)),
    "the-length-is-text": (SGLANG.replace("steps: 3", "steps: '3'"), length(STEPS, "'3'", 8)),
    "the-length-is-a-fraction": (
        SGLANG.replace("steps: 3", "steps: 2.5"), length(STEPS, "2.5", 8),
    ),
    "the-block-of-dspark-is-missing": (sglang(DSPARK, "a: 1"), length(BLOCK, "missing", 7)),
    "the-block-of-dflash-has-no-draft": (
        sglang(DFLASH, f"{DRAFT}: 1"), length(DRAFT, "1", 8, "an integer above 1"),
    ),
    "the-length-of-vllm-is-missing": (
        VLLM.replace(',"num_speculative_tokens":3', ""),
        length("speculative-config.num_speculative_tokens", "missing", 7),
    ),
    "the-length-of-vllm-is-a-boolean": (
        VLLM.replace(":3}", ":true}"),
        length("speculative-config.num_speculative_tokens", "True", 7),
    ),
    "the-length-of-trt-is-0": (
        TRT.replace("max_draft_len: 3", "max_draft_len: 0"),
        length("speculative_config.max_draft_len", "0", 7),
    ),
    "the-length-of-atom-is-missing": (
        recipe("atom", "method: mtp"), length("num-speculative-tokens", "missing", 7),
    ),
    "the-length-of-tilert-is-missing": (
        recipe("tilert", "with-mtp: true", role="decode"),
        length("num-mtp", "missing", 7).replace("agg", "decode"),
    ),
    "the-curve-is-missing": (
        sglang(DSPARK, f"{BLOCK}: 3"),
        "8: there is no golden curve qwen3.5_dspark; did you mean qwen3.5_mtp?",
    ),
    "the-mode-is-missing": (
        SGLANG.replace("thinking_on", "thinking_hard"),
        "8: the golden curve qwen3.5_mtp has no thinking_hard; it has thinking_on, thinking_off",
    ),
    "the-length-has-no-cell": (
        SGLANG.replace("steps: 3", "steps: 9"),
        f"8: the golden curve qwen3.5_mtp has no draft length 9 with thinking_on; it has {LENGTHS}",
    ),
    "two-spellings-of-the-algorithm": (
        SGLANG + "      speculative-algo: NEXTN\n",
        ("9: roles.agg: speculative-algorithm is EAGLE and speculative-algo is NEXTN; "
        "keep one of them"),
    ),
    "speculative-config-is-a-list": (
        recipe("vllm", "speculative-config: '[3]'"),
        "7: roles.agg: speculative-config is not an object; write one JSON object",
    ),
    "speculative-config-is-no-json": (
        recipe("vllm", "speculative-config: '{method: mtp}'"),
        ("7: roles.agg: speculative-config is not JSON: Expecting property name enclosed in double "
        "quotes at character 2; write one JSON object"),
    ),
    "speculative-config-names-no-method": (
        VLLM.replace('"method":"mtp",', ""),
        '7: roles.agg: speculative-config states no method; add "method"',
    ),
    "speculative-config-of-trt-is-text": (
        recipe("trtllm", "speculative_config: mtp"),
        "7: roles.agg: speculative_config is not a mapping; write its members as a mapping",
    ),
    "two-lengths-of-trt": (
        TRT.replace("max_draft_len: 3", "max_draft_len: 3, num_nextn_predict_layers: 2"),
        ("7: roles.agg: speculative_config.max_draft_len is 3 and num_nextn_predict_layers is 2; "
        "keep one of them"),
    ),
    "the-confidence-scheduler-of-atom": (
        ATOM + "      dspark-config: '{\"confidence_schedule\": true}'\n",
        ("9: roles.agg: acceptance cannot be simulated under DSpark's confidence scheduler; "
        "set confidence_schedule to false"),
    ),
    "nobody-says-whether-it-thinks": (
        SGLANG.replace("THINKING_MODE: thinking_on", "A: '1'"),
        ("8: nobody says whether the model thinks, and golden acceptance depends on it; "
        "state THINKING_MODE as thinking_on or thinking_off, or ask with --thinking"),
    ),
    "an-engine-that-cannot-simulate": (
        SGLANG.replace("engine: sglang", "engine: mocker"),
        ("2: roles.agg: acceptance cannot be simulated for the engine mocker; "
        "known are sglang, vllm, trtllm, atom, tilert"),
    ),
    "no-role-that-generates": (
        SGLANG.replace("  agg:", "  prefill:"),
        ("7: no role of the recipe generates tokens; a recipe has the role agg, or prefill and "
        "decode"),
    ),
}  # fmt: skip

SUPPLIED = (
    'roles.agg.env.SGLANG_SIMULATE_ACC_LEN="3.9"',
    'roles.agg.env.SGLANG_SIMULATE_ACC_METHOD="match-expected"',
    'roles.agg.env.SGLANG_SIMULATE_ACC_TOKEN_MODE="real-draft-token"',
    'environment.TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS="2"',
    'roles.decode.env.TILERT_SIMULATE_ACC_LEN="3.9"',
    'roles.decode.env.TILERT_SIMULATE_ACC_METHOD="match-expected"',
    "roles.agg.args.spec-decode-acceptance-length=3.9",
    "roles.agg.args.spec-decode-acceptance-rate=0.9",
    'roles.agg.args.speculative-config={"synthetic_acceptance_length":3.9}',
    'roles.agg.args.speculative-config={"synthetic_acceptance_rates":[0.9]}',
)

ERASED = {
    "sglang": ("roles.agg.env.SGLANG_SIMULATE_ACC_LEN", "roles.agg.env.SGLANG_SIMULATE_ACC_LEN"),
    "vllm": ("roles.agg.args", "roles.agg.args.speculative-config"),
    "trtllm": ("roles.agg", "roles.agg.env.TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"),
    "atom": (
        "roles.agg.args.spec-decode-acceptance-length",
        "roles.agg.args.spec-decode-acceptance-length",
    ),
    "tilert": ("roles", "roles.decode.env.TILERT_SIMULATE_ACC_LEN"),
}


@pytest.fixture
def show(infx, tmp_path):
    def run(text: str, *flags: object, prefix: str = "qwen3.5", variant: str = ""):
        (tmp_path / FILE).write_text(text)
        asked = ("--recipe", FILE + variant, "--model-prefix", prefix)
        return infx("acceptance", "show", *asked, *flags)

    return run


@pytest.mark.parametrize("engine", ENGINES)
def test_what_the_cases_break_is_whole(show, engine):
    assert "golden acceptance 3.39: qwen3.5_mtp" in show(ENGINES[engine]).out


@pytest.mark.parametrize("case", READ)
def test_a_recipe_whose_length_cannot_be_told_is_refused(show, case):
    text, line = READ[case]
    assert show(text) == refused(2, f"{FILE}:{line}")


def test_every_rule_that_a_recipe_breaks_is_told(show):
    """Both roles state no length, and nobody says whether the model thinks."""
    text = SGLANG.replace("  agg:", "  decode:").replace("steps: 3", "steps: true")
    prefill = "  prefill:\n    args: {speculative-algorithm: EAGLE, speculative-num-steps: 0}\n"
    text = (text + prefill).replace("{env: {THINKING_MODE: thinking_on}}", "{type: custom}")
    first, second = length(STEPS, "True", 8), length(STEPS, "0", 10)
    assert show(text) == refused(
        2,
        f"{FILE}:{first.replace('agg', 'decode')}\n"
        f"infx: {FILE}:{second.replace('agg', 'prefill')}\n"
        f"infx: {FILE}:7: nobody says whether the model thinks, and golden acceptance depends on "
        "it; state THINKING_MODE as thinking_on or thinking_off, or ask with --thinking",
    )


def test_a_prefix_that_is_not_safe(show):
    assert show(SGLANG, prefix="../up") == refused(
        2,
        f"{FILE}:8: '../up_mtp' is no name of a golden curve; a model prefix and a method have "
        "only a-z, 0-9, dot, dash and underscore",
    )


@pytest.mark.parametrize("stated", ["", ',"draft_sample_method":"typical"'])
def test_kimik3_says_how_its_draft_samples(show, stated):
    config = f'{{"method":"dspark","num_speculative_tokens":7{stated}}}'
    sampling = "'typical'" if stated else "not stated"
    assert show(recipe("vllm", f"speculative-config: '{config}'"), prefix="kimik3") == refused(
        2,
        f"{FILE}:7: kimik3 has golden curves for greedy and probabilistic drafts, and the draft "
        f"sampling is {sampling}; state draft_sample_method",
    )


@pytest.mark.parametrize("text", SUPPLIED)
def test_a_length_of_the_callers_is_refused(show, text):
    said = show(SGLANG, "--set", text)
    assert said == refused(2, f"--set {text.partition('=')[0]}: {LOOKED_UP}")


def test_every_supplied_length_is_told(show):
    flags = [word for text in SUPPLIED for word in ("--set", text)]
    assert len(show(SGLANG, *flags).verdict) == len(SUPPLIED)


@pytest.mark.parametrize("engine", ERASED)
def test_a_removal_of_what_is_injected_is_refused(show, engine):
    path, injected = ERASED[engine]
    said = show(ENGINES[engine], "--unset", path)
    assert said == refused(
        2, f"--unset {path} would erase the golden acceptance at {injected}; remove it"
    )


def test_an_injection_that_collapses_a_zip_group(show):
    indented = SGLANG.replace("\n", "\n  ").rstrip() + "\n"
    group = "zip_override_a:\n  roles: {agg: {args: {speculative-num-steps: [2, 3]}}}\n"
    apart = f"base:\n  {indented}{group}"
    assert show(apart, variant=":zip_override_a[1]").code == 0, "the lists are not injected"
    swallowed = group.replace("args: {speculative-num-steps: [2, 3]}",
                              "env: {SGLANG_SIMULATE_ACC_LEN: ['2', '3']}")  # fmt: skip
    assert show(f"base:\n  {indented}{swallowed}", variant=":zip_override_a[1]") == refused(
        2,
        f"{FILE}:11: zip_override_a[1]: its only lists stand at "
        "roles.agg.env.SGLANG_SIMULATE_ACC_LEN, and one golden acceptance for all would leave one "
        "variant; give the group another list, or write one override for each variant",
    )


def test_rows_of_october_supply_none(generate):
    role = "num-worker: 1, tp: 8, ep: 8, dp-attn: true"
    settings = "additional-settings: [A=1, SYNTHETIC_ACCEPTANCE_LENGTH=2.49]"
    text = several(f"conc-list: [4], prefill: {{{role}}}, decode: {{{role}, {settings}}}").replace(
        "runner: gb200", f"runner: {FLEET}"
    )
    place = "toy.scenarios.fixed-seq-len.0.search-space.0.decode.additional-settings.1"
    assert generate(text, runners=RUNNERS) == refused(
        2, f"toy-master.yaml:13: {place}: SYNTHETIC_ACCEPTANCE_LENGTH=2.49: {LOOKED_UP}"
    )
    assert generate(agentic("tp: 8, kv-offloading: none, conc-list: [1]")).code == 0
