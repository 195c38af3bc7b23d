"""CUDA graphs cover fewer requests than one rank decodes.

What: compares the largest captured batch of the generating role (`cuda-graph-max-bs-decode` or the
list of sizes; vLLM's capture sizes are tokens, of which a request has one and its drafts;
TensorRT-LLM's `cuda_graph_config`) with the requests of one data-parallel rank: the concurrency
shared evenly over all ranks, and not more than the rank admits.

Why: a larger batch runs without a graph, and decoding gets slower in steps.

Fails: `cuda-graph-max-bs: 32` with `max-running-requests: 256` at concurrency 64 on one rank.

Passes: a batch of at least the share; graphs that are off; sizes that are left to the engine.

Fix: capture up to the share, or admit fewer requests.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.admission import admitted, decoder, graphs
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import where


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem when a rank decodes more requests than a graph covers."""
    role, peak = decoder(binding), context.peak
    covered = graphs(role) if role else None
    if role is None or covered is None or covered.setting is None or peak is None:
        return
    limit = admitted(role)
    share = role.share(peak)
    batch = min(share, limit.per_rank) if limit else share
    if covered.per_rank < batch:
        one = "a rank of " if role.ranks > 1 else ""
        yield Problem(
            f"{covered.name} covers {covered.per_rank} requests, at concurrency {peak} "
            f"{one}{role.name} decodes {batch}",
            where(binding, covered.setting.path),
            f"capture batches up to {batch}, or admit at most {covered.per_rank}",
        )
