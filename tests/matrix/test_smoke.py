"""Less of a matrix: what is kept of each shape."""

from catalogued import PAIR, agentic, catalog, entry, fixed, multi
from infx.matrix.generate import generate
from infx.matrix.options import Options

ENTRIES = {
    "single": entry(fixed({"tp": 8, "conc-list": [4, 16, 64]}, {"tp": 4, "conc-list": [8, 2]})),
    "pair": multi(fixed({"prefill": PAIR, "decode": PAIR, "conc-list": [128, 32]})),
    "agents": entry(agentic({"tp": 8, "kv-offloading": "none", "conc-list": [4, 2]})),
}


def kept(**options):
    return [
        (row.config_key, row.conc, bool(row.run_eval), getattr(row, "eval_conc", None),
         bool(row.eval_only))
        for row in generate(catalog(**ENTRIES), Options(**options))
    ]  # fmt: skip


def test_trimming_keeps_the_lowest_of_each_shape_and_evaluates_it_if_any_was():
    assert kept(trim_conc=True) == [
        ("single", 4, True, None, False),
        ("single", 2, False, None, False),
        ("pair", (32,), True, 32, False),
        ("agents", 2, True, None, False),
    ]


def test_smoke_evaluates_where_the_rules_say_beside_the_lowest():
    assert kept(evals="smoke") == [
        ("single", 4, False, None, False),
        ("single", 2, False, None, False),
        ("pair", (32,), False, None, False),
        ("agents", 2, False, None, False),
        ("single", 64, True, None, True),
        ("pair", (128,), True, 128, True),
        ("agents", 4, True, None, True),
    ]


def test_trimming_all_evaluations_leaves_one_concurrency_of_each():
    assert kept(evals="all", trim_conc=True, edition="2026-08") == [
        ("single", 4, True, None, True),
        ("single", 2, True, None, True),
        ("pair", (32,), True, 32, True),
        ("agents", 2, True, None, True),
    ]
