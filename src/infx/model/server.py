"""What a server's own counters say of a point, in words that are the same for every engine."""

from enum import StrEnum

from pydantic import Field

from infx.model.result import Metric
from infx.model.value import Value


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


class ServerMetrics(Value):
    """What the metrics pages of a point say of its profiling phase.

    `dialect` is whose names the pages speak. Counters are told as their growth over the window, for
    which the last page that had come by its start is held against the first one asked for after its
    end: they cover up to `before_s` and `after_s` more. Gauges rest on the `pages` read within.
    `missed` counts the unread pages of the window by reason, `restarts` how often counters began
    anew. `metrics` maps an id to a figure over all pages or the reason why there is none,
    `by_source` the same for each URL where there are several.
    """

    dialect: str
    window_s: float
    before_s: float
    after_s: float
    pages: int
    missed: dict[str, int] = Field(default_factory=dict)
    restarts: int = 0
    metrics: dict[str, Metric]
    by_source: dict[str, dict[str, Metric]] = Field(default_factory=dict)
