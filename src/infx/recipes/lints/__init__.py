"""Relations between a recipe's settings that are probably meant otherwise; one file each.

A lint has a docstring, which is its manual page, and `check(binding, context)`, which yields what
is wrong. It warns, and it is silent wherever it does not know a number for certain.
"""

LINTS = {
    "running-requests-below-concurrency": "infx.recipes.lints.running_requests_below_concurrency",
    "graph-batch-below-concurrency": "infx.recipes.lints.graph_batch_below_concurrency",
    "chunk-above-max-prefill": "infx.recipes.lints.chunk_above_max_prefill",
    "parallelism-against-gpus": "infx.recipes.lints.parallelism_against_gpus",
    "draft-length-outside-golden": "infx.recipes.lints.draft_length_outside_golden",
    "draft-tokens-inconsistent": "infx.recipes.lints.draft_tokens_inconsistent",
    "host-memory-below-cache": "infx.recipes.lints.host_memory_below_cache",
    "context-below-workload": "infx.recipes.lints.context_below_workload",
    "memory-fraction-out-of-range": "infx.recipes.lints.memory_fraction_out_of_range",
    "setting-spelled-twice": "infx.recipes.lints.setting_spelled_twice",
    "unused-variant": "infx.recipes.lints.unused_variant",
}
