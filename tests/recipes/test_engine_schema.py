"""What the shipped schemas say of recipes, each finding as `severity place: what; remedy`."""

import pytest

from handbound import bound, serving
from infx.recipes.engine_schema import check, image_version
from infx.store.shipped import engine_schema

SGLANG = engine_schema("sglang", "0.5.23")
VLLM = engine_schema("vllm", "0.32.0")
KNOWN = {"sglang": "lmsysorg/sglang:v0.5.23-cu130", "vllm": "vllm/vllm-openai:v0.32.0"}
NIGHTLY = "lmsysorg/sglang:nightly-dev-20260916-c9a8fba9"

THREADS = {
    "served-model-name": "deepseek-ai/DeepSeek-V4-Pro-0813",
    "tp-size": 4,
    "ep-size": 4,
    "quantization": "modelopt_fp4",
    "moe-runner-backend": "flashinfer_trtllm",
    "kv-cache-dtype": "fp8_e4m3",
    "enable-layernorm-sp": True,
    "speculative-algorithm": "DFLASH",
    "speculative-draft-model-path": "RadixArk/Muse-Spark-Open-DFlash2",
    "speculative-num-draft-tokens": 8,
    "speculative-draft-attention-backend": "fa4",
    "speculative_draft_kv_cache_dtype": "fp8_e4m3",
    "swa-full-tokens-ratio": 0.1,
    "hicache-size": 120,
    "reasoning-parser": "muse",
    "tool-call-parser": "muse",
    "chat-template": "/model/chat_template.jinja",
    "max-running-requests": 8,
    "cuda-graph-max-bs-decode": 8,
    "cuda-graph-backend-prefill": "breakable",
    "chunked-prefill-size": 8192,
    "max-prefill-tokens": 8192,
    "mem-fraction-static": 0.85,
    "schedule-policy": "shortest-prefill-first",
    "prefill-decode-interval": 4,
    "enable-metrics": True,
    "json-model-override-args": "{}",
    "enable-deepseek-v4-fp4-indexer": True,
    "enable-w4a4-mxfp4-megamoe": True,
}
"""Every setting that two public reviews name, with the values they name."""

THREADS_ENVIRONMENT = {
    "SGLANG_TIMEOUT_KEEP_ALIVE": "900",
    "SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK": "9216",
    "SGLANG_OPT_UNIFIED_CACHE_FREE_OUT_OF_WINDOW_SLOTS": "1",
    "SGLANG_SIMULATE_ACC_LEN": "4.05",
    "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
    "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
    "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE": "0",
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    "PYTHONUNBUFFERED": "1",
    "PYTHONNOUSERSITE": "1",
}


def _said(args=None, *, engine="sglang", image=None, frontend="sglang", **owner):
    tree = serving(args or {}, engine=engine, **owner) | {"frontend": {"type": frontend}}
    schema = {"sglang": SGLANG, "vllm": VLLM}.get(engine)
    binding = bound(tree, image=image or KNOWN.get(engine))
    return [f"{one.severity} {one.problem}" for one in check(binding, schema)]


def test_everything_that_public_reviews_name_passes():
    assert _said(THREADS, env=THREADS_ENVIRONMENT) == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            {"max-runing-requests": 8},
            "max-runing-requests: unknown flag (sglang 0.5.23); did you mean max-running-requests?",
        ),
        (
            {"chunked-prefill": 8192},
            (
                "chunked-prefill: unknown flag (sglang 0.5.23); "
                "write the whole name: chunked-prefill-size"
            ),
        ),
        (
            {"cuda-graph-max-bs": 8},
            (
                "cuda-graph-max-bs: unknown flag (sglang 0.5.23); write the whole name: "
                "cuda-graph-max-bs-decode or cuda-graph-max-bs-prefill"
            ),
        ),
        (
            {"wax-the-floor": True},
            (
                "wax-the-floor: unknown flag (sglang 0.5.23); "
                "infx engines flags sglang@0.5.23 lists what it takes"
            ),
        ),
        (
            {"schedule-policy": "shortest-prefil-first"},
            (
                "schedule-policy: 'shortest-prefil-first' is not a choice (sglang 0.5.23); "
                "did you mean shortest-prefill-first?"
            ),
        ),
        (
            {"cuda_graph_backend_prefill": "tc_piecewise"},
            (
                "cuda_graph_backend_prefill: 'tc_piecewise' is not a choice (sglang 0.5.23); "
                "known are full, breakable, disabled"
            ),
        ),
        (
            {"tp-size": "four"},
            "tp-size: expected a whole number, got 'four' (sglang 0.5.23)",
        ),
        (
            {"enable-metrics": "yes"},
            "enable-metrics: takes no value, got 'yes' (sglang 0.5.23); write true",
        ),
        (
            {"no-enable-metrics": True},
            "no-enable-metrics: unknown flag (sglang 0.5.23); did you mean enable-metrics?",
        ),
        (
            {"cuda-graph-config.decode": 1},
            (
                "cuda-graph-config.decode: cuda-graph-config has no parts (sglang 0.5.23); "
                "write cuda-graph-config"
            ),
        ),
    ],
)
def test_a_flag_that_sglang_does_not_take(args, said):
    assert _said(args) == [f"error recipe.yaml:1: {said}"]


@pytest.mark.parametrize(
    ("image", "note"),
    [
        (NIGHTLY, f"sglang 0.5.23, but the image's version is not known ({NIGHTLY})"),
        ("lmsysorg/sglang:v0.5.24", "sglang 0.5.23, but the image is 0.5.24"),
        ("lmsysorg/sglang:v0.5.23.post1", "sglang 0.5.23, but the image is 0.5.23.post1"),
        (
            "somebody/sglang:v0.5.23",
            "sglang 0.5.23, but the image's version is not known (somebody/sglang:v0.5.23)",
        ),
        (
            "lmsysorg/sglang@sha256:00",
            "sglang 0.5.23, but the image's version is not known (lmsysorg/sglang@sha256:00)",
        ),
    ],
)
def test_another_image_makes_a_warning_of_an_error(image, note):
    said = f"tp-size: expected a whole number, got 'x' ({note})"
    assert _said({"tp-size": "x"}, image=image) == [f"warn recipe.yaml:1: {said}"]


def test_null_and_false_leave_a_flag_out():
    assert _said({"tp-size": None, "enable-metrics": False}) == []


def test_deprecated_flags_and_variables_are_told_with_their_successors():
    assert _said({"enable-dp-attention": True}, env={"SGL_ENABLE_JIT_DEEPGEMM": "1"}) == [
        (
            "info recipe.yaml:1: enable-dp-attention: deprecated flag (sglang 0.5.23); "
            "use --attn-dp-size <dp-size>"
        ),
        (
            "info recipe.yaml:2: SGL_ENABLE_JIT_DEEPGEMM: deprecated name of a variable "
            "(sglang 0.5.23); write SGLANG_ENABLE_JIT_DEEPGEMM"
        ),
    ]


def test_variables_of_the_engine_are_known_or_refused_and_others_are_foreign():
    env = {
        "SGLANG_TIMEOUT_KEEP_ALVE": "900",
        "SGLANG_ENABLE_SPEC_V2": "1",
        "SGLANG_LOG_MS": "on",
        "NCCL_MNNVL_ENABLE": "1",
        "UCX_TLS": "tcp",
        "MC_FORCE_MNNVL": "1",
        "DYN_LOG": "info",
        "AIPERF_X": "1",
        "CUDA_SCALE_LAUNCH_QUEUES": "4x",
        "VLLM_NOT_OURS": "1",
    }
    assert _said(env=env) == [
        (
            "error recipe.yaml:2: SGLANG_TIMEOUT_KEEP_ALVE: unknown environment variable "
            "(sglang 0.5.23); did you mean SGLANG_TIMEOUT_KEEP_ALIVE?"
        ),
        (
            "error recipe.yaml:3: SGLANG_ENABLE_SPEC_V2: unknown environment variable "
            "(sglang 0.5.23); sglang 0.5.23 does not read it"
        ),
        (
            "error recipe.yaml:4: SGLANG_LOG_MS: 'on' is no boolean (sglang 0.5.23); "
            "write one of true, 1, yes, y, false, 0, no, n"
        ),
    ]


def test_vllm_takes_negated_flags_parts_of_objects_and_json_in_both_forms():
    args = {
        "no-enable-prefix-caching": True,
        "compilation-config.cudagraph_mode": "FULL",
        "attention-config": {"backend": "FLASHINFER"},
        "kv-transfer-config": '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}',
        "max-model-len": "auto",
        "max-num-batched-tokens": "8k",
        "moe-backend": "Deep-Gemm",
        "cudagraph-capture-sizes": [1, 2, 4],
        "connector": "nixl",
    }
    assert _said(args, engine="vllm") == []


def test_vllm_leaves_its_default_where_false_only_drops_a_flag():
    assert _said({"enable-prefix-caching": False, "enable-eplb": False}, engine="vllm") == [
        (
            "warn recipe.yaml:1: enable-prefix-caching: false leaves the flag out, the default is "
            "the engine's choice (vllm 0.32.0); write no-enable-prefix-caching"
        )
    ]


def test_a_whole_number_that_vllm_would_not_start_with():
    assert _said(env={"VLLM_USE_STANDALONE_COMPILE": "x"}, engine="vllm") == []
    assert _said(env={"VLLM_BATCH_INVARIANT": "true"}, engine="vllm") == [
        (
            "error recipe.yaml:2: VLLM_BATCH_INVARIANT: expected a whole number, got 'true' "
            "(vllm 0.32.0)"
        )
    ]


def test_words_of_extra_args_and_the_environment_of_all_roles_are_checked():
    tree = serving({}, extra_args=["--tp-size", "4", "--bogus=1", "-tp", "--enable-metrics"])
    tree["environment"] = {"SGLANG_BOGUS": "1"}
    binding = bound(tree, image=KNOWN["sglang"])
    assert [str(one.problem) for one in check(binding, SGLANG)] == [
        (
            "recipe.yaml:2: bogus: unknown flag (sglang 0.5.23); "
            "infx engines flags sglang@0.5.23 lists what it takes"
        ),
        (
            "recipe.yaml:2: -tp: unknown flag (sglang 0.5.23); "
            "infx engines flags sglang@0.5.23 lists what it takes"
        ),
        (
            "recipe.yaml:6: SGLANG_BOGUS: unknown environment variable (sglang 0.5.23); "
            "sglang 0.5.23 does not read it"
        ),
    ]


def test_dynamo_may_take_an_unknown_flag_for_itself():
    args = {"migration-limit": 3, "dyn-tool-call-parser": "muse", "tp-size": "x"}
    assert _said(args, frontend="dynamo") == [
        (
            "warn recipe.yaml:1: migration-limit: unknown flag (sglang 0.5.23); "
            "infx engines flags sglang@0.5.23 lists what it takes"
        ),
        "error recipe.yaml:3: tp-size: expected a whole number, got 'x' (sglang 0.5.23)",
        "info recipe.yaml: not checked: no schema for dynamo's own flags",
    ]


@pytest.mark.parametrize("engine", ["trtllm", "atom"])
def test_an_engine_without_a_schema_is_said_to_be_unchecked(engine):
    assert _said({"anything": 1}, engine=engine) == [
        f"info recipe.yaml: not checked: no schema for {engine}"
    ]


@pytest.mark.parametrize(
    ("engine", "image", "version"),
    [
        ("sglang", "docker.io/lmsysorg/sglang:v0.5.14-cu130@sha256:50", "0.5.14"),
        ("sglang", "lmsysorg#sglang:v0.5.8.post1-cu130-amd64", "0.5.8.post1"),
        ("vllm", "vllm/vllm-openai:v0.20.1-ubuntu2404", "0.20.1"),
        ("vllm", "vllm/vllm-openai:vllm-x86_64-cu13-0.25.1-7a33ba9", None),
        ("vllm", "vllm/vllm-openai:nightly-4080263bb2c5d10deac17aaeb88e0823bc35bca9", None),
        ("sglang", "rocm/sgl-dev:v0.5.9-rocm720-mi35x-20260227", None),
        ("sglang", "dynamo-sglang", None),
        ("sglang", "lmsysorg/sglang:dev-muse-spark-open@sha256:8c", None),
        ("vllm", "lmsysorg/sglang:v0.5.14", None),
        ("sglang", None, None),
    ],
)
def test_the_version_that_an_image_says(engine, image, version):
    assert image_version(engine, image) == version
