"""Every public recipe against the shipped schemas: what is unknown is a fact, not a gap.

The names below were looked up in every file of both wheels, native code too. None stands there,
but two short forms in texts for people: `cuda-graph-max-bs` in a warning of SGLang, and
`kv-cache-memory` in log lines and a comment of vLLM.
"""

import pytest

from infx.recipes.bind import bind_variant
from infx.recipes.engine_schema import check
from infx.recipes.settings import engine_of, roles_of
from infx.recipes.target import Target
from infx.recipes.variants import variants
from infx.store.documents import read_yaml
from infx.store.shipped import engine_schema
from recipe_files import public_recipes

GONE = """
    cuda-graph-bs cuda-graph-max-bs mamba-scheduler-strategy nsa-decode-backend nsa-prefill-backend
    prefill-round-robin-balance
"""
"""Flags of older releases of SGLang."""

SHORT = "speculative-algo kv-cache-memory"
"""Beginnings of flags, which argparse completes."""

SGLANG = """
    SGLANG_CUTEDSL_MOE_NVFP4_DISPATCH SGLANG_DECODE_BOOTSTRAP_TIMEOUT
    SGLANG_DISABLE_TP_MEMORY_INBALANCE_CHECK SGLANG_DISAGG_STAGING_BUFFER_SIZE_MB
    SGLANG_DSV4_MHC_PREWARM SGLANG_ENABLE_FLASHINFER_GEMM SGLANG_ENABLE_NIXL SGLANG_ENABLE_SPEC_V2
    SGLANG_ENABLE_THINKING SGLANG_ENABLE_UNIFIED_RADIX_TREE SGLANG_FLASHINFER_FP4_GEMM_BACKEND
    SGLANG_HACK_SEQ_BOOTSTRAP_ROOM SGLANG_HEALTH_STARTING_OK SGLANG_HICACHE_DEBUG_LOG
    SGLANG_HICACHE_DEBUG_SAMPLE_RATE SGLANG_OPT_DEEPGEMM_MEGA_MOE
    SGLANG_OPT_DEEPGEMM_MEGA_MOE_USE_FP4_ACTS SGLANG_OPT_DEEPGEMM_MEGA_MOE_USE_MXF4_KIND
    SGLANG_OPT_FIX_HASH_MEGA_MOE SGLANG_OPT_FIX_MEGA_MOE_MEMORY SGLANG_OPT_FIX_NEXTN_MEGA_MOE
    SGLANG_OPT_SWA_EVICT_DROP_PAGE_MARGIN SGLANG_OPT_SWA_SPLIT_LEAF_ON_INSERT
    SGLANG_OPT_USE_DEEPGEMM_MEGA_MOE SGLANG_OPT_USE_FAST_MASK_EP SGLANG_OPT_USE_JIT_NORM
    SGLANG_PER_TOKEN_GROUP_QUANT_8BIT_V2 SGLANG_RADIX_DISABLE_REUSE SGLANG_REASONING_EFFORT
"""
VLLM = """
    VLLM_CONNECTOR_PREFETCH_DEPTH VLLM_CONNECTOR_PREFETCH_KV_CAP VLLM_DSV4_MEGA_FP8_COMBINE
    VLLM_ENABLE_K3_LATENT_MOE_TAIL_FUSION VLLM_MINIMAX_M3_MSA_DECODE_BACKEND VLLM_MOE_DP_CHUNK_SIZE
    VLLM_MOONCAKE_STORE_SEND_THREADS VLLM_NIXL_ABORT_REQUEST_TIMEOUT
    VLLM_PREFIX_CACHE_RETENTION_INTERVAL VLLM_ROUTED_DOWN_PROJ_STREAM_TOKEN_THRESHOLD
    VLLM_RPC_TIMEOUT VLLM_USE_FLASHINFER_MOE_FP4 VLLM_USE_TRTLLM_RAGGED_DEEPSEEK_PREFILL
    VLLM_V2_WARMUP_MAX_NUM_SEQS
"""
OTHERWISE = {
    "moe-backend: 'deep_gemm_amxf4_mega_moe' is not a choice",
}
"""Values that vLLM 0.32.0 does not take."""


@pytest.fixture(scope="module")
def said() -> set[str]:
    """What warns or errs, without the version that it was compared with."""
    schemas = {name: engine_schema(name) for name in ("sglang", "vllm")}
    found: set[str] = set()
    for path in public_recipes():
        for variant in variants(read_yaml(path, last_wins=True)):
            binding = bind_variant(variant, shared=None, target=Target(), file=path.name)
            engine = engine_of(binding, roles_of(binding)[0])
            for one in check(binding, schemas.get(engine or "")):
                assert one.severity != "error", one
                if one.severity == "warn":
                    found.add(one.problem.what.partition(" (")[0])
    return found


def test_what_is_unknown_stands_nowhere_in_the_wheels(said):
    names = {one.partition(": unknown ")[0] for one in said if ": unknown " in one}
    assert names == set(f"{GONE} {SHORT} {SGLANG} {VLLM}".split())


def test_no_value_is_refused_but_those_that_are_wrong(said):
    assert {one for one in said if ": unknown " not in one} == OTHERWISE
