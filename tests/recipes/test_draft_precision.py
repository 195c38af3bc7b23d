"""In which precision a draft is served, case by case, as the public rules tell it."""

import pytest

from handbound import bound, serving
from infx.errors import InputError
from infx.model.checkpoint import Checkpoint
from infx.model.setting_registry import DraftPrecisionRegistry
from infx.recipes.banned_variables import banned_uses, reads_as
from infx.recipes.bind import bind_variant
from infx.recipes.draft_precision import Metadata, draft_facts
from infx.recipes.target import Target
from infx.recipes.variants import select
from infx.store.recipes import read
from infx.store.registries import registry
from recipe_files import public_recipes

REGISTRY = registry(DraftPrecisionRegistry)
FLAG = "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE"
PLAIN_BF16 = Checkpoint(configuration={"dtype": "bfloat16"}, tensors={"BF16": 4_890_000_000})
NVFP4 = Checkpoint(
    configuration={"num_hidden_layers": 2},
    quantization={"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"},
    tensors={"U8": 900, "F8_E4M3": 112, "BF16": 300},
    draft_tensors={"BF16": 120},
)
FP8 = Checkpoint(
    configuration={"torch_dtype": "bfloat16"},
    quantization={"quant_method": "fp8"},
    tensors={"F8_E4M3": 900, "BF16": 40, "F32": 3},
    draft_tensors={"F8_E4M3": 90, "BF16": 4},
)


def facts(args, *, engine="sglang", gpu="gb200", target=None, draft=None, observed=None, **role):
    binding = bound(serving(args, engine=engine, gpu=gpu, **role))
    metadata = Metadata(target=target, draft=draft, observed=observed)
    return draft_facts(binding, "agg", REGISTRY, metadata)


def told(part):
    return (part.precision, part.how)


DFLASH = {
    "speculative-algorithm": "DFLASH",
    "speculative-draft-model-path": "acme/Draft",
    "speculative-num-draft-tokens": 8,
    "quantization": "modelopt_fp4",
    "kv-cache-dtype": "fp8_e4m3",
    "attention-backend": "trtllm_mha",
}


def test_an_unquantized_draft_stays_what_it_is_beside_a_four_bit_target():
    found = facts(DFLASH, draft=PLAIN_BF16)
    assert told(found.weights) == ("bf16", "checkpoint")
    assert told(found.activations) == ("bf16", "checkpoint")
    assert told(found.shipped) == ("bf16", "checkpoint")
    assert (found.draft, found.inside) == ("acme/Draft", False)
    assert "recipe.yaml:4" in found.weights.because


def test_fa4_keeps_the_kv_cache_of_a_dflash_draft_and_its_removal_lets_it_inherit():
    fa4 = facts({**DFLASH, "speculative-draft-attention-backend": "fa4"}, draft=PLAIN_BF16)
    assert told(fa4.kv) == ("bf16", "forced")
    without = facts(DFLASH, draft=PLAIN_BF16)
    assert told(without.kv) == told(without.kv_default) == ("fp8", "inherited")


def test_a_kv_cache_of_its_own_is_told_beside_what_it_would_have_been():
    own = {**DFLASH, "kv-cache-dtype": "bfloat16", "speculative-draft-kv-cache-dtype": "fp8_e4m3"}
    found = facts(own, draft=PLAIN_BF16)
    assert told(found.kv) == ("fp8", "stated")
    assert told(found.kv_default) == ("bf16", "inherited")


def test_a_four_bit_kv_cache_of_the_target_is_eight_bits_for_the_draft():
    found = facts({**DFLASH, "kv-cache-dtype": "fp4_e2m1"}, draft=PLAIN_BF16)
    assert told(found.kv) == ("fp8", "forced")


def test_auto_is_what_the_checkpoint_names_for_its_cache():
    args = {"speculative-algorithm": "NEXTN", "kv-cache-dtype": "auto"}
    assert told(facts(args, target=NVFP4).kv) == ("fp8", "checkpoint")
    assert told(facts(args, target=FP8).kv) == ("bf16", "checkpoint")
    assert told(facts(args).kv) == (None, "unknown")


@pytest.mark.parametrize(
    ("quantization", "weights"),
    [
        ("fp8", ("fp8", "inherited")),
        ("quark_mxfp4", ("mxfp4", "inherited")),
        ("modelopt_fp4", ("bf16", "checkpoint")),
        ("awq", (None, "unknown")),
        ("someday", (None, "unknown")),
    ],
)
def test_an_omitted_quantization_inherits_the_targets(quantization, weights):
    found = facts({**DFLASH, "quantization": quantization}, draft=PLAIN_BF16)
    assert told(found.weights) == weights


def test_without_the_drafts_checkpoint_an_inherited_word_proves_nothing():
    found = facts(DFLASH)
    assert told(found.weights) == (None, "unknown")
    assert found.weights.because == (
        "it inherits modelopt_fp4 from recipe.yaml:4, and its checkpoint was not read"
    )


def test_a_head_inside_a_checkpoint_is_what_is_stored_of_it():
    eagle = {"speculative-algorithm": "EAGLE", "quantization": "modelopt_fp4"}
    assert told(facts(eagle, target=NVFP4).weights) == ("bf16", "checkpoint")
    fp8 = {"speculative-algorithm": "NEXTN"}
    found = facts(fp8, target=FP8)
    assert (told(found.weights), told(found.shipped)) == (("fp8", "checkpoint"),) * 2
    assert told(found.activations) == (None, "unknown")


@pytest.mark.parametrize(
    ("word", "weights"),
    [
        ("fp8", ("fp8", "stated")),
        ("quark_mxfp4", ("mxfp4", "stated")),
        ("unquant", ("bf16", "stated")),
        ("humming", (None, "unknown")),
    ],
)
def test_a_stated_quantization_of_the_draft_counts(word, weights):
    found = facts({**DFLASH, "speculative-draft-model-quantization": word}, draft=PLAIN_BF16)
    assert told(found.weights) == weights


def test_of_two_statements_the_last_one_counts_in_either_spelling():
    words = ["--speculative-draft-model-quantization=unquant",
             "--speculative_draft_model_quantization", "fp8"]  # fmt: skip
    found = facts(DFLASH, draft=PLAIN_BF16, extra_args=words)
    assert told(found.weights) == ("fp8", "stated")
    stated = [one for one in found.statements if "quantization" in one.name]
    assert [(one.value, one.where) for one in stated] == [
        ("modelopt_fp4", "recipe.yaml:4"),
        ("unquant", "recipe.yaml:7"),
        ("fp8", "recipe.yaml:7"),
    ]


def test_a_compute_type_reaches_an_unquantized_draft():
    found = facts({**DFLASH, "dtype": "float16"}, draft=PLAIN_BF16)
    assert told(found.weights) == ("fp16", "stated")


def test_what_the_log_shows_beats_what_was_asked():
    found = facts(DFLASH, draft=PLAIN_BF16, observed="fp8")
    assert told(found.weights) == ("fp8", "observed")
    assert told(found.shipped) == ("bf16", "checkpoint")


VLLM = '{"method": "eagle3", "model": "acme/Eagle", "num_speculative_tokens": 3%s}'


@pytest.mark.parametrize(
    ("more", "draft", "weights"),
    [
        ("", PLAIN_BF16, ("bf16", "checkpoint")),
        ("", FP8, ("fp8", "checkpoint")),
        ("", None, (None, "unknown")),
        (', "quantization": null', PLAIN_BF16, ("bf16", "stated")),
        (', "quantization": "fp8"', PLAIN_BF16, ("fp8", "stated")),
    ],
)
def test_vllm_takes_what_a_drafts_checkpoint_says(more, draft, weights):
    args = {"quantization": "modelopt_fp4", "speculative-config": VLLM % more}
    assert told(facts(args, engine="vllm", draft=draft).weights) == weights


def test_vllm_passes_its_kv_cache_on():
    args = {"kv-cache-dtype": "fp8", "speculative_config": VLLM % ', "kv_cache_dtype": null'}
    assert told(facts(args, engine="vllm", draft=PLAIN_BF16).kv) == ("fp8", "inherited")


@pytest.mark.parametrize(
    ("engine", "args"),
    [
        ("sglang", {"quantization": "fp8"}),
        ("sglang", {"speculative-algorithm": "NGRAM"}),
        ("vllm", {"speculative-config": {"method": "ngram"}}),
        ("llamacpp", {"draft": "x"}),
    ],
)
def test_without_a_model_that_drafts_there_are_no_facts(engine, args):
    assert facts(args, engine=engine) is None


def test_an_engine_nobody_read_proves_nothing():
    args = {"method": "mtp", "num-speculative-tokens": 3}
    found = facts(args, engine="atom", target=FP8)
    assert told(found.weights) == told(found.kv) == (None, "unknown")
    assert found.rules is None
    assert told(facts(args, engine="atom", observed="fp8").weights) == ("fp8", "observed")


def test_the_version_of_the_image_stands_beside_the_version_that_was_read():
    binding = bound(serving(DFLASH), image="lmsysorg/sglang:v0.5.22")
    found = draft_facts(binding, "agg", REGISTRY)
    assert (found.rules, found.version) == ("0.5.23", "0.5.22")
    again = draft_facts(binding, "agg", REGISTRY, image="lmsysorg/sglang:dev-muse")
    assert again.version is None


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("1", "on"), ("true", "on"), ("TRUE", "on"), ("Yes", "on"), ("y", "on"), ("on", "on"),
        ("0", "off"), ("false", "off"), ("no", "off"), ("N", "off"), ("off", "off"),
        ("", "unreadable"), ("2", "unreadable"), ("enabled", "unreadable"), ("1.0", "unreadable"),
    ],
)  # fmt: skip
def test_a_variable_is_read_as_its_engine_reads_it(text, state):
    assert reads_as(text, REGISTRY.banned[0]) == state


@pytest.mark.parametrize(
    "written", ["'1'", "1", "true", "True", "'yes'", "yes", "on", "y", '"TRUE"']
)
@pytest.mark.parametrize("place", ["role", "recipe"])
def test_the_banned_variable_is_found_in_every_spelling(recipe, written, place):
    line = f"{FLAG}: {written}"
    document = recipe(
        f"""
        schema: 2
        engine: sglang
        environment: {{{line if place == "recipe" else ""}}}
        resources: {{gpu_type: gb200, gpus_per_node: 4}}
        roles:
          agg:
            nodes: 1
            gpus: 4
            args: {{tp-size: 4}}
            env: {{{line if place == "role" else ""}}}
        """
    )
    (variant,) = select(document, None)
    binding = bind_variant(variant, shared=None, target=Target(), file=document.file)
    (use,) = banned_uses(binding, REGISTRY)
    assert use.reads_as == "on"
    assert use.where == ("toy.yaml:4" if place == "recipe" else "toy.yaml:11")


def test_a_variable_that_null_removes_is_not_there():
    binding = bound(serving({}, env={FLAG: None}))
    assert list(banned_uses(binding, REGISTRY)) == []
    (off,) = banned_uses(bound(serving({}, env={FLAG: "0"})), REGISTRY)
    assert off.reads_as == "off"


def test_the_public_recipes_set_it_on_22_lines_of_21_files():
    found = set()
    for path in public_recipes():
        if FLAG not in path.read_text(encoding="utf-8"):
            continue
        document = read(path)
        for variant in select(document, None):
            binding = bind_variant(variant, shared=None, target=Target(), file=document.file)
            found |= {use.where for use in banned_uses(binding, REGISTRY) if use.reads_as == "on"}
    assert (len(found), len({place.rpartition(":")[0] for place in found})) == (22, 21)


def test_every_public_role_that_drafts_has_facts_and_none_is_proven_without_checkpoints():
    drafting = 0
    for path in public_recipes():
        try:
            variants = select(read(path), None)
        except InputError:
            continue
        for variant in variants:
            binding = bind_variant(variant, shared=None, target=Target(), file=str(path))
            for role in binding.tree["roles"]:
                found = draft_facts(binding, role, REGISTRY)
                drafting += found is not None
                assert found is None or found.weights.precision is None
                proven = draft_facts(binding, role, REGISTRY, Metadata(observed="bf16"))
                assert proven is None or proven.weights.how == "observed"
    assert drafting > 400


def test_facts_survive_a_copy():
    found = facts(DFLASH, draft=PLAIN_BF16)
    assert type(found).model_validate_json(found.model_dump_json()) == found
