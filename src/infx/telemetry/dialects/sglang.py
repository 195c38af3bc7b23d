"""SGLang. Names: `sglang:`; a cached token's series has `cache_source`: device, host or storage.

Source: `srt/observability/metrics_collector.py` of SGLang 0.5.23. Tokens, requests and verify calls
are counted together when a request ends. The prefill makes one token of each request, verify calls
make all others; in a page without verify calls there is only the engine's own mean of its last
steps. A series of cached tokens is there from the first hit on; where the source is not known, all
are under `total`.
"""

from infx.model.server import Quantity
from infx.telemetry.families import Families, Term, one

PREFIXES = ("sglang:",)

_CACHED = "sglang:cached_tokens"

FAMILIES: Families = {
    Quantity.PROMPT_TOKENS: (one("sglang:prompt_tokens"),),
    Quantity.GENERATION_TOKENS: (one("sglang:generation_tokens"),),
    Quantity.REQUESTS: (one("sglang:num_requests"),),
    Quantity.CACHE_QUERIES: (one("sglang:prompt_tokens"),),
    Quantity.HITS: (one(_CACHED),),
    Quantity.GPU_HITS: (one(_CACHED, cache_source="device"),),
    Quantity.HOST_HITS: (
        (
            Term(_CACHED, (("cache_source", "host"),)),
            Term(_CACHED, (("cache_source", "storage"),)),
        ),
    ),
    Quantity.HIT_RATE: (one("sglang:cache_hit_rate"),),
    Quantity.KV_USAGE: (one("sglang:token_usage"),),
    Quantity.HOST_KV_USED: (one("sglang:hicache_host_used_tokens"),),
    Quantity.HOST_KV_TOTAL: (one("sglang:hicache_host_total_tokens"),),
    Quantity.POOL_TOKENS: (one("sglang:max_total_num_tokens"),),
    Quantity.RUNNING: (one("sglang:num_running_reqs"),),
    Quantity.WAITING: (one("sglang:num_queue_reqs"),),
    Quantity.PREEMPTIONS: (one("sglang:num_retracted_requests"),),
    Quantity.DRAFTS: (one("sglang:spec_verify_calls"),),
    Quantity.SPEC_TOKENS: (one("sglang:generation_tokens"),),
    Quantity.SPEC_REQUESTS: (one("sglang:num_requests"),),
    Quantity.ACCEPTANCE_LENGTH: (one("sglang:spec_accept_length"),),
    Quantity.OFFLOADED_BYTES: (one("sglang:hicache_backup_bytes"),),
    Quantity.ONLOADED_BYTES: (one("sglang:load_back_bytes"),),
}
