"""Dynamo's frontend and router; its workers speak their engine's dialect beside it.

Names: `dynamo_`. Source: reference page workload-and-metrics.md, section 5. The frontend counts
each request once, where prefill and decode workers both count it, so its tokens come first
(`FIRST`); of all else the engine knows more. Its histograms add up tokens of requests, and the
router's the share of each prompt that it expected to be cached.
"""

from infx.model.server import Quantity
from infx.telemetry.families import Families, one

PREFIXES = ("dynamo_",)

FIRST: Families = {
    Quantity.PROMPT_TOKENS: (one("dynamo_frontend_input_sequence_tokens"),),
    Quantity.GENERATION_TOKENS: (one("dynamo_frontend_output_tokens"),),
}

FAMILIES: Families = {
    Quantity.CACHE_QUERIES: (one("dynamo_frontend_input_sequence_tokens"),),
    Quantity.HITS: (one("dynamo_frontend_cached_tokens"),),
    Quantity.ROUTER_HITS: (one("dynamo_component_router_kv_hit_rate"),),
    Quantity.ROUTED: (one("dynamo_component_router_kv_hit_rate_count"),),
    Quantity.SHARED_HITS: (one("dynamo_component_router_shared_cache_hit_rate"),),
    Quantity.SHARED_ROUTED: (one("dynamo_component_router_shared_cache_hit_rate_count"),),
    Quantity.KV_USAGE: (one("dynamo_component_gpu_cache_usage_percent"),),
}
