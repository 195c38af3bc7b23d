"""Overrides of a model's configuration, in every spelling, against what the checkpoint has."""

import json

import pytest

from handbound import bound, serving
from infx.model.setting_registry import ArchitectureRegistry
from infx.recipes.architecture import configuration_overrides, lossy_uses
from infx.recipes.bind import bind_variant
from infx.recipes.target import Target
from infx.recipes.variants import select
from infx.store.recipes import read
from infx.store.registries import registry
from recipe_files import public_recipes

REGISTRY = registry(ArchitectureRegistry)
SKIP = '{"text_config": {"use_index_cache": true, "index_topk_freq": 4}}'
NATIVE = {
    "num_hidden_layers": 61,
    "num_experts_per_tok": 8,
    "index_topk": 2048,
    "torch_dtype": "bfloat16",
    "text_config": {"n_routed_experts": 256, "index_topk_freq": 1, "sliding_window": None},
}


def overrides(args=None, *, native=None, engine="vllm", **role):
    binding = bound(serving(args or {"tp-size": 4}, engine=engine, **role))
    return configuration_overrides(binding, "agg", REGISTRY, native)


def told(found):
    return [(one.key, one.meaning) for one in found]


@pytest.mark.parametrize(
    ("engine", "args", "role"),
    [
        ("vllm", {"hf-overrides": SKIP}, {}),
        ("vllm", {"hf_overrides": SKIP}, {}),
        ("vllm", {"hf-overrides": json.loads(SKIP)}, {}),
        ("vllm", {"x": 1}, {"extra_args": ["--hf-overrides", SKIP]}),
        ("vllm", {"x": 1}, {"extra_args": [f"--hf-overrides={SKIP}"]}),
        ("vllm", {"x": 1}, {"extra_args": [f"--hf_overrides={SKIP}"]}),
        ("vllm", {"x": 1}, {"extra_args": ["--hf-overrides.text_config.use_index_cache", "true",
                                           "--hf-overrides.text_config.index_topk_freq=4"]}),
        ("sglang", {"json-model-override-args": SKIP}, {}),
        ("sglang", {"x": 1}, {"extra_args": ["--json-model-override-args", SKIP]}),
        ("atom", {"hf-overrides": SKIP}, {}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("native", [None, NATIVE])
def test_skipping_the_indexer_is_found_in_every_spelling(engine, args, role, native):
    found = overrides(args, engine=engine, native=native, **role)
    second = "open" if native is None else "less"
    assert told(found) == [
        ("text_config.use_index_cache", "less"),
        ("text_config.index_topk_freq", second),
    ]
    assert all(one.counts and one.where.startswith("recipe.yaml:") for one in found)


@pytest.mark.parametrize("empty", ["{}", {}, None, '{"text_config": {}}'])
def test_an_empty_override_changes_nothing(empty):
    assert overrides({"hf-overrides": empty}, native=NATIVE) == ()


def test_rope_for_longer_contexts_is_allowed():
    yarn = '{"rope_scaling": {"rope_type": "yarn", "factor": 4.0}, "max_position_embeddings": 1}'
    found = overrides({"hf-overrides": yarn})
    assert told(found) == [("rope_scaling", "allowed"), ("max_position_embeddings", "allowed")]
    dotted = overrides(extra_args=["--hf-overrides.rope_scaling.factor", "4"])
    assert told(dotted) == [("rope_scaling.factor", "allowed")]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ('{"num_hidden_layers": 61}', "native"),
        ('{"num_hidden_layers": 60}', "less"),
        ('{"num_hidden_layers": 62}', "less"),
        ('{"num_experts_per_tok": 8.0}', "native"),
        ('{"num_experts_per_tok": 7}', "less"),
        ('{"num_experts_per_tok": 9}', "allowed"),
        ('{"n_routed_experts": 255}', "less"),
        ('{"n_routed_experts": 256}', "native"),
        ('{"text_config": {"index_topk": 2047}}', "less"),
        ('{"index_topk": "1024"}', "less"),
        ('{"index_topk": null}', "open"),
        ('{"index_topk": true}', "open"),
        ('{"text_config": {"sliding_window": 4096}}', "less"),
        ('{"text_config": {"index_topk_freq": 1}}', "native"),
        ('{"torch_dtype": "float16"}', "allowed"),
        ('{"num_attention_heads": 32}', "less"),
        ('{"layer_types": ["full"]}', "less"),
        ('{"some_new_key": 1}', "open"),
        ('{"rope": 1', "open"),
        ("package.module.function", "open"),
        ("[1]", "open"),
    ],
)
def test_a_key_is_compared_with_what_the_checkpoint_has(text, meaning):
    (one,) = overrides({"hf-overrides": text}, native=NATIVE)
    assert one.meaning == meaning, one.because


def test_a_step_of_one_is_what_a_checkpoint_without_the_key_does():
    native = {"num_hidden_layers": 4}
    assert told(overrides({"hf-overrides": '{"index_topk_freq": 1}'}, native=native)) == [
        ("index_topk_freq", "native")
    ]
    assert told(overrides({"hf-overrides": '{"index_topk_freq": 2}'}, native=native)) == [
        ("index_topk_freq", "less")
    ]


def test_of_two_statements_only_the_last_one_counts_and_both_are_told():
    words = ["--hf-overrides", '{"num_hidden_layers": 3}', "--hf-overrides={}"]
    (one,) = overrides(native=NATIVE, extra_args=words)
    assert (one.meaning, one.counts) == ("less", False)
    words = [*words, "--hf-overrides", '{"use_index_cache": true}']
    found = overrides(native=NATIVE, extra_args=words)
    assert [(one.key, one.counts) for one in found] == [
        ("num_hidden_layers", False),
        ("use_index_cache", True),
    ]


def test_an_override_of_sglang_reaches_its_draft():
    args = {"json-model-override-args": '{"num_nextn_predict_layers": 0}'}
    (one,) = overrides(args, engine="sglang", native={"num_nextn_predict_layers": 1})
    assert (one.meaning, one.reaches_draft) == ("less", False)
    drafting = {**args, "speculative-algorithm": "EAGLE"}
    (one,) = overrides(drafting, engine="sglang", native={"num_nextn_predict_layers": 1})
    assert one.reaches_draft


def test_the_line_is_that_of_the_override():
    (one,) = overrides({"a": 1, "b": 2, "hf-overrides": '{"x": 1}'})
    assert (one.where, one.setting, one.native_known) == ("recipe.yaml:3", "hf-overrides", False)


SINGLE, ACC = "speculative-accept-threshold-single", "speculative-accept-threshold-acc"
TOKENS, SHARE = "speculative-token-map", "index_share_for_mtp_iteration"


@pytest.mark.parametrize(
    ("engine", "args", "names"),
    [
        ("sglang", {SINGLE: 0.9}, [SINGLE]),
        ("sglang", {ACC.replace("-", "_"): "0.99"}, [ACC.replace("-", "_")]),
        ("sglang", {SINGLE: 1.0, ACC: 1}, []),
        ("sglang", {SINGLE: "most"}, [SINGLE]),
        ("sglang", {TOKENS: "map.pt"}, [TOKENS]),
        ("vllm", {TOKENS: "map.pt"}, []),
        ("vllm", {"speculative-config": f'{{"{SHARE}": true}}'}, [f"speculative-config.{SHARE}"]),
        ("vllm", {"speculative-config": {SHARE: False}}, []),
        ("vllm", {"sc": {"dspark_draft_topk": 512}}, ["sc.dspark_draft_topk"]),
        ("vllm", {"ac": {"skip_softmax_threshold": 1}}, ["ac.skip_softmax_threshold"]),
    ],
)
def test_settings_of_the_same_class_are_found(engine, args, names):
    binding = bound(serving(args, engine=engine))
    assert [one.setting for one in lossy_uses(binding, "agg", REGISTRY)] == names


def test_no_public_recipe_changes_its_model():
    found = []
    for path in public_recipes():
        document = read(path)
        for variant in select(document, None):
            binding = bind_variant(variant, shared=None, target=Target(), file=document.file)
            for role in binding.tree["roles"]:
                found += configuration_overrides(binding, role, REGISTRY)
                found += lossy_uses(binding, role, REGISTRY)
    assert found == []


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ('{"use_index_cache": true}', "deny"),
        ('{"rope_scaling": {}}', "allow"),
        ('{"index_topk": 1}', "compare-lower"),
        ('{"index_topk_freq": 4}', "compare-higher"),
        ('{"other": 1}', "unlisted"),
        ("text", "unlisted"),
    ],
)
def test_the_registrys_rule_stands_beside_what_follows(text, standing):
    assert [one.standing for one in overrides({"hf-overrides": text})] == [standing]
