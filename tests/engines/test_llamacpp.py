"""A recipe becomes exactly these words; a start log becomes facts, each with its line."""

import importlib

import pytest

from infx.engines import ENGINES
from infx.engines import llamacpp as engine
from infx.errors import InputError
from infx.model.recipe import BoundRecipe, Site
from infx.servers import llamacpp as server

SITE = Site(paths={"weights": "/models/smol.gguf"})


def recipe(**fields) -> BoundRecipe:
    return BoundRecipe(**{"name": "smol", "model": "smollm2", "site": SITE, **fields})


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GOLDEN = [
    (
        recipe(),
        (
            "py -m infx.servers.llamacpp --model /models/smol.gguf --alias smollm2"
            " --host 127.0.0.1 --port 8001 --metrics --verbosity 4"
        ),
    ),
    (
        recipe(
            flags={
                "parallel": 8,
                "ctx-size": 16384,
                "cache-prompt": False,
                "cache-type-k": "q8_0",
                "threads": 2,
            }
        ),
        (
            "py -m infx.servers.llamacpp --model /models/smol.gguf --alias smollm2"
            " --host 127.0.0.1 --port 8001 --no-cache-prompt --cache-type-k q8_0 --ctx-size 16384"
            " --metrics --parallel 8 --threads 2 --verbosity 4"
        ),
    ),
    (
        recipe(
            model="tiny",
            flags={
                "verbosity": 3,
                "no-warmup": True,
                "metrics": False,
                "no-kv-unified": False,
                "flash-attn": "off",
                "threads": None,
            },
        ),
        (
            "py -m infx.servers.llamacpp --model /models/smol.gguf --alias tiny"
            " --host 127.0.0.1 --port 8001 --flash-attn off --kv-unified --no-metrics"
            " --verbosity 3 --no-warmup"
        ),
    ),
]


@pytest.mark.parametrize(("asked", "argv"), GOLDEN)
def test_a_recipe_becomes_these_words(asked, argv):
    (process,) = engine.plan(asked, port=8001, python="py").processes
    assert process.name == "llamacpp"
    assert process.argv == words(argv)


@pytest.mark.parametrize(("asked", "argv"), GOLDEN)
def test_the_server_understands_the_words_of_the_plan(asked, argv):
    options = server.parser().parse_args(words(argv)[3:])
    assert options.port == 8001
    assert options.alias == asked.model


def test_the_order_of_flags_in_a_recipe_does_not_matter():
    one = recipe(flags={"threads": 1, "parallel": 2})
    two = recipe(flags={"parallel": 2, "threads": 1})
    assert engine.plan(one, port=1, python="p") == engine.plan(two, port=1, python="p")


def test_a_plan_says_where_the_server_answers_and_with_what():
    site = Site(paths=SITE.paths, health_limit_s=30)
    asked = recipe(site=site, environment={"OMP_NUM_THREADS": "2"}, flags={"metrics": None})
    plan = engine.plan(asked, port=8001, python="py")
    assert plan.endpoint.url == "http://127.0.0.1:8001"
    assert plan.endpoint.model == "smollm2"
    assert plan.ready_limit_s == 30.0
    assert plan.metrics_path is None
    assert plan.processes[0].environment == {"OMP_NUM_THREADS": "2"}
    assert engine.plan(recipe(), port=1, python="py").metrics_path == "/metrics"


def test_all_problems_of_a_recipe_come_at_once():
    broken = recipe(
        model=None,
        site=Site(),
        draft={"model": "d"},
        topology={"tp": 2, "pp": 1},
        disaggregated=True,
        flags={
            "ctx_size": 1,
            "port": 80,
            "parallel": "eight",
            "threads": True,
            "metrics": 1,
            "cache-type-k": "q8",
            "warmup": True,
            "no-warmup": True,
        },
    )
    with pytest.raises(InputError) as caught:
        engine.plan(broken, port=1, python="py")
    assert str(caught.value).splitlines() == [
        "recipe smol: no weights; state the GGUF file as site.paths.weights",
        "recipe smol: no model name; state it as model",
        "recipe smol: llamacpp is not told to speculate yet; leave out draft, speculative",
        "recipe smol: llamacpp runs as one process, not tp 2; leave it out",
        "recipe smol: llamacpp serves no disaggregated roles; leave it out",
        "recipe smol, flag ctx_size: unknown flag; did you mean ctx-size?",
        "recipe smol, flag port: set by the launcher; the launcher takes a free one",
        "recipe smol, flag parallel: expected a whole number, got 'eight'",
        "recipe smol, flag threads: expected a whole number, got True",
        "recipe smol, flag metrics: expected true or false, got 1",
        "recipe smol, flag cache-type-k: 'q8' is not a choice; did you mean q8_0?",
        "recipe smol, flag no-warmup: stated together with warmup; keep one",
    ]


def test_engine_and_server_know_the_same_flags():
    """They may not import each other; here their two lists are held together."""
    assert server.INTEGERS.keys() == engine.INTEGERS
    assert server.SWITCHES.keys() == engine.SWITCHES
    assert engine.CHOICES["cache-type-k"] == engine.CHOICES["cache-type-v"] == server.CACHE_TYPES
    assert engine.CHOICES["flash-attn"] == tuple(server.FLASH_ATTENTION)
    every = engine.INTEGERS | engine.SWITCHES | engine.CHOICES.keys() | engine.LAUNCHER_FLAGS.keys()
    options = {
        option.removeprefix("--")
        for action in server.parser()._actions
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    }
    assert {option for option in options if not option.startswith("no-")} == every


LOG = """\
infx.servers.llamacpp: xllamacpp 2026.10.11549
0.00.002.646 I srv          init: build_info: b0-unknown
0.00.002.722 I cmn  common_param: system_info: n_threads = 2 (n_threads_batch = 1) / 2 | \
CPU : SSE3 = 1 | AVX2 = 1 | REPACK = 1 |
0.00.004.961 I srv    load_model: loading model '/models/smol (v1).gguf'
0.00.311.711 I print_info: file type   = Q4_1
0.00.454.136 I load_tensors: loading model tensors, this can take a while... (load_mode = mmap)
0.00.463.253 I llama_context: n_ctx                 = 16384
0.00.463.254 I llama_context: n_ctx_seq             = 2048
0.00.463.254 I llama_context: n_batch               = 2048
0.00.463.255 I llama_context: n_ubatch              = 512
0.00.463.256 I llama_context: flash_attn            = auto
0.00.939.380 I llama_kv_cache: size =  360.00 MiB (  2048 cells,  30 layers,  8/8 seqs), \
K (f16):  180.00 MiB, V (q8_0):  180.00 MiB
0.00.941.801 I resolve_fused_ops: Flash Attention enabled
0.01.095.538 I srv    load_model: initializing, n_slots = 8, n_ctx_slot = 2048, kv_unified = 'false'
0.01.095.619 I srv    load_model: prompt cache is enabled, size limit: 8192 MiB
0.01.098.980 I srv          init: listening on http://127.0.0.1:18981
0.01.487.774 I slot launch_slot_: n_slots = 1, n_ctx_slot = 1
"""


def test_a_start_log_becomes_facts():
    observed = engine.observe(LOG)
    assert {name: fact["value"] for name, fact in observed.items()} == {
        "xllamacpp": "2026.10.11549",
        "build": "b0-unknown",
        "threads": 2,
        "threads_batch": 1,
        "cpu_features": "CPU : SSE3 = 1 | AVX2 = 1 | REPACK = 1",
        "model_path": "/models/smol (v1).gguf",
        "quantisation": "Q4_1",
        "load_mode": "mmap",
        "n_ctx": 16384,
        "n_batch": 2048,
        "n_ubatch": 512,
        "flash_attn": "enabled",
        "cache_type_k": "f16",
        "cache_type_v": "q8_0",
        "kv_cache_mib": 360.0,
        "n_slots": 8,
        "n_ctx_slot": 2048,
        "kv_unified": False,
        "prompt_cache_mib": 8192,
        "listening": "http://127.0.0.1:18981",
    }


def test_a_fact_stands_with_its_line():
    assert engine.observe(LOG)["n_slots"] == {
        "value": 8,
        "line": 14,
        "text": "0.01.095.538 I srv    load_model: initializing, n_slots = 8, n_ctx_slot = 2048,"
        " kv_unified = 'false'",
    }


def test_a_log_of_something_else_states_nothing():
    assert engine.observe("") == {}
    assert engine.observe("hello\nn_slots = many\n") == {}


def test_every_engine_of_the_table_has_the_three_names():
    for name, module in ENGINES.items():
        found = importlib.import_module(module)
        assert name == found.NAME
        assert callable(found.plan)
        assert callable(found.observe)
