"""Which rows are evaluated, by hand for each rule."""

import pytest

from catalogued import PAIR, agentic, catalog, entry, fixed, multi
from infx.matrix.eval_tasks import TASKS
from infx.matrix.evals import LM_EVAL, VENDORS, mark, mark_all
from infx.matrix.expand import rows
from infx.matrix.generate import generate
from infx.matrix.options import Options

AGENT = {"tp": 8, "kv-offloading": "none"}
BOTH = pytest.mark.parametrize("edition", ["2026-08", "2026-10"])


def expanded(edition="2026-08", **entries):
    found = catalog(**entries)
    return rows(found, found.keys, Options(edition=edition))


def chosen(found):
    """Return the concurrencies that are evaluated, as each row has them."""
    return [getattr(row, "eval_conc", None) or row.conc for row in found if row.run_eval]


def role(**fields):
    return {**PAIR, **fields}


def pair(*concs, **fields):
    return {"prefill": PAIR, "decode": role(**fields), "conc-list": list(concs)}


@BOTH
def test_one_node_is_evaluated_at_the_highest_and_the_upper_median(edition):
    found = expanded(toy=entry(fixed({"tp": 8, "conc-start": 4, "conc-end": 128})))
    assert chosen(mark(found, edition)) == [64, 128]  # of 16, 32, 64, 128
    assert [row.run_eval for row in mark(found, edition)][:4] == [False] * 4


@BOTH
def test_the_median_is_that_of_a_deployment_not_of_a_topology(edition):
    spaces = ({"tp": 4, "conc-list": [16, 32]}, {"tp": 8, "ep": 8, "conc-list": [32, 64]})
    found = mark(expanded(toy=entry(fixed(*spaces))), edition)
    assert [(row.tp, row.conc) for row in found if row.run_eval] == [(4, 32), (8, 32), (8, 64)]


@BOTH
def test_attention_and_speculation_part_deployments(edition):
    spaces = (
        {"tp": 8, "conc-list": [16]},
        {"tp": 8, "dp-attn": True, "conc-list": [64]},
        {"tp": 8, "spec-decoding": "mtp", "conc-list": [32]},
    )
    assert chosen(mark(expanded(toy=entry(fixed(*spaces))), edition)) == [16, 64, 32]


@BOTH
def test_below_16_and_at_other_lengths_nothing_is_evaluated(edition):
    space = {"tp": 8, "conc-list": [4, 8]}
    assert chosen(mark(expanded(toy=entry(fixed(space))), edition)) == []
    other = entry(fixed({"tp": 8, "conc-list": [64]}, isl=1024))
    assert chosen(mark(expanded(toy=other), edition)) == []


@BOTH
def test_several_nodes_are_evaluated_once_a_topology(edition):
    spaces = (pair(64, 8), pair(128), pair(32, ep=4), pair(8, tp=4))
    found = mark(expanded(toy=multi(fixed(*spaces))), edition)
    assert chosen(found) == [128, 32]
    assert [row.eval_conc for row in found] == [None, 128, 32, None]


@BOTH
def test_of_equal_topologies_the_first_is_evaluated_and_images_part_them(edition):
    one, other = (multi(fixed(pair(64)), image=f"org/engine:{tag}") for tag in ("a", "b"))
    assert chosen(mark(expanded(a=one, b=one, c=other), edition)) == [64, 64]


def test_agent_sessions_in_august_only_where_evaluations_are_all_that_is_asked():
    found = expanded(
        a=entry(agentic({**AGENT, "conc-list": [4, 12]}), image="org/engine:a"),
        b=entry(agentic({**AGENT, "spec-decoding": "mtp", "conc-list": [8]})),
    )
    assert chosen(mark(found, "2026-08", agentic=False)) == []
    assert chosen(mark(found, "2026-08")) == [12]  # one for both: image and speculation do not part


def test_agent_sessions_in_october_always_and_by_image_and_speculation():
    found = expanded(
        a=entry(agentic({**AGENT, "conc-list": [4, 12]}), image="org/engine:a"),
        b=entry(agentic({**AGENT, "spec-decoding": "mtp", "conc-list": [8]})),
    )
    marked = mark(found, "2026-10", agentic=False)
    assert chosen(marked) == [12, 8]
    assert {(row.eval_framework, row.eval_suite) for row in marked if row.run_eval} == {LM_EVAL}


def test_agent_sessions_over_several_nodes_from_16_on_with_one_fallback_in_october():
    low = multi(agentic(pair(1, 2)))
    high = multi(agentic(pair(8, 32), pair(4, tp=4)), framework="vllm")
    found = expanded(low=low, high=high)
    assert chosen(mark(found, "2026-08")) == [32]
    assert chosen(mark(found, "2026-10")) == [2, 32]


@pytest.mark.parametrize(("prefix", "suite"), VENDORS.items())
def test_a_vendor_suite_runs_at_every_concurrency_and_gsm8k_beside_it(prefix, suite):
    config = entry(agentic({**AGENT, "conc-list": [2, 4]}), model_prefix=prefix)
    found = mark(expanded(toy=config), "2026-10")
    assert [(row.conc, row.eval_framework, row.eval_suite, row.eval_only) for row in found] == [
        (2, *suite, None), (4, *suite, None), (4, *LM_EVAL, True),
    ]  # fmt: skip
    assert chosen(mark(expanded(toy=config), "2026-08")) == [4]


def test_all_means_every_row_and_one_row_a_topology():
    found = expanded(
        a=entry(fixed({"tp": 8, "conc-list": [2, 64]}), model="acme/Other"),
        b=multi(fixed(pair(64, 8), pair(128, 8), pair(1, ep=1))),
        c=multi(agentic(pair(4, 2), pair(9))),
        d=entry(fixed({"tp": 8, "conc-list": [64]}, isl=1024)),
    )
    got = [
        (row.conc, getattr(row, "eval_conc", None), getattr(row, "eval_all_concs", None))
        for row in mark_all(found, "2026-08")
        if row.run_eval
    ]
    assert got == [
        (2, None, None), (64, None, None), ((8, 64, 128), None, True), ((1,), None, True),
        ((2, 4, 9), 9, None),
    ]  # fmt: skip


def test_all_keeps_a_vendor_suite_for_each_concurrency():
    config = multi(agentic(pair(4, 2)), model_prefix="kimik3")
    found = mark_all(expanded(toy=config), "2026-10")
    assert [(row.conc, row.eval_conc, row.eval_framework) for row in found] == [
        ((4,), 4, "kimi-vendor"), ((2, 4), 4, "lm-eval"), ((2,), 2, "kimi-vendor"),
    ]  # fmt: skip


def test_whatever_is_written_on_a_row_is_a_known_task_or_a_named_refusal():
    assert set(TASKS) == {LM_EVAL, *VENDORS.values()}
    assert TASKS[LM_EVAL].name == "gsm8k"


@pytest.mark.parametrize("evals", ["default", "none", "only", "all", "smoke"])
@BOTH
def test_no_mode_writes_another_pair(edition, evals):
    entries = {
        prefix: entry(agentic({**AGENT, "conc-list": [2, 32]}), model_prefix=prefix)
        for prefix in ("toy", *VENDORS)
    }
    entries["both"] = multi(fixed(pair(16)) | agentic(pair(16)))
    found = generate(catalog(**entries), Options(edition=edition, evals=evals))
    pairs = {(row.eval_framework, row.eval_suite) for row in found if row.run_eval}
    assert pairs <= (set(TASKS) if edition == "2026-10" else {(None, None)})
    assert all(row.eval_framework is None for row in found if not row.run_eval)
