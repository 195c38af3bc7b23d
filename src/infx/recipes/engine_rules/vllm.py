"""vLLM: what a draft inherits, admission, batched tokens, graphs, memory."""

from types import MappingProxyType

from pydantic import JsonValue

from infx.recipes.engine_rules.rule import UNSET, Rule, Source

NAME = "vLLM"
VERSION = "0.32.0"

SPELLINGS = MappingProxyType(
    {
        "model-tag": "model",
        "tp": "tensor-parallel-size",
        "pp": "pipeline-parallel-size",
        "dp": "data-parallel-size",
        "dcp": "decode-context-parallel-size",
        "pcp": "prefill-context-parallel-size",
        "ep": "enable-expert-parallel",
        "sc": "speculative-config",
        "cc": "compilation-config",
        "ac": "attention-config",
        "kv-cache-memory": "kv-cache-memory-bytes",
        "compilation-config.max_cudagraph_capture_size": "max-cudagraph-capture-size",
        "compilation-config.cudagraph_capture_sizes": "cudagraph-capture-sizes",
    }
)
"""Short names, and the parts of JSON values that have a flag of their own."""

_LARGE: tuple[JsonValue, ...] = ("b200", "b300", "gb200", "gb300", "mi300x", "mi325x", "mi355x")
_MIDDLE: tuple[JsonValue, ...] = ("h100", "h200")
_BLACKWELL: tuple[JsonValue, ...] = ("b200", "b300", "gb200", "gb300")


def _in(file: str, symbol: str) -> Source:
    return Source(NAME, VERSION, file, symbol)


_SPEC = _in("config/speculative.py", "SpeculativeConfig")
_BATCH = _in("engine/arg_utils.py", "EngineArgs.get_batch_defaults")
_GRAPHS = _in("config/vllm.py", "VllmConfig._set_cudagraph_sizes")
_OWN_DRAFT: tuple[JsonValue, ...] = ("mtp", "dspark")

RULES = (
    Rule(
        setting="kv-cache-dtype",
        value="auto",
        certain=False,
        because="auto is the checkpoint's KV dtype where it names one, else its dtype",
        source=_in("config/cache.py", "CacheConfig.cache_dtype"),
    ),
    Rule(
        setting="quantization",
        value="auto",
        certain=False,
        because="the checkpoint's own quantization",
        source=_in("config/model.py", "ModelConfig.quantization"),
    ),
    Rule(
        setting="moe-backend",
        value="auto",
        certain=False,
        because="the model, its quantization and the device choose the backend",
        source=_in("config/kernel.py", "KernelConfig.moe_backend"),
    ),
    Rule(
        setting="speculative-config.kv_cache_dtype",
        same_as="kv-cache-dtype",
        when={"speculative": (True,)},
        because="a draft without a KV dtype of its own inherits the target's",
        source=_SPEC,
    ),
    Rule(
        setting="speculative-config.moe_backend",
        same_as="moe-backend",
        when={"speculative": (True,)},
        because="a draft without a MoE backend of its own inherits the target's",
        source=_SPEC,
    ),
    Rule(
        setting="speculative-config.attention_backend",
        value="auto",
        when={"speculative": (True,)},
        certain=False,
        because="chosen for the draft alone: the target's backend is never inherited",
        source=_in(
            "v1/spec_decode/llm_base_proposer.py",
            "_create_draft_vllm_config",
        ),
    ),
    Rule(
        setting="speculative-config.quantization",
        same_as="quantization",
        when={
            "speculative-config.method": _OWN_DRAFT,
            "speculative-config.model": (UNSET,),
        },
        because="a draft out of the target's checkpoint gets the target's quantization",
        source=_in("config/speculative.py", "SpeculativeConfig.__post_init__"),
    ),
    Rule(
        setting="speculative-config.quantization",
        value="auto",
        when={"speculative": (True,)},
        certain=False,
        because="the draft checkpoint's own, unquantized where it names none",
        source=_SPEC,
    ),
    Rule(
        setting="speculative-config.draft_tensor_parallel_size",
        same_as="tensor-parallel-size",
        when={"speculative": (True,)},
        certain=False,
        because="the target's, except for drafts that run on one GPU only",
        source=_in(
            "config/speculative.py",
            "SpeculativeConfig._verify_and_get_draft_tp",
        ),
    ),
    Rule(
        setting="max-num-seqs",
        value=1024,
        when={"gpu": _LARGE + _MIDDLE},
        certain=False,
        because="the default of these GPUs for one data-parallel rank",
        source=_BATCH,
    ),
    Rule(
        setting="max-num-batched-tokens",
        value=16384,
        when={"gpu": _LARGE},
        certain=False,
        because="the default of GPUs with 160 GB and more",
        source=_BATCH,
    ),
    Rule(
        setting="max-num-batched-tokens",
        value=8192,
        when={"gpu": _MIDDLE},
        certain=False,
        because="the default of an API server on GPUs with 70 to 160 GB",
        source=_BATCH,
    ),
    Rule(
        setting="max-cudagraph-capture-size",
        value=1024,
        when={"gpu": _BLACKWELL, "enforce-eager": (UNSET, False)},
        certain=False,
        because="the default on Blackwell, in tokens, and at most twice what max-num-seqs decodes",
        source=_GRAPHS,
    ),
    Rule(
        setting="max-cudagraph-capture-size",
        value=512,
        when={"enforce-eager": (UNSET, False)},
        certain=False,
        because="the default, in tokens, and at most twice what max-num-seqs decodes",
        source=_GRAPHS,
    ),
    Rule(
        setting="gpu-memory-utilization",
        value=0.92,
        because="the default share of a GPU's memory",
        source=_in("config/cache.py", "CacheConfig.gpu_memory_utilization"),
    ),
    Rule(
        setting="max-model-len",
        value="checkpoint",
        certain=False,
        because="the checkpoint's own context length",
        source=_in("config/model.py", "ModelConfig.max_model_len"),
    ),
)
