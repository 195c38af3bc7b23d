"""vLLM. Names: `vllm:`, every series with `engine` and `model_name`.

Source: `vllm/v1/metrics/loggers.py`, `vllm/v1/spec_decode/metrics.py` and the offloading
connector's metrics of vLLM 0.32.0, and a page of vLLM 0.26.0. Older names stand behind newer ones.
Prompt tokens by source are better than the cache's own queries, which count a preempted request
twice. A draft is one step of speculative decoding; each gives its accepted tokens and one more.
"""

from infx.model.server import Quantity
from infx.telemetry.families import Families, one

PREFIXES = ("vllm:",)

FAMILIES: Families = {
    Quantity.PROMPT_TOKENS: (one("vllm:prompt_tokens"),),
    Quantity.GENERATION_TOKENS: (one("vllm:generation_tokens"),),
    Quantity.REQUESTS: (one("vllm:request_success"),),
    Quantity.CACHE_QUERIES: (
        one("vllm:prompt_tokens_by_source"),
        one("vllm:prefix_cache_queries"),
    ),
    Quantity.GPU_HITS: (
        one("vllm:prompt_tokens_by_source", source="local_cache_hit"),
        one("vllm:prefix_cache_hits"),
    ),
    Quantity.HOST_HITS: (
        one("vllm:prompt_tokens_by_source", source="external_kv_transfer"),
        one("vllm:external_prefix_cache_hits"),
    ),
    Quantity.KV_USAGE: (one("vllm:kv_cache_usage_perc"), one("vllm:gpu_cache_usage_perc")),
    Quantity.HOST_KV_USAGE: (
        one("vllm:kv_offload_cpu_cache_usage_perc"),
        one("vllm:cpu_kv_cache_usage_perc"),
    ),
    Quantity.RUNNING: (one("vllm:num_requests_running"),),
    Quantity.WAITING: (one("vllm:num_requests_waiting"),),
    Quantity.PREEMPTIONS: (one("vllm:num_preemptions"),),
    Quantity.DRAFTS: (one("vllm:spec_decode_num_drafts"),),
    Quantity.DRAFTED: (one("vllm:spec_decode_num_draft_tokens"),),
    Quantity.ACCEPTED: (one("vllm:spec_decode_num_accepted_tokens"),),
    Quantity.OFFLOADED_BYTES: (
        one("vllm:kv_offload_store_bytes"),
        one("vllm:kv_offload_total_bytes", transfer_type="GPU_to_CPU"),
        one("vllm:kv_offload_bytes_gpu_to_cpu"),
    ),
    Quantity.ONLOADED_BYTES: (
        one("vllm:kv_offload_load_bytes"),
        one("vllm:kv_offload_total_bytes", transfer_type="CPU_to_GPU"),
        one("vllm:kv_offload_bytes_cpu_to_gpu"),
    ),
}
