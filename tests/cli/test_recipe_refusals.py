"""Recipes of schema 2 that break a rule of their own, as `infx recipe show --strict` refuses them.

An id begins with the section of the public pipeline's rules, 1.8. What a row and its recipe must
agree on is in `test_row_recipe_refusals` and `test_row_agreement_refusals`; what a recipe may not
state at all is in `test_owned_refusals`.
"""

import pytest

from named_recipes import BASE, FILE, GROUPS, PLAIN, placed, server, top
from transcript import refused

ZIP = BASE + "zip_override_a:\n"
GROUP = "zip_override_a"


def role(old: str, new: str) -> str:
    """Return the plain recipe with a piece replaced; nodes, workers, gpus stand on 7, 8, 9."""
    assert old in PLAIN
    return PLAIN.replace(old, new)


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
    "1.8-an-engine-that-is-no-name": (
        role("engine: sglang", "engine: 3"),
        ["3: engine is no name of an engine; write its name, or its type and settings"],
    ),
    "1.8-a-name-that-is-no-text": (
        role("name: toy", "name: [toy]"), ["2: name is no text; quote it"],
    ),
    "1.8-a-section-that-is-no-mapping": (
        role("resources: {gpu_type: h200, gpus_per_node: 8}", "resources: h200"),
        ["4: resources is no mapping; write its keys below it"],
    ),
    "1.8-services-that-are-no-list": (
        top("services: etcd"), ["12: services is no list of services; write one after each dash"],
    ),
    "1.8-gpus-per-node-are-a-number": (
        role("gpus_per_node: 8", "gpus_per_node: eight"),
        ["4: resources.gpus_per_node is 'eight', not a number from 1; write a number"],
    ),
    "1.8-health-attempts-are-a-number": (
        top("health_check: {max_attempts: many, interval_seconds: 0}"),
        ["12: health_check.max_attempts is 'many', not a number from 1; write a number",
         "12: health_check.interval_seconds is 0, not a number from 1; write a number"],
    ),
    "1.8-several-frontends-are-a-boolean": (
        top("frontend: {enable_multiple_frontends: maybe}"),
        ["12: frontend.enable_multiple_frontends is 'maybe'; write true or false"],
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


@pytest.mark.parametrize("case", BUNDLES | FRAGMENTS)
def test_a_recipe_that_breaks_a_rule_is_refused(show, case):
    text, lines = (BUNDLES | FRAGMENTS)[case]
    assert show(text) == refused(2, placed(*lines))


@pytest.mark.parametrize("case", SELECTORS)
def test_a_selector_that_names_nothing_is_refused(show, case):
    text, selector, line = SELECTORS[case]
    assert show(text, selector) == refused(2, placed(line))
