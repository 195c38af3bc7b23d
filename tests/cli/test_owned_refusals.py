"""What is not a recipe's to state, as `infx recipe show --strict` refuses it.

The section of the public pipeline's rules is 1.8: keys that the binder writes, sizes of one host.
"""

import pytest

from named_recipes import BASE, FILE, PLAIN, client, placed, top
from transcript import refused

SIZE = ("is a fact of one host; write @dram.total-bytes, @dram.per-gpu-bytes, @dram.total-gb or "
        "@dram.per-gpu-gb")  # fmt: skip
LITERALS = {
    "cpu_bytes_to_use": (
        """      kv-transfer-config: '{"kv_connector_extra_config": {"cpu_bytes_to_use": 9}}'\n""",
        "roles.agg.args.kv-transfer-config (cpu_bytes_to_use): the size 9",
    ),
    "cpu_bytes_to_use_per_rank": (
        "      a: {cpu_bytes_to_use_per_rank: 9}\n",
        "roles.agg.args.a.cpu_bytes_to_use_per_rank: the size 9",
    ),
    "LMCACHE_MAX_LOCAL_CPU_SIZE": (
        "    env: {LMCACHE_MAX_LOCAL_CPU_SIZE: '100'}\n",
        "roles.agg.env.LMCACHE_MAX_LOCAL_CPU_SIZE: the size 100",
    ),
    "lmcache.max_local_cpu_size": (
        "      a: {lmcache.max_local_cpu_size: 100}\n",
        "roles.agg.args.a.lmcache.max_local_cpu_size: the size 100",
    ),
    "--l1-size-gb": (
        "    extra_args: [--l1-size-gb, '100']\n",
        "roles.agg.extra_args (--l1-size-gb): the size 100",
    ),
    "--l1-size-gb=": (
        "    extra_args: [--l1-size-gb=100]\n",
        "roles.agg.extra_args (--l1-size-gb): the size 100",
    ),
}

OWNED = {
    "model.path": ("model: {path: 'hf:acme/Toy'}", "the row's model"),
    "model.container": ("model: {container: 'acme/sglang:v1'}", "the row's image"),
    "model.precision": ("model: {precision: fp8}", "the row's precision"),
    "identity.model.repo": ("identity: {model: {repo: acme/Toy}}", "the row's model"),
    "identity.container.image": (
        "identity: {container: {image: 'acme/sglang:v1'}}", "the row's image",
    ),
    "benchmark.concurrencies": ("benchmark: {concurrencies: 4}", "the row's concurrencies"),
    "telemetry.enabled": ("telemetry: {enabled: true}", "the row's power"),
    "telemetry.dcgm_exporter.port": ("telemetry: {dcgm_exporter: {port: 9}}", "the cluster's"),
    **{
        f"benchmark.env.{name}": (f"benchmark: {{env: {{{name}: '1'}}}}", owner)
        for name, owner in {
            "MODEL": "the row's model", "ISL": "the scenario's isl", "OSL": "the scenario's osl",
            "CONC_LIST": "the row's concurrencies", "RANDOM_RANGE_RATIO": "the scenario's",
            "USE_CHAT_TEMPLATE": "the scenario's",
            "TOTAL_CPU_DRAM_GB": "the row's DRAM budget", "RESULT_DIR": "the launcher's",
            "AGENTIC_OUTPUT_DIR": "the launcher's", "HF_HUB_CACHE": "the launcher's",
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("name", LITERALS)
def test_a_literal_size_of_host_memory_is_refused(show, name):
    """Section 1.8: only a budget knows these; as an expression each passes."""
    text, said = LITERALS[name]
    assert show(PLAIN + text) == refused(2, placed(f"12: {said} {SIZE}"))
    size = "100" if "100" in text else "9"
    quoted = '"@dram.total-gb"' if '"' in text else "'@dram.total-gb'"
    expression = text.replace(f"'{size}'", quoted).replace(size, quoted)
    if "=" not in name:
        assert show(PLAIN + expression).code == 0


@pytest.mark.parametrize("name", OWNED)
def test_a_key_that_the_binder_owns_is_refused(show, name):
    """Section 1.8: even with the right value, on one node as in every variant of a bundle."""
    text, owner = OWNED[name]
    what = f"{name} is not a recipe's to state: it is {owner}; remove it"
    assert show(top(text)) == refused(2, placed(f"12: {what}"))
    bundle = f"{BASE}override_c4:\n  {text}\n"
    assert show(bundle, "override_c4") == refused(2, placed(f"14: {what}"))


@pytest.mark.parametrize(
    ("name", "owner"),
    [("CONC", "the point's concurrency"), ("KV_OFFLOADING", "the row's kv-offloading")],
)
def test_a_variant_on_one_node_may_select_by_its_point_and_no_other_may(show, name, owner):
    """Section 1.8: the exception is for one node, where the value must be the point's."""
    text = client(f"env: {{{name}: '4'}}")
    assert show(text).code == 0
    assert show(text.replace("nodes: 1", "nodes: 2")) == refused(
        2,
        placed(f"12: benchmark.env.{name} is not a recipe's to state: it is {owner}; remove it"),
    )
    flag = {"CONC": "--concurrency", "KV_OFFLOADING": "--kv-offloading"}[name]
    said = show(text, "", flag, 8)
    assert said.verdict[1:] == [f"infx: {FILE}:12: the recipe: {name} is 4"]


def test_all_that_a_recipe_breaks_is_told_together(show):
    text = client("concurrencies: 4, env: {ISL: '1', CONC: '4', A: '@dram.x'}") + "modle: {}\n"
    assert show(text.replace("workers: 1", "workers: 0")) == refused(
        2,
        placed(
            "8: roles.agg.workers is 0, not a number from 1",
            "12: benchmark.env.A: @dram.x is not defined; known are @dram.total-gb, "
            "@dram.total-bytes, @dram.per-gpu-gb, @dram.per-gpu-bytes",
            "13: modle is no section of a recipe; did you mean model?",
            "12: benchmark.concurrencies is not a recipe's to state: it is the row's "
            "concurrencies; remove it",
            "12: benchmark.env.ISL is not a recipe's to state: it is the scenario's isl; remove it",
        ),
    )
