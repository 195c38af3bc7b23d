"""The settings of a role under one name each, and where each was written."""

import pytest

from handbound import bound, serving
from infx.recipes.binding import Origin
from infx.recipes.settings import canonical, count, engine_of, is_on, origin, role_settings, where


@pytest.mark.parametrize(
    ("engine", "spelling", "value", "expected"),
    [
        ("sglang", "--tensor-parallel-size", 8, ("tp-size", 8)),
        ("sglang", "tp_size", 8, ("tp-size", 8)),
        ("sglang", "speculative-algo", "eagle", ("speculative-algorithm", "EAGLE")),
        ("vllm", "no-enable-prefix-caching", True, ("enable-prefix-caching", False)),
        ("vllm", "max_num_seqs", 4, ("max-num-seqs", 4)),
        ("vllm", "speculative-config.method", "mtp", ("speculative-config.method", "mtp")),
        ("trtllm", "max-batch-size", 4, ("max_batch_size", 4)),
        ("trtllm", "kv_cache_config.dtype", "fp8", ("kv_cache_config.dtype", "fp8")),
        ("atom", "kv_cache_dtype", "fp8", ("kv-cache-dtype", "fp8")),
    ],
)
def test_one_name_for_all_spellings(engine, spelling, value, expected):
    assert canonical(spelling, value, engine) == expected


def test_parts_of_objects_and_of_json_text():
    args = {
        "speculative-config": '{"method":"mtp","num_speculative_tokens":3}',
        "attention-config": {"backend": "FLASHINFER", "use": None},
        "broken": '{"a":',
    }
    settings = role_settings(bound(serving(args, engine="vllm")), "agg")
    assert {name: [one.value for one in found] for name, found in settings.items()} == {
        "speculative-config.method": ["mtp"],
        "speculative-config.num_speculative_tokens": [3],
        "attention-config.backend": ["FLASHINFER"],
        "broken": ['{"a":'],
    }
    path = ("roles", "agg", "args")
    assert settings["speculative-config.method"][0].path == (*path, "speculative-config")
    assert settings["attention-config.backend"][0].path == (*path, "attention-config", "backend")


def test_words_of_a_command_line():
    words = ["--tp", "4", "--trust-remote-code", "--log-level=info", "--enable-metrics"]
    settings = role_settings(bound(serving({}, extra_args=words)), "agg")
    assert count(settings, "tp-size") == 4
    assert is_on(settings, "trust-remote-code")
    assert is_on(settings, "enable-metrics")
    assert settings["log-level"][0].value == "info"


@pytest.mark.parametrize(
    ("stated", "number"), [(8, 8), ("8", 8), (8.5, None), (True, None), ("8k", None), (None, None)]
)
def test_whole_numbers(stated, number):
    assert count(role_settings(bound(serving({"tp-size": stated})), "agg"), "tp-size") == number


def test_the_engine_of_a_role_wins():
    recipe = serving({}, engine={"type": "vllm", "connector": None})
    assert engine_of(bound(recipe), "agg") == "vllm"
    recipe["roles"]["agg"]["engine"] = "tilert"
    assert engine_of(bound(recipe), "agg") == "tilert"
    assert engine_of(bound({"roles": {"agg": {}}}), "agg") is None


def test_a_part_stands_at_its_leaf_or_near_it():
    binding = bound(serving({"tp-size": 4, "config": {"a": 1, "b": 2}}))
    args = ("roles", "agg", "args")
    assert origin(binding, (*args, "config", "b")) == Origin("base", "recipe.yaml", 3)
    assert origin(binding, (*args, "config")) == Origin("base", "recipe.yaml", 2)
    assert where(binding, (*args, "gone")) == "recipe.yaml:1"
    assert where(bound({}), ("roles",)) == "recipe.yaml"
