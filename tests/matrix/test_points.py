"""Rows to points: a concurrency, a recipe, and what is checked there."""

from catalogued import PAIR, agentic, catalog, entry, fixed, multi
from infx.matrix.generate import generate
from infx.matrix.options import Options
from infx.matrix.points import points


def said(options=None, **entries):
    found = generate(catalog(**entries), options or Options(edition="2026-08"))
    return [point.model_dump(mode="json", by_alias=True, exclude_none=True)
            for point in points(found)]  # fmt: skip


GSM8K = {"framework": "lm-eval", "suite": ""}


def test_a_row_over_several_nodes_has_a_point_for_each_concurrency():
    settings = ["CONFIG_FILE=recipes/toy/a.yaml"]
    space = {"prefill": {**PAIR, "additional-settings": settings}, "decode": PAIR,
             "conc-list": [64, 8]}  # fmt: skip
    common = {
        "config-key": "toy", "scenario": "8k1k", "runner": "h200", "recipe": "recipes/toy/a.yaml",
        "measured": True,
    }  # fmt: skip
    assert said(toy=multi(fixed(space))) == [
        {**common, "concurrency": 64, "evaluations": [GSM8K]},
        {**common, "concurrency": 8, "evaluations": []},
    ]


def test_a_point_that_is_only_evaluated_is_not_measured():
    space = {"tp": 8, "conc-list": [8], "kv-offloading": "none", "srt-recipe": "a.yaml"}
    config = entry(agentic(space), model_prefix="kimik3", srt_recipe_dir="toy")
    vendor = {"framework": "kimi-vendor", "suite": "kimi_tool_call_schema_full"}
    common = {"config-key": "toy", "scenario": "agentic", "runner": "h200",
              "recipe": "toy/a.yaml", "concurrency": 8}  # fmt: skip
    assert said(Options(), toy=config) == [
        {**common, "measured": True, "evaluations": [vendor]},
        {**common, "measured": False, "evaluations": [GSM8K]},
    ]


def test_evaluating_all_checks_every_concurrency_of_a_batch():
    space = {"prefill": PAIR, "decode": PAIR, "conc-list": [64, 8]}
    options = Options(edition="2026-08", evals="all")
    checked = [
        (p["concurrency"], len(p["evaluations"])) for p in said(options, toy=multi(fixed(space)))
    ]
    assert checked == [(8, 1), (64, 1)]
