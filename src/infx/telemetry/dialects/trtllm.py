"""TensorRT-LLM. Names: `trtllm_`.

Source: `tensorrt_llm/metrics/collector.py` of its repository, 2026; no page was seen. Drafted and
accepted tokens are counted by `token_position`; each step drafts the first one once, so those count
the steps. What the engine calls active and queued is named differently from version to version.
"""

from infx.model.server import Quantity
from infx.telemetry.families import Families, Term, one

PREFIXES = ("trtllm_",)

_FIRST = (("token_position", "0"),)

FAMILIES: Families = {
    Quantity.PROMPT_TOKENS: (one("trtllm_prompt_tokens"),),
    Quantity.GENERATION_TOKENS: (one("trtllm_generation_tokens"),),
    Quantity.REQUESTS: (one("trtllm_request_success"),),
    Quantity.CACHE_QUERIES: (one("trtllm_prompt_tokens"),),
    Quantity.GPU_HITS: (one("trtllm_prompt_cached_tokens"),),
    Quantity.HIT_RATE: (one("trtllm_kv_cache_hit_rate"),),
    Quantity.KV_USAGE: (one("trtllm_kv_cache_utilization"),),
    Quantity.HOST_KV_USAGE: (one("trtllm_kv_cache_host_utilization"),),
    Quantity.POOL_BLOCKS: (one("trtllm_kv_cache_max_blocks"),),
    Quantity.BLOCK_TOKENS: (one("trtllm_kv_cache_tokens_per_block"),),
    Quantity.RUNNING: (one("trtllm_num_requests_running"), one("trtllm_num_active_requests")),
    Quantity.WAITING: (one("trtllm_num_requests_waiting"), one("trtllm_server_queue_length")),
    Quantity.DRAFTS: ((Term("trtllm_spec_decode_drafted_tokens", _FIRST),),),
    Quantity.DRAFTED: (one("trtllm_spec_decode_drafted_tokens"),),
    Quantity.ACCEPTED: (one("trtllm_spec_decode_accepted_tokens"),),
    Quantity.OFFLOADED_BYTES: (one("trtllm_kv_cache_offload_bytes"),),
    Quantity.ONLOADED_BYTES: (one("trtllm_kv_cache_onboard_bytes"),),
}
