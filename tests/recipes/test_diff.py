"""What tells two recipes apart, and what the engine makes of it."""

from handbound import bound, serving
from infx.model.engine_schema import EngineSchema, Flag, SchemaSource
from infx.recipes.diff import diff

DFLASH = {
    "speculative-algorithm": "DFLASH",
    "speculative-draft-attention-backend": "fa4",
    "kv-cache-dtype": "fp8_e4m3",
}
FA4 = ("roles", "agg", "args", "speculative-draft-attention-backend")


def _without(args, *names):
    return {name: value for name, value in args.items() if name not in names}


def _effects(difference):
    return {
        one.setting: (
            one.before and (one.before.value, one.before.how),
            one.after and (one.after.value, one.after.how),
            one.certain,
        )
        for one in difference.effects
    }


def test_a_removed_draft_backend_lets_the_draft_inherit_the_kv_dtype():
    """The case of a public review: fa4 taken away at ten and more concurrent sessions."""
    c8 = bound(serving(DFLASH), variant="override_c8")
    c10 = bound(
        serving(_without(DFLASH, "speculative-draft-attention-backend")),
        variant="override_c10",
        removed={FA4: 40},
    )
    found = diff(c8, c10)
    (leaf,) = found.leaves
    assert (leaf.kind, leaf.path, leaf.role) == ("removed", FA4, "agg")
    assert (leaf.before.value, leaf.before.where) == ("fa4", "recipe.yaml:2")
    assert (leaf.after.value, leaf.after.where) == (None, "recipe.yaml:40")
    assert _effects(found) == {
        "speculative-draft-attention-backend": (
            ("fa4", "stated"),
            ("trtllm_mha", "inherited"),
            False,
        ),
        "speculative-draft-kv-cache-dtype": (
            ("bfloat16", "forced"),
            ("fp8_e4m3", "inherited"),
            False,
        ),
    }
    _, kv = found.effects
    assert kv.after.inherited_from == "kv-cache-dtype"
    assert kv.after.source == "SGLang 0.5.23, Spec in srt/arg_groups/fields/spec.py"


def test_a_stated_target_backend_still_leaves_the_draft_to_the_image():
    args = {**DFLASH, "attention-backend": "trtllm_mha"}
    found = diff(
        bound(serving(args)),
        bound(serving(_without(args, "speculative-draft-attention-backend"))),
    )
    backend = _effects(found)["speculative-draft-attention-backend"]
    assert backend == (("fa4", "stated"), ("trtllm_mha", "inherited"), False)


def test_the_target_quantization_moves_a_draft_without_one():
    args = {"speculative-algorithm": "EAGLE", "quantization": "fp8"}
    found = diff(
        bound(serving(args), image="lmsysorg/sglang:v0.5.23-cu130"),
        bound(
            serving({**args, "quantization": "modelopt_fp4"}),
            image="lmsysorg/sglang:v0.5.23-cu130",
        ),
    )
    assert _effects(found) == {
        "speculative-draft-model-quantization": (
            ("fp8", "inherited"),
            ("modelopt_fp4", "inherited"),
            True,
        )
    }
    assert found.notes == ()


def test_another_version_of_the_image_makes_nothing_certain():
    args = {"speculative-algorithm": "EAGLE", "quantization": "fp8"}
    image = "lmsysorg/sglang:v0.5.14-cu130@sha256:" + 64 * "0"
    found = diff(
        bound(serving(args), image=image),
        bound(serving({**args, "quantization": "modelopt_fp4"}), image=image),
    )
    assert [one.certain for one in found.effects] == [False]
    assert found.notes == ("rules were read in SGLang 0.5.23; the image is 0.5.14",)


def test_an_explicit_draft_quantization_stays():
    args = {
        "speculative-algorithm": "EAGLE",
        "quantization": "fp8",
        "speculative-draft-model-quantization": "unquant",
    }
    found = diff(bound(serving(args)), bound(serving({**args, "quantization": "modelopt_fp4"})))
    assert found.effects == ()


def test_a_default_of_the_same_value_is_told():
    args = {"chunked-prefill-size": 16384}
    found = diff(bound(serving(args)), bound(serving({})))
    assert _effects(found) == {
        "chunked-prefill-size": ((16384, "stated"), (16384, "default"), False)
    }


def test_a_removed_admission_falls_to_the_cap_of_speculation():
    args = {"speculative-algorithm": "DSPARK", "max-running-requests": 64}
    found = diff(bound(serving(args)), bound(serving(_without(args, "max-running-requests"))))
    told = _effects(found)
    assert told["max-running-requests"] == ((64, "stated"), (48, "default"), True)
    assert told["cuda-graph-max-bs-decode"] == ((64, "default"), (48, "default"), False)


def test_both_spellings_are_one_setting():
    found = diff(
        bound(serving({"speculative-algo": "eagle", "quantization": "fp8"})),
        bound(serving({"speculative_algorithm": "EAGLE", "quantization": "fp8"})),
    )
    assert found.effects == ()
    assert [leaf.kind for leaf in found.leaves] == ["removed", "added"]


def test_vllm_draft_inherits_kv_and_moe_but_never_attention():
    args = {
        "kv-cache-dtype": "fp8",
        "moe-backend": "triton",
        "attention-backend": "FLASHINFER",
        "speculative-config": '{"method":"mtp","num_speculative_tokens":3}',
    }
    other = {**args, "kv-cache-dtype": "auto", "attention-backend": "FLASH_ATTN"}
    found = diff(bound(serving(args, engine="vllm")), bound(serving(other, engine="vllm")))
    assert _effects(found) == {
        "speculative-config.kv_cache_dtype": (("fp8", "inherited"), ("auto", "inherited"), True)
    }


def test_equal_numbers_of_other_kinds_differ():
    found = diff(bound({"environment": {"A": "1"}}), bound({"environment": {"A": 1}}))
    assert [(leaf.kind, leaf.before.value, leaf.after.value) for leaf in found.leaves] == [
        ("changed", "1", 1)
    ]


def test_equal_recipes_have_no_difference():
    found = diff(bound(serving(DFLASH)), bound(serving(DFLASH)))
    assert (found.leaves, found.effects) == ((), ())


def test_engines_without_rules_say_so():
    found = diff(
        bound(serving({"max-num-seqs": 4}, engine="atom")),
        bound(serving({"max-num-seqs": 8}, engine="atom")),
    )
    assert found.notes == ("derived effects of agg are not checked: no rules for atom",)


def test_a_role_of_one_side_only_is_said():
    both = {
        "engine": "sglang",
        "roles": {"prefill": {"args": {"tp-size": 4}}, "decode": {"args": {"tp-size": 4}}},
    }
    found = diff(bound(both), bound(serving({"tp-size": 4})))
    assert found.notes == (
        "only A has a role prefill: its settings have no other side",
        "only A has a role decode: its settings have no other side",
        "only B has a role agg: its settings have no other side",
    )


def test_flags_without_a_rule_have_the_default_of_their_schema():
    schema = EngineSchema(
        engine="sglang",
        version="0.5.23",
        source=SchemaSource(origin="a wheel", method="read"),
        flags={"schedule-policy": Flag(kind="str", default="fcfs"), "watch": Flag(kind="int")},
    )
    found = diff(
        bound(serving({"schedule-policy": "lpm", "watch": 3})),
        bound(serving({})),
        schemas={"sglang": schema},
    )
    assert _effects(found) == {"schedule-policy": (("lpm", "stated"), ("fcfs", "default"), True)}


def test_parts_of_a_list_are_compared_one_by_one():
    a = {"services": [{"type": "etcd"}, {"type": "nats", "nodes": 1}], "sizes": [1, 2]}
    b = {"services": [{"type": "etcd"}, {"type": "nats", "nodes": 2}], "sizes": [1, 2, 4]}
    found = diff(bound(a), bound(b))
    assert [(leaf.path, leaf.before.value, leaf.after.value) for leaf in found.leaves] == [
        (("services", 1, "nodes"), 1, 2),
        (("sizes",), [1, 2], [1, 2, 4]),
    ]
