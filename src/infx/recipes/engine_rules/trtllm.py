"""TensorRT-LLM: batch and memory defaults of its configuration file.

Read in the published documentation of the LLM arguments, not in a package: nothing is certain.
"""

from collections.abc import Mapping
from types import MappingProxyType

from infx.recipes.engine_rules.rule import Rule, Source

NAME = "TensorRT-LLM"
VERSION = "1.x"

SPELLINGS: Mapping[str, str] = MappingProxyType(
    {
        "tp_size": "tensor_parallel_size",
        "ep_size": "moe_expert_parallel_size",
        "pp_size": "pipeline_parallel_size",
        "speculative_config.num_nextn_predict_layers": "speculative_config.max_draft_len",
    }
)
"""Flag names, and the earlier name of the draft length of MTP."""


def _in(symbol: str) -> Source:
    return Source(NAME, VERSION, "llmapi/llm_args.py", symbol)


RULES = (
    Rule(
        setting="max_batch_size",
        value=2048,
        certain=False,
        because="the default batch of one rank",
        source=_in("TorchLlmArgs.max_batch_size"),
    ),
    Rule(
        setting="max_num_tokens",
        value=8192,
        certain=False,
        because="the default number of tokens of a step",
        source=_in("TorchLlmArgs.max_num_tokens"),
    ),
    Rule(
        setting="kv_cache_config.free_gpu_memory_fraction",
        value=0.9,
        certain=False,
        because="the default share of what the weights leave free",
        source=_in("KvCacheConfig.free_gpu_memory_fraction"),
    ),
    Rule(
        setting="kv_cache_config.dtype",
        value="auto",
        certain=False,
        because="auto follows the checkpoint; a draft shares the target's KV cache settings",
        source=_in("KvCacheConfig.dtype"),
    ),
    Rule(
        setting="moe_config.backend",
        value="auto",
        certain=False,
        because="the image's choice, which differs between releases",
        source=_in("MoeConfig.backend"),
    ),
)
