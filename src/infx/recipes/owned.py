"""Keys that the binder writes: a recipe of schema 2 that states one restates a fact of its row."""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Path, dotted
from infx.recipes.merge import Branch, leaves

SHARED = "shared block"
"""The layer under a fragment; it may state what a fragment may not."""

OWNED: dict[Path, str] = {
    ("model", "path"): "the row's model",
    ("model", "container"): "the row's image",
    ("model", "precision"): "the row's precision",
    ("identity", "model", "repo"): "the row's model",
    ("identity", "container", "image"): "the row's image",
    ("benchmark", "concurrencies"): "the row's concurrencies",
    ("telemetry", "enabled"): "the row's power",
    ("telemetry", "dcgm_exporter", "port"): "the cluster's",
}
"""Path to where its value comes from."""

OWNED_ENV: dict[str, str] = {
    "MODEL": "the row's model",
    "ISL": "the scenario's isl",
    "OSL": "the scenario's osl",
    "CONC": "the point's concurrency",
    "CONC_LIST": "the row's concurrencies",
    "RANDOM_RANGE_RATIO": "the scenario's",
    "USE_CHAT_TEMPLATE": "the scenario's",
    "KV_OFFLOADING": "the row's kv-offloading",
    "TOTAL_CPU_DRAM_GB": "the row's DRAM budget",
    "RESULT_DIR": "the launcher's",
    "AGENTIC_OUTPUT_DIR": "the launcher's",
    "HF_HUB_CACHE": "the launcher's",
    "HUGGINGFACE_HUB_CACHE": "the launcher's",
}
"""The same for variables of `benchmark.env`."""

SELECTORS = ("CONC", "KV_OFFLOADING")
"""What a variant on a single node may state all the same: it selects by them."""


def owned_keys(root: Branch, *, single_node: bool) -> Iterator[Problem]:
    """Yield every leaf of a fragment that the binder owns, at its line."""
    for path, leaf in leaves(root):
        origin = leaf.origins[0]
        owner = OWNED.get(path)
        if path[:2] == ("benchmark", "env") and len(path) == 3:
            name = str(path[2])
            owner = None if single_node and name in SELECTORS else OWNED_ENV.get(name)
        if owner is not None and origin.layer != SHARED:
            what = f"{dotted(path)} is not a recipe's to state: it is {owner}"
            yield Problem(what, origin.where, "remove it")
