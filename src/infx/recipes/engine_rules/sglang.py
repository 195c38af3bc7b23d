"""SGLang: kernels, admission, graphs, chunks, HiCache; rules of drafts stand in `sglang_drafts`."""

from types import MappingProxyType

from pydantic import JsonValue

from infx.recipes.engine_rules.rule import UNSET, Rule
from infx.recipes.engine_rules.sglang_drafts import (
    DRAFT_RULES,
    DRAFTED,
    NAME,
    SPECULATIVE,
    VERSION,
    read_in,
)

__all__ = ("NAME", "RULES", "SPELLINGS", "VERSION")

SPELLINGS = MappingProxyType(
    {
        "model": "model-path",
        "tp": "tp-size",
        "tensor-parallel-size": "tp-size",
        "pp": "pp-size",
        "pipeline-parallel-size": "pp-size",
        "dp": "dp-size",
        "data-parallel-size": "dp-size",
        "attention-data-parallel-size": "attn-dp-size",
        "ep": "ep-size",
        "expert-parallel-size": "ep-size",
        "decode-context-parallel-size": "dcp-size",
        "attention-context-parallel-size": "attn-cp-size",
        "moe-data-parallel-size": "moe-dp-size",
        "enable-hicache": "enable-hierarchical-cache",
        "speculative-algo": "speculative-algorithm",
        "speculative-draft-model": "speculative-draft-model-path",
        "cuda-graph-max-bs": "cuda-graph-max-bs-decode",
        "cuda-graph-bs": "cuda-graph-bs-decode",
    }
)
"""Aliases of 0.5.23, the prefix that its parser completes, and names of earlier releases."""

_LARGE: tuple[JsonValue, ...] = ("b200", "b300", "gb200", "gb300", "mi300x", "mi325x", "mi355x")
_HOPPER: tuple[JsonValue, ...] = ("h100", "h200")
_BLACKWELL: tuple[JsonValue, ...] = ("b200", "b300", "gb200", "gb300")
_AMD: tuple[JsonValue, ...] = ("mi300x", "mi325x", "mi355x")

_MEMORY = read_in("arg_groups/memory_hook.py", "handle_gpu_memory_settings")
_ATTENTION = read_in("arg_groups/model_override_base.py", "get_default_attn_backend")

_KERNELS = (
    Rule(
        setting="attention-backend",
        value="trtllm_mha",
        when={"gpu": _BLACKWELL},
        certain=False,
        because="the default of these GPUs for models with MHA or GQA; MLA models get flashinfer",
        source=_ATTENTION,
    ),
    Rule(
        setting="attention-backend",
        value="fa3",
        when={"gpu": _HOPPER},
        certain=False,
        because="the default of Hopper GPUs, unless the model's own default differs",
        source=_ATTENTION,
    ),
    Rule(
        setting="attention-backend",
        value="aiter",
        when={"gpu": _AMD},
        certain=False,
        because="the default of AMD GPUs; MLA models with other head counts get triton",
        source=_ATTENTION,
    ),
    Rule(
        setting="page-size",
        value=64,
        when={"attention-backend": ("trtllm_mha", "trtllm_mla", "flashmla")},
        because="this attention backend sets the page size that it can read",
        source=read_in("arg_groups/overrides.py", "_mla_backend_page_constraints"),
    ),
    Rule(
        setting="page-size",
        value=128,
        when={"attention-backend": ("fa4",), "gpu": _BLACKWELL},
        forced=True,
        certain=False,
        because="FA4 reads pages of 128 tokens, except for MLA models",
        source=read_in("arg_groups/overrides.py", "_fa4_page_constraint"),
    ),
    Rule(
        setting="moe-runner-backend",
        value="deep_gemm",
        when={"moe-a2a-backend": ("deepep_v2", "pplx")},
        certain=False,
        because="auto becomes deep_gemm with this all-to-all, unless the model's default differs",
        source=read_in("arg_groups/moe_hook.py", "handle_a2a_moe"),
    ),
    Rule(
        setting="moe-runner-backend",
        value="auto",
        certain=False,
        because="the model, its quantization and the device choose the runner",
        source=read_in("arg_groups/fields/exec_.py", "moe_runner_backend"),
    ),
    Rule(
        setting="moe-a2a-backend",
        value="none",
        because="the default is no all-to-all",
        source=read_in("arg_groups/fields/exec_.py", "moe_a2a_backend"),
    ),
)

_CAPACITY = (
    Rule(
        setting="max-running-requests",
        value=48,
        when={"speculative-algorithm": DRAFTED},
        because="the cap under speculative decoding",
        source=read_in(SPECULATIVE, "_handle_eagle_family"),
    ),
    Rule(
        setting="max-prefill-tokens",
        value=16384,
        because="the default of a prefill batch",
        source=read_in("arg_groups/fields/schedule.py", "max_prefill_tokens"),
    ),
    Rule(
        setting="chunked-prefill-size",
        value=16384,
        when={"gpu": _LARGE},
        certain=False,
        because="the default of GPUs with 160 GB and more, before attention data parallelism "
        "divides it; some models have their own",
        source=_MEMORY,
    ),
    Rule(
        setting="chunked-prefill-size",
        value=8192,
        when={"gpu": _HOPPER},
        certain=False,
        because="the default of GPUs with 60 to 160 GB, before attention data parallelism "
        "divides it; some models have their own",
        source=_MEMORY,
    ),
    Rule(
        setting="cuda-graph-max-bs-decode",
        value=512,
        at_most="max-running-requests",
        when={"gpu": _LARGE},
        certain=False,
        because="the default of GPUs with 160 GB and more, capped by the running requests",
        source=_MEMORY,
    ),
    Rule(
        setting="cuda-graph-max-bs-decode",
        value=256,
        at_most="max-running-requests",
        when={"gpu": _HOPPER, "tp-size": (UNSET, 1, 2, 3)},
        certain=False,
        because="the default of Hopper GPUs below TP 4, capped by the running requests",
        source=_MEMORY,
    ),
    Rule(
        setting="cuda-graph-max-bs-decode",
        value=512,
        at_most="max-running-requests",
        when={"gpu": _HOPPER},
        certain=False,
        because="the default of Hopper GPUs from TP 4, capped by the running requests",
        source=_MEMORY,
    ),
    Rule(
        setting="mem-fraction-static",
        value="computed",
        certain=False,
        because="computed from the device's memory, the chunk size and the graph batch",
        source=_MEMORY,
    ),
    Rule(
        setting="hicache-ratio",
        value=2.0,
        when={"enable-hierarchical-cache": (True,), "hicache-size": (UNSET, 0)},
        certain=False,
        because="host to device, reduced until it fits the host's memory",
        source=read_in("arg_groups/hicache_hook.py", "handle_hicache_ratio_default"),
    ),
)

RULES = _KERNELS + DRAFT_RULES + _CAPACITY
