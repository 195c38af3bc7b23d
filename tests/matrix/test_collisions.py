"""Two results under one identity would be one result: one evaluation is left of them."""

from catalogued import PAIR, agentic, catalog, entry, fixed, multi
from infx.matrix.generate import generate
from infx.matrix.options import Options

DRAM = {"kv-offloading": "dram", "kv-offload-backend": {"name": "hicache"}}
PLAIN = {"kv-offloading": "none"}


def chosen(evals="default", edition="2026-10", **entries):
    found = generate(catalog(**entries), Options(edition=edition, evals=evals))
    return [(row.image[-1], row.conc) for row in found if row.run_eval]


def agent(image, offload, *concs):
    space = {"tp": 8, "conc-list": list(concs), **offload}
    return entry(agentic(space, dram=0.5), image=f"org/engine:{image}", runner="cluster:h200-a")


def test_the_row_without_offload_keeps_its_evaluation():
    entries = {"a": agent("a", DRAM, 8), "b": agent("b", PLAIN, 8)}
    assert chosen(**entries) == [("b", 8)]
    assert chosen(a=agent("a", DRAM, 8), b=agent("b", DRAM, 8)) == [("a", 8)]


def test_another_concurrency_or_topology_is_another_place():
    assert chosen(a=agent("a", PLAIN, 8), b=agent("b", PLAIN, 9)) == [("a", 8), ("b", 9)]


def test_in_august_both_are_evaluated():
    entries = {"a": agent("a", PLAIN, 8), "b": agent("b", PLAIN, 8)}
    assert chosen("all", "2026-08", **entries) == [("a", 8), ("b", 8)]
    assert chosen("all", "2026-10", **entries) == [("a", 8)]


def test_a_row_of_several_concurrencies_loses_only_those_that_collide():
    def disagg(image, *concs):
        space = {"prefill": PAIR, "decode": PAIR, "conc-list": list(concs)}
        return multi(fixed(space), image=f"org/engine:{image}")

    entries = {"a": disagg("a", 16, 32), "b": disagg("b", 32, 64)}
    assert chosen("all", **entries) == [("a", (16, 32)), ("b", (64,))]


def test_an_extra_row_that_loses_is_gone():
    kimi = {
        name: agent(name, PLAIN, 8).model_copy(update={"model_prefix": "kimik3"})
        for name in ("a", "b")
    }
    found = generate(catalog(**kimi), Options())
    assert [(row.image[-1], row.eval_framework, row.eval_only) for row in found] == [
        ("a", "kimi-vendor", None), ("b", None, None), ("a", "lm-eval", True),
    ]  # fmt: skip
