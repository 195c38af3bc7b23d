"""What samples of a server's metrics page measure, in words that are the same for every engine."""

from enum import StrEnum


class Quantity(StrEnum):
    """What samples of a metrics page measure. `UP` is 1 for a page that was read, 0 for a miss.

    `CACHE_QUERIES` are the prompt tokens that were looked for in a cache; `GPU_HITS` were found in
    the GPU's memory, `HOST_HITS` in any memory beyond it, `HITS` in one that is not told. `DRAFTS`
    are the steps in which drafted tokens were verified, `SPEC_TOKENS` and `SPEC_REQUESTS` the
    output of such steps and the requests it belongs to. `ROUTER_HITS` is the sum over `ROUTED`
    requests of the share of the prompt that a router expected in the cache of the worker that it
    chose, `SHARED_HITS` over `SHARED_ROUTED` the same of a cache that workers share.
    """

    UP = "up"
    PROMPT_TOKENS = "prompt_tokens"
    GENERATION_TOKENS = "generation_tokens"
    REQUESTS = "requests"
    CACHE_QUERIES = "cache_queries"
    HITS = "hits"
    GPU_HITS = "gpu_hits"
    HOST_HITS = "host_hits"
    ROUTER_HITS = "router_hits"
    ROUTED = "routed"
    SHARED_HITS = "shared_hits"
    SHARED_ROUTED = "shared_routed"
    HIT_RATE = "hit_rate"
    KV_USAGE = "kv_usage"
    HOST_KV_USAGE = "host_kv_usage"
    HOST_KV_USED = "host_kv_used"
    HOST_KV_TOTAL = "host_kv_total"
    POOL_TOKENS = "pool_tokens"
    POOL_BLOCKS = "pool_blocks"
    BLOCK_TOKENS = "block_tokens"
    RUNNING = "running"
    WAITING = "waiting"
    PREEMPTIONS = "preemptions"
    DRAFTS = "drafts"
    DRAFTED = "drafted"
    ACCEPTED = "accepted"
    SPEC_TOKENS = "spec_tokens"
    SPEC_REQUESTS = "spec_requests"
    ACCEPTANCE_LENGTH = "acceptance_length"
    OFFLOADED_BYTES = "offloaded_bytes"
    ONLOADED_BYTES = "onloaded_bytes"


GAUGES = frozenset(
    {
        Quantity.UP, Quantity.HIT_RATE, Quantity.KV_USAGE, Quantity.HOST_KV_USAGE,
        Quantity.HOST_KV_USED, Quantity.HOST_KV_TOTAL, Quantity.POOL_TOKENS, Quantity.POOL_BLOCKS,
        Quantity.BLOCK_TOKENS, Quantity.RUNNING, Quantity.WAITING, Quantity.ACCEPTANCE_LENGTH,
    }
)  # fmt: skip
"""Quantities that rise and fall; the others are counters, which grow while an engine lives."""
