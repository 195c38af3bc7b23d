"""What each engine reads a draft length from, and how it is made to accept one."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.recipes.acceptance import atom, sglang, tilert, trtllm, vllm
from infx.recipes.acceptance.role import Injection, Role
from refusals import refusal

AL = Decimal("3.50")


def where(*path):
    return f"toy.yaml:{len(path)}"


def role(engine, args, env=None, name="agg"):
    return Role(name, engine, args, env or {}, where)


@pytest.mark.parametrize(
    ("args", "method", "length"),
    [
        ({"speculative-algorithm": "EAGLE", "speculative-num-steps": 3}, "eagle", 3),
        ({"speculative-algo": "NEXTN", "speculative-num-steps": 2}, "nextn", 2),
        ({"speculative-algorithm": "EAGLE", "speculative-algo": "eagle",
          "speculative-num-steps": 2}, "eagle", 2),
        ({"speculative-algorithm": "MTP", "speculative-num-steps": 1,
          "speculative-num-draft-tokens": 9}, "mtp", 1),
        ({"speculative-algorithm": "DSPARK", "speculative-dspark-block-size": 6,
          "speculative-num-steps": 1, "speculative-num-draft-tokens": 7}, "dspark", 6),
        ({"speculative-algorithm": "DFLASH", "speculative-num-draft-tokens": 8}, "dflash", 7),
    ],
)  # fmt: skip
def test_sglang_reads_the_argument_of_the_method(args, method, length):
    found = sglang.read(role("sglang", args))
    assert (found.method, found.length) == (method, length)


def test_sglang_does_not_speculate_without_an_algorithm():
    assert sglang.read(role("sglang", {"speculative-num-steps": 3})) is None
    assert sglang.read(role("sglang", {"speculative-algorithm": None})) is None


def test_sglang_refuses_two_spellings_that_differ():
    args = {"speculative-algorithm": "EAGLE", "speculative-algo": "DSPARK"}
    assert refusal(lambda: sglang.read(role("sglang", args))) == (
        "toy.yaml:4: roles.agg: speculative-algorithm is EAGLE and speculative-algo is DSPARK; "
        "keep one of them"
    )


@pytest.mark.parametrize(
    ("value", "stated"),
    [(None, "missing"), (True, "True"), (0, "0"), (-2, "-2"), ("3", "'3'"), (2.0, "2.0")],
)
def test_a_draft_length_is_a_positive_integer(value, stated):
    args = {"speculative-algorithm": "EAGLE", "speculative-num-steps": value}
    assert refusal(lambda: sglang.read(role("sglang", args))) == (
        "toy.yaml:4: roles.agg: the draft length speculative-num-steps must be a positive "
        f"integer, and is {stated}; state speculative-num-steps"
    )


def test_a_dflash_block_of_the_target_alone_drafts_nothing():
    args = {"speculative-algorithm": "DFLASH", "speculative-num-draft-tokens": 1}
    assert "must be an integer above 1, and is 1" in refusal(
        lambda: sglang.read(role("sglang", args))
    )


def test_sglang_is_told_by_three_variables():
    assert sglang.force(role("sglang", {}), AL) == Injection(
        set_env={
            "SGLANG_SIMULATE_ACC_LEN": "3.5",
            "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
            "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
        }
    )


SPEC = {"method": "mtp", "num_speculative_tokens": 3, "attention_backend": "FA"}


def test_vllm_reads_its_object_as_text_or_as_a_mapping():
    for config in (json.dumps(SPEC), SPEC):
        found = vllm.read(role("vllm", {"speculative-config": config}))
        assert (found.method, found.length) == ("mtp", 3)
    drafted = {**SPEC, "model": "maker/draft", "draft_sample_method": "greedy"}
    found = vllm.read(role("vllm", {"speculative_config": drafted}))
    assert (found.draft_model, found.sampling) == ("maker/draft", "greedy")
    assert vllm.read(role("vllm", {"speculative-config": None})) is None


@pytest.mark.parametrize(
    ("config", "what"),
    [
        ("[3]", "speculative-config is not an object; write one JSON object"),
        ("{'method'", "speculative-config is not JSON: Expecting property name"),
        ('{"num_speculative_tokens":3}', 'speculative-config states no method; add "method"'),
        ('{"method":"mtp"}', "the draft length speculative-config.num_speculative_tokens must be"),
        ('{"method":"mtp","num_speculative_tokens":true}', "and is True"),
    ],
)
def test_vllm_refuses_an_object_that_says_too_little(config, what):
    said = refusal(lambda: vllm.read(role("vllm", {"speculative-config": config})))
    assert said.startswith("toy.yaml:")
    assert what in said


def test_vllm_keeps_the_rest_of_its_object_and_its_form():
    text = json.dumps({**SPEC, "rejection_sample_method": "block"})
    (forced,) = vllm.force(role("vllm", {"speculative-config": text}), AL).set_args.values()
    assert forced == (
        '{"method":"mtp","num_speculative_tokens":3,"attention_backend":"FA",'
        '"rejection_sample_method":"synthetic","synthetic_acceptance_length":3.5}'
    )
    mapping = {**SPEC, "synthetic_acceptance_rates": [0.9]}
    forced = vllm.force(role("vllm", {"speculative-config": mapping}), Decimal("3.00")).set_args
    assert forced == {
        "speculative-config": {
            **SPEC,
            "rejection_sample_method": "synthetic",
            "synthetic_acceptance_length": 3,
        }
    }


def test_vllm_goes_back_to_block_only_where_it_was_synthetic():
    stale = {**SPEC, "rejection_sample_method": "synthetic", "synthetic_acceptance_length": 2.5}
    assert vllm.release(role("vllm", {"speculative-config": stale})).set_args == {
        "speculative-config": {**SPEC, "rejection_sample_method": "block"}
    }
    half = {**SPEC, "synthetic_acceptance_length": 2.5}
    assert vllm.release(role("vllm", {"speculative-config": half})).set_args == {
        "speculative-config": {**SPEC, "rejection_sample_method": "block"}
    }
    real = {**SPEC, "rejection_sample_method": "standard"}
    assert vllm.release(role("vllm", {"speculative-config": real})) == Injection()
    assert vllm.release(role("vllm", {})) == Injection()


@pytest.mark.parametrize(
    "config",
    [
        {"decoding_type": "MTP", "max_draft_len": 3},
        {"decoding_type": "MTP", "num_nextn_predict_layers": 3},
        {"decoding_type": "MTP", "num_nextn_predict_layers": 3, "max_draft_len": 3},
    ],
)
def test_trtllm_reads_either_name_of_its_length(config):
    found = trtllm.read(role("trtllm", {"speculative_config": config}))
    assert (found.method, found.length) == ("mtp", 3)


@pytest.mark.parametrize(
    ("config", "what"),
    [
        ({"decoding_type": "MTP", "max_draft_len": 3, "num_nextn_predict_layers": 1},
         "speculative_config.max_draft_len is 3 and num_nextn_predict_layers is 1"),
        ({"decoding_type": "MTP"}, "the draft length speculative_config.max_draft_len must be"),
        ({"max_draft_len": 3}, "speculative_config states no decoding_type"),
        ("mtp", "speculative_config is not a mapping"),
    ],
)  # fmt: skip
def test_trtllm_refuses_what_it_cannot_tell(config, what):
    assert what in refusal(lambda: trtllm.read(role("trtllm", {"speculative_config": config})))


def test_trtllm_does_not_count_the_targets_token():
    for al, accepted in (("3.50", "2.5"), ("2.49", "1.49"), ("3.00", "2")):
        assert trtllm.force(role("trtllm", {}), Decimal(al)).set_env == {
            "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": accepted
        }
    env = {"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": "1.49"}
    (found,) = trtllm.stated(role("trtllm", {}, env))
    assert found.al == Decimal("2.49")


def test_atom_reads_both_spellings_and_counts_dspark_as_probabilistic():
    found = atom.read(role("atom", {"method": "mtp", "num_speculative_tokens": 3}))
    assert (found.method, found.length, found.sampling) == ("mtp", 3, None)
    found = atom.read(role("atom", {"method": "DSpark", "num-speculative-tokens": 7}))
    assert (found.method, found.sampling) == ("dspark", "probabilistic")
    assert atom.read(role("atom", {"num-speculative-tokens": 7})) is None


def test_atom_takes_the_length_itself_and_drops_its_other_forms():
    stale = {"method": "mtp", "spec_decode_acceptance_length": 2, "spec-decode-acceptance-rate": 1}
    assert atom.force(role("atom", stale), AL) == Injection(
        set_args={"spec-decode-acceptance-length": 3.5},
        unset_args=("spec_decode_acceptance_length", "spec-decode-acceptance-rate"),
    )
    assert atom.release(role("atom", stale)).unset_args == (
        "spec_decode_acceptance_length",
        "spec-decode-acceptance-rate",
    )


@pytest.mark.parametrize("config", ['{"confidence_schedule": true}', {"confidence_schedule": 0.5}])
def test_atom_refuses_the_confidence_scheduler(config):
    args = {"method": "dspark", "num-speculative-tokens": 7, "dspark-config": config}
    assert refusal(lambda: atom.force(role("atom", args), AL)) == (
        "toy.yaml:4: roles.agg: acceptance cannot be simulated under DSpark's confidence "
        "scheduler; set confidence_schedule to false"
    )
    off = {**args, "dspark-config": '{"confidence_schedule": false}'}
    assert atom.force(role("atom", off), AL).set_args


def test_tilert_speculates_only_with_mtp():
    found = tilert.read(role("tilert", {"with-mtp": True, "num-mtp": 3}))
    assert (found.method, found.length) == ("mtp", 3)
    assert tilert.read(role("tilert", {"with-mtp": False, "num-mtp": 3})) is None
    assert tilert.force(role("tilert", {}), AL).set_env == {
        "TILERT_SIMULATE_ACC_LEN": "3.5",
        "TILERT_SIMULATE_ACC_METHOD": "match-expected",
    }


MEMBERS = st.dictionaries(
    st.sampled_from(["model", "attention_backend", vllm.METHOD, vllm.LENGTH, vllm.RATES, "x"]),
    st.sampled_from(["synthetic", "block", 1, None, [0.5]]),
)


@given(MEMBERS, st.booleans(), st.integers(100, 900))
def test_vllm_forced_and_released_is_real_and_keeps_the_rest(members, as_text, hundredths):
    config = {**members, "method": "mtp", "num_speculative_tokens": 8}
    value = json.dumps(config) if as_text else config
    al = Decimal(hundredths) / 100
    forced = vllm.force(role("vllm", {"speculative-config": value}), al).set_args
    (found,) = vllm.stated(role("vllm", forced))
    assert found.al == al
    released = vllm.release(role("vllm", forced)).set_args["speculative-config"]
    assert isinstance(released, str) == as_text
    left = json.loads(released) if as_text else released
    simulated = {vllm.METHOD, vllm.LENGTH, vllm.RATES}
    assert left.pop(vllm.METHOD) == "block"
    assert left == {key: config[key] for key in config if key not in simulated}
