"""SGLang: drafts, their KV cache and kernels, admission, graphs, chunks, HiCache."""

from types import MappingProxyType

from pydantic import JsonValue

from infx.recipes.engine_rules.rule import UNSET, Rule, Source

NAME = "SGLang"
VERSION = "0.5.23"

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
_BLOCK: tuple[JsonValue, ...] = ("DFLASH", "DSPARK")
_EAGLE: tuple[JsonValue, ...] = ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE")
_DRAFTED = _BLOCK + _EAGLE


def _in(file: str, symbol: str) -> Source:
    return Source(NAME, VERSION, f"srt/{file}", symbol)


_SPEC = "arg_groups/speculative_hook.py"
_DFLASH = _in(_SPEC, "_handle_dflash")
_DSPARK = _in(_SPEC, "_handle_dspark")
_KV = _in("mem_cache/kv_cache_dtype.py", "configure_kv_cache_dtype")
_MEMORY = _in("arg_groups/memory_hook.py", "handle_gpu_memory_settings")
_SPEC_FIELDS = _in("arg_groups/fields/spec.py", "Spec")
_ATTENTION = _in("arg_groups/model_override_base.py", "get_default_attn_backend")

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
        source=_in("arg_groups/overrides.py", "_mla_backend_page_constraints"),
    ),
    Rule(
        setting="page-size",
        value=128,
        when={"attention-backend": ("fa4",), "gpu": _BLACKWELL},
        forced=True,
        certain=False,
        because="FA4 reads pages of 128 tokens, except for MLA models",
        source=_in("arg_groups/overrides.py", "_fa4_page_constraint"),
    ),
    Rule(
        setting="moe-runner-backend",
        value="deep_gemm",
        when={"moe-a2a-backend": ("deepep_v2", "pplx")},
        certain=False,
        because="auto becomes deep_gemm with this all-to-all, unless the model's default differs",
        source=_in("arg_groups/moe_hook.py", "handle_a2a_moe"),
    ),
    Rule(
        setting="moe-runner-backend",
        value="auto",
        certain=False,
        because="the model, its quantization and the device choose the runner",
        source=_in("arg_groups/fields/exec_.py", "moe_runner_backend"),
    ),
    Rule(
        setting="moe-a2a-backend",
        value="none",
        because="the default is no all-to-all",
        source=_in("arg_groups/fields/exec_.py", "moe_a2a_backend"),
    ),
)

_PRECISION = (
    Rule(
        setting="dtype",
        value="bfloat16",
        certain=False,
        because="auto takes the checkpoint's own type, which is bfloat16 for current models",
        source=_in("arg_groups/fields/model.py", "dtype"),
    ),
    Rule(
        setting="kv-cache-dtype",
        value="auto",
        certain=False,
        because="auto is fp8_e4m3 where the checkpoint names FP8 for its KV cache, else its dtype",
        source=_KV,
    ),
    Rule(
        setting="quantization",
        value="auto",
        certain=False,
        because="the checkpoint's own quantization",
        source=_in("arg_groups/fields/model.py", "quantization"),
    ),
    Rule(
        setting="speculative-draft-model-quantization",
        same_as="quantization",
        when={"speculative-algorithm": _DRAFTED},
        because="a draft without a quantization of its own gets the target's; unquant opts out",
        source=_in("arg_groups/serving_hook.py", "handle_missing_default_values"),
    ),
    Rule(
        setting="speculative-draft-kv-cache-dtype",
        same_as="dtype",
        when={
            "speculative-algorithm": ("DFLASH",),
            "speculative-draft-attention-backend": ("fa4",),
        },
        forced=True,
        because="fa4 cannot read quantized KV: a DFlash draft gets the compute dtype, "
        "whatever was asked",
        source=_KV,
    ),
    Rule(
        setting="speculative-draft-kv-cache-dtype",
        same_as="kv-cache-dtype",
        when={"speculative-algorithm": _DRAFTED},
        because="a draft without a KV dtype of its own inherits the target's",
        source=_SPEC_FIELDS,
    ),
)

_DRAFT = (
    Rule(
        setting="speculative-draft-attention-backend",
        same_as="attention-backend",
        when={"speculative-algorithm": ("DFLASH",)},
        certain=False,
        because="the target's backend where the draft's layers allow it, otherwise fa4 or "
        "flashinfer: the image and the draft decide",
        source=_in(_SPEC, "_resolve_dflash_draft_attention_backend"),
    ),
    Rule(
        setting="speculative-draft-attention-backend",
        same_as="attention-backend",
        when={"speculative-algorithm": _DRAFTED},
        because="the draft uses the target's backend",
        source=_in("model_executor/model_runner.py", "resolve_draft_attention_backend"),
    ),
    Rule(
        setting="speculative-moe-runner-backend",
        value="flashinfer_trtllm",
        when={
            "speculative-algorithm": _DRAFTED,
            "moe-runner-backend": ("flashinfer_megamoe",),
        },
        because="draft layers are not quantized, which flashinfer_megamoe needs",
        source=_in("arg_groups/overrides.py", "_speculative_moe_runner_default"),
    ),
    Rule(
        setting="speculative-moe-runner-backend",
        same_as="moe-runner-backend",
        when={"speculative-algorithm": _DRAFTED},
        because="the draft uses the target's MoE runner",
        source=_in("arg_groups/overrides.py", "_speculative_moe_runner_default"),
    ),
    Rule(
        setting="speculative-moe-a2a-backend",
        value="none",
        when={"speculative-algorithm": _DRAFTED, "moe-a2a-backend": ("flashinfer_megamoe",)},
        because="draft layers are not quantized, which flashinfer_megamoe needs",
        source=_SPEC_FIELDS,
    ),
    Rule(
        setting="speculative-moe-a2a-backend",
        same_as="moe-a2a-backend",
        when={"speculative-algorithm": _DRAFTED},
        because="the draft uses the target's all-to-all",
        source=_SPEC_FIELDS,
    ),
    Rule(
        setting="speculative-draft-load-format",
        same_as="load-format",
        when={"speculative-algorithm": _DRAFTED},
        because="the draft is loaded as the target is",
        source=_SPEC_FIELDS,
    ),
    Rule(
        setting="speculative-draft-model-path",
        same_as="model-path",
        when={"speculative-algorithm": ("DSPARK", "EAGLE", "NEXTN")},
        certain=False,
        because="the draft inside the target's checkpoint, where it has one",
        source=_DSPARK,
    ),
    Rule(
        setting="speculative-num-steps",
        value=1,
        when={"speculative-algorithm": _BLOCK},
        forced=True,
        because="a block draft is one step",
        source=_DFLASH,
    ),
    Rule(
        setting="speculative-eagle-topk",
        value=1,
        when={"speculative-algorithm": _BLOCK},
        forced=True,
        because="a block draft is one chain",
        source=_DFLASH,
    ),
    Rule(
        setting="speculative-num-draft-tokens",
        same_as="speculative-dspark-block-size",
        plus=1,
        when={"speculative-algorithm": ("DSPARK",)},
        because="the verified window is the block and one token",
        source=_DSPARK,
    ),
    Rule(
        setting="speculative-num-draft-tokens",
        same_as="speculative-dflash-block-size",
        when={"speculative-algorithm": ("DFLASH",)},
        certain=False,
        because="the block size, which without a flag stands in the draft's configuration",
        source=_DFLASH,
    ),
    Rule(
        setting="speculative-num-draft-tokens",
        same_as="speculative-num-steps",
        plus=1,
        when={"speculative-algorithm": _EAGLE, "speculative-eagle-topk": (1,)},
        forced=True,
        because="one chain of drafts is verified with one token more than it has steps",
        source=_in(_SPEC, "_handle_eagle_family"),
    ),
)

_CAPACITY = (
    Rule(
        setting="max-running-requests",
        value=48,
        when={"speculative-algorithm": _DRAFTED},
        because="the cap under speculative decoding",
        source=_in(_SPEC, "_handle_eagle_family"),
    ),
    Rule(
        setting="max-prefill-tokens",
        value=16384,
        because="the default of a prefill batch",
        source=_in("arg_groups/fields/schedule.py", "max_prefill_tokens"),
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
        source=_in("arg_groups/hicache_hook.py", "handle_hicache_ratio_default"),
    ),
)

RULES = _KERNELS + _DRAFT + _PRECISION + _CAPACITY
