"""Recipes of schema 2 that break a rule of their own, as `infx recipe show --strict` refuses them.

An id begins with the section of the public pipeline's rules, 1.8. What a row and its recipe must
agree on is in `test_row_recipe_refusals` and `test_row_agreement_refusals`.
"""

import pytest

from named_recipes import BASE, GROUPS, PLAIN, client, server
from transcript import refused

FILE = "toy.yaml"
ZIP = BASE + "zip_override_a:\n"
GROUP = "zip_override_a"


def role(old: str, new: str) -> str:
    """Return the plain recipe with a piece replaced; nodes, workers, gpus stand on 7, 8, 9."""
    assert old in PLAIN
    return PLAIN.replace(old, new)


def top(text: str) -> str:
    """Return the plain recipe with a section more, on line 12."""
    return f"{PLAIN}{text}\n"


BUNDLES = {
    "1.8-a-key-beside-the-base": (
        BASE + "overide_c4: {name: a}\n",
        [("13: overide_c4 stands beside base; a bundle has base, override_NAME and "
         "zip_override_NAME")],
    ),
    "1.8-a-group-that-is-no-mapping": (
        BASE + "override_c4: 4\n", ["13: override_c4 is no mapping; write the keys that it sets"],
    ),
    "1.8-a-zip-group-without-a-list": (
        f"{ZIP}  name: a\n",
        [f"13: {GROUP} has no list to step through; write override_a, or the lists"],
    ),
    "1.8-a-zip-group-with-an-empty-list": (
        f"{ZIP}  name: []\n", [f"14: {GROUP}: name is an empty list; a null removes a key"],
    ),
    "1.8-lists-of-a-zip-group-that-do-not-agree": (
        f"{ZIP}  name: [a, b]\n  benchmark: {{env: {{CONC: ['4', '8', '16']}}}}\n",
        [(f"15: {GROUP}: benchmark.env.CONC has 3 steps, but name ({FILE}:14) has 2; lists of a "
         "zip group are equally long, or have one item for all")],
    ),
    "1.8-a-base-that-is-no-mapping": (
        "base: toy\n", ["1: base is no mapping; write the keys that it sets"],
    ),
    "1.8-a-file-that-is-no-mapping": ("- base\n", ["1: a recipe is a mapping"]),
    "1.8-two-rules-of-a-bundle": (
        f"{ZIP}  name: [a, b]\n  engine: [a, b, c]\nmore: {{}}\n",
        [(f"15: {GROUP}: engine has 3 steps, but name ({FILE}:14) has 2; lists of a zip group are "
         "equally long, or have one item for all"),
         "16: more stands beside base; a bundle has base, override_NAME and zip_override_NAME"],
    ),
}  # fmt: skip

SELECTORS = {
    "1.8-a-group-that-is-not-there": (
        BASE + GROUPS, "override_c8",
        "1: no variant is named override_c8; did you mean override_c4?",
    ),
    "1.8-a-step-that-is-not-there": (
        f"{ZIP}  name: [a, b]\n", "zip_override_a[2]",
        "1: no variant is named zip_override_a[2]; did you mean zip_override_a[1]?",
    ),
    "1.8-a-glob-of-nothing": (
        BASE + GROUPS, "over*_d*",
        "1: no variant is named over*_d*; known are base, override_c20, override_c4",
    ),
    "1.8-a-variant-of-a-plain-file": (
        PLAIN, "base",
        "1: the selector base names no variant: the file is no bundle; leave the selector out",
    ),
}  # fmt: skip

FRAGMENTS = {
    "1.8-an-unknown-schema": (
        role("schema: 2", "schema: 3"), ["1: schema 3 is not known; known are 1, 2"],
    ),
    "1.8-an-unknown-section": (
        top("benchmrk: {env: {CONC: '4'}}"),
        ["12: benchmrk is no section of a recipe; did you mean benchmark?"],
    ),
    "1.8-no-roles": (
        "schema: 2\nname: toy\n",
        ["the recipe has no roles; write roles.agg, or roles.prefill and roles.decode"],
    ),
    "1.8-an-unknown-role": (
        role("  agg:", "  aggregate:"),
        ["6: roles.aggregate is no role; known are agg, prefill, decode"],
    ),
    "1.8-a-role-that-is-no-mapping": (
        f"{PLAIN}  decode: 2\n", ["12: roles.decode is no mapping"],
    ),
    "1.8-an-unknown-key-of-a-role": (
        role("workers: 1", "worker: 1"),
        ["8: roles.agg.worker: unknown key; did you mean workers?"],
    ),
    "1.8-nodes-are-counted-from-1": (
        role("nodes: 1", "nodes: 0"),
        ["7: roles.agg.nodes is 0, not a number from 1, or colocate for decode"],
    ),
    "1.8-workers-are-a-number": (
        role("workers: 1", "workers: '1'"),
        ["8: roles.agg.workers is '1', not a number from 1"],
    ),
    "1.8-gpus-are-a-number": (
        role("gpus: 8", "gpus: true"), ["9: roles.agg.gpus is True, not a number from 1"],
    ),
    "1.8-only-decode-is-colocated": (
        role("nodes: 1", "nodes: colocate"),
        ["7: roles.agg.nodes is 'colocate', not a number from 1, or colocate for decode"],
    ),
    "1.8-colocated-roles-state-their-gpus": (
        role("  agg:", "  prefill:") + "  decode: {nodes: colocate, workers: 1}\n",
        [("12: roles.decode shares the nodes of prefill, and roles.decode has no gpus; "
         "write roles.decode.gpus")],
    ),
    "1.8-args-are-a-mapping": (
        role("args:\n      tensor-parallel-size: 8", "args: [--tp, '8']"),
        ["10: roles.agg.args is no mapping"],
    ),
    "1.8-extra-args-are-words": (
        f"{PLAIN}    extra_args: --tp 8\n", ["12: roles.agg.extra_args is no list of words"],
    ),
    "1.8-variables-are-text": (
        f"{PLAIN}    env: {{A: [1]}}\n", ["12: roles.agg.env.A is no text; quote it"],
    ),
    "1.8-sidecar-is-a-boolean": (
        f"{PLAIN}    sidecar: 'no'\n", ["12: roles.agg.sidecar is no true or false"],
    ),
    "1.8-critical-is-a-boolean": (
        f"{PLAIN}    critical: 1\n", ["12: roles.agg.critical is no true or false"],
    ),
    "1.8-all-roles-run-one-engine": (
        f"{PLAIN}    engine: vllm\n",
        [(f"12: the engine is vllm here and sglang at {FILE}:3; all roles of a recipe run one "
         "engine")],
    ),
    "1.8-an-unknown-size": (
        server(a="'@dram.total'"),
        ["12: roles.agg.args.a: @dram.total is not defined; did you mean @dram.total-gb?"],
    ),
    "1.8-a-size-without-a-name": (
        server(a="'@dram'"),
        ["12: roles.agg.args.a: @dram is no expression; write @dram.NAME or @fabric.NAME"],
    ),
    "1.8-an-expression-in-a-text": (
        server(a="'--size=@dram.total-gb'"),
        [("12: roles.agg.args.a: @dram.total-gb stands inside a longer text; "
         "make it the whole value")],
    ),
    "1.8-an-unknown-size-in-json": (
        server(a="""'{"size": "@dram.total"}'"""),
        ["12: roles.agg.args.a: @dram.total is not defined; did you mean @dram.total-gb?"],
    ),
    "1.8-several-rules-at-once": (
        role("nodes: 1", "nodes: 0").replace("workers: 1", "worker: 1"),
        ["7: roles.agg.nodes is 0, not a number from 1, or colocate for decode",
         "8: roles.agg.worker: unknown key; did you mean workers?"],
    ),
}  # fmt: skip

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


@pytest.fixture
def show(infx, tmp_path):
    def run(text: str, selector: str = "", *flags: object):
        (tmp_path / FILE).write_text(text)
        return infx("recipe", "show", FILE + (f":{selector}" if selector else ""), "--strict",
                    *flags)  # fmt: skip

    return run


def placed(*lines: str) -> str:
    """Return lines as they are told: those without a number are of the whole file."""
    return "\ninfx: ".join(
        f"{FILE}:{line}" if line[:1].isdigit() else f"{FILE}: {line}" for line in lines
    )


@pytest.mark.parametrize("case", BUNDLES | FRAGMENTS)
def test_a_recipe_that_breaks_a_rule_is_refused(show, case):
    text, lines = (BUNDLES | FRAGMENTS)[case]
    assert show(text) == refused(2, placed(*lines))


@pytest.mark.parametrize("case", SELECTORS)
def test_a_selector_that_names_nothing_is_refused(show, case):
    text, selector, line = SELECTORS[case]
    assert show(text, selector) == refused(2, placed(line))


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


def test_keys_and_sizes_are_told_together(show):
    text = client("concurrencies: 4, env: {ISL: '1', CONC: '4'}") + "modle: {}\n"
    assert show(text) == refused(
        2,
        placed(
            "13: modle is no section of a recipe; did you mean model?",
            "12: benchmark.concurrencies is not a recipe's to state: it is the row's "
            "concurrencies; remove it",
            "12: benchmark.env.ISL is not a recipe's to state: it is the scenario's isl; remove it",
        ),
    )
