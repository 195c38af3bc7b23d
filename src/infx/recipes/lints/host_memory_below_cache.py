"""The host caches of a node need more memory than a recipe may spend there.

What: adds up the host KV caches of the ranks on one node (SGLang's `hicache-size` in 10^9 bytes a
rank, vLLM's `cpu_bytes_to_use_per_rank`, TensorRT-LLM's `host_cache_size`) and compares the sum
with the node's host memory budget.

Why: the server fails when it allocates the cache, minutes after its start, or the point spends
more memory than the rules of the scenario allow.

Fails: `hicache-size: 120` on 4 GPUs of a node with 400 GB.

Passes: the same on 480 GB; a size that is computed from the budget (`@dram.per-gpu-gb`).

Fix: use `@dram.per-gpu-gb`, or lower the size.
"""

from collections.abc import Iterator, Mapping

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import role_settings, stated, where
from infx.recipes.topology import DEFAULT_GPUS_PER_NODE, RoleFacts, facts, whole

GIGA = 10**9
CACHES = {
    "sglang": ("hicache-size", GIGA),
    "vllm": ("kv-transfer-config.kv_connector_extra_config.cpu_bytes_to_use_per_rank", 1),
    "trtllm": ("kv_cache_config.host_cache_size", 1),
}
"""Engine to the setting of one rank's host cache, and the bytes of its unit."""


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for each role whose caches do not fit a node."""
    known = facts(binding.tree)
    if known.engine not in CACHES or context.dram_gb is None:
        return
    setting, unit = CACHES[known.engine]
    for name, role in known.roles.items():
        stated_size = stated(role_settings(binding, name), setting)
        size = whole(stated_size.value) if stated_size else None
        ranks = _ranks_per_node(binding, role)
        if stated_size is None or not size or ranks is None:
            continue
        total = size * unit * ranks
        if total > context.dram_gb * GIGA:
            yield Problem(
                f"{ranks} ranks of {name} on a node cache {total / GIGA:,.0f} GB in host memory, "
                f"the budget is {context.dram_gb:,} GB",
                where(binding, stated_size.path),
                f"at most {context.dram_gb * GIGA // ranks // unit:,} a rank",
            )


def _ranks_per_node(binding: Binding, role: RoleFacts) -> int | None:
    """Return the GPUs of a role that share one node, each with a cache of its own."""
    resources = binding.tree.get("resources")
    stated_gpus = whole(resources.get("gpus_per_node")) if isinstance(resources, Mapping) else None
    per_node = stated_gpus or DEFAULT_GPUS_PER_NODE
    if role.gpus is None:
        return None
    workers = role.workers or 1
    return min(per_node, -(-role.gpus * workers // (role.nodes or 1)))
