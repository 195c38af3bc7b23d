"""ATOM. Names: `atom:`, or `atom_` where an exporter replaced the colon.

Source: `docs/metrics.md` of its repository, 2026; no page was seen. Cached tokens lie in the GPU's
prefix, offloaded ones beyond it, both of the full input. Decode steps of MTP are counted by how
many drafted tokens they accepted.
"""

from infx.model.server import Quantity
from infx.telemetry.families import Families, one

PREFIXES = ("atom:", "atom_")

_STEMS = {
    Quantity.PROMPT_TOKENS: "prompt_tokens",
    Quantity.GENERATION_TOKENS: "generation_tokens",
    Quantity.REQUESTS: "requests_finished",
    Quantity.CACHE_QUERIES: "prefix_cache_full_tokens",
    Quantity.GPU_HITS: "prefix_cache_cached_tokens",
    Quantity.HOST_HITS: "prefix_cache_offload_tokens",
    Quantity.KV_USAGE: "kv_cache_usage_ratio",
    Quantity.RUNNING: "requests_running",
    Quantity.WAITING: "requests_waiting",
    Quantity.PREEMPTIONS: "preemptions",
    Quantity.DRAFTS: "mtp_decode_steps",
    Quantity.DRAFTED: "mtp_draft_tokens",
    Quantity.ACCEPTED: "mtp_accepted_tokens",
    Quantity.ACCEPTANCE_LENGTH: "mtp_average_tokens_per_forward",
}

FAMILIES: Families = {
    quantity: tuple(one(prefix + stem) for prefix in PREFIXES) for quantity, stem in _STEMS.items()
}
