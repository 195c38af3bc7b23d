"""Rows without a topology get that of their recipe, or the reason why it is not known."""

import pytest

from infx.errors import InputError, Problem
from infx.matrix.catalog import catalog
from infx.store.documents import parse_yaml
from judged import HEAD, OCTOBER
from refusals import refusal

RUNNERS = OCTOBER.replace("gpus-per-node: 8", "gpus-per-node: 4")
DIR = "  runner: h200\n  srt-recipe-dir: toy\n"
SPACE = "  scenarios: {fixed-seq-len: [{isl: 8, osl: 4, search-space: [\n        {ROW}]}]}\n"
ONE = f"{HEAD}{DIR}  multinode: false\n{SPACE}"
AGGREGATE = f"{HEAD}{DIR}  multinode: true\n{SPACE}"
APART = f"{HEAD}{DIR}  multinode: true\n  disagg: true\n  kv-p2p-transfer: nixl\n{SPACE}"
AGG = "roles: {agg: {nodes: 1, workers: 1, gpus: 4, args: {tp-size: 4, ep-size: 2}}}"


def judge(entry, recipe, row="conc-list: [4], srt-recipe: r.yaml"):
    """Return the first row of an entry whose recipe is a text."""

    def recipes(name, where):
        if name != "toy/r.yaml":
            raise InputError(Problem(f"there is no recipe {name}", where))
        return parse_yaml(recipe.encode(), "r.yaml")

    master = parse_yaml(entry.replace("ROW", row).encode(), "a.yaml")
    found = catalog([master], parse_yaml(RUNNERS.encode(), "runners.yaml"), recipes)
    return found.keys["toy"].scenarios.fixed_seq_len[0].search_space[0]


def test_a_row_on_one_node_takes_the_sizes_of_its_recipe():
    row = judge(ONE, f"schema: 2\nengine: sglang\n{AGG}\n")
    assert (row.tp, row.ep, row.pp, row.dp_attn) == (4, 2, 1, False)
    assert (row.worker, row.num_nodes, row.conc_list) == (None, None, (4,))


def test_data_parallel_ranks_are_gpus_of_the_row():
    args = "{data-parallel-size: 4, enable-expert-parallel: true}"
    role = f"roles: {{agg: {{nodes: 1, workers: 1, gpus: 4, args: {args}}}}}"
    row = judge(ONE, f"schema: 2\nengine: vllm\n{role}\n")
    assert (row.tp, row.ep, row.dp_attn) == (4, 4, True)


def test_an_aggregate_over_nodes_takes_its_worker_and_its_nodes():
    role = "roles: {agg: {nodes: 4, workers: 2, gpus: 8, args: {tp-size: 4, pp-size: 2}}}"
    row = judge(AGGREGATE, f"schema: 2\nengine: sglang\n{role}\n")
    assert row.num_nodes == 4
    assert row.worker.model_dump(exclude_defaults=True) == {
        "num_worker": 2, "tp": 4, "pp": 2, "ep": 1, "dp_attn": False,
    }  # fmt: skip
    assert (row.tp, row.prefill) == (None, None)


def test_roles_apart_take_both_roles():
    args = "args: {tp-size: 4, attn-dp-size: 4, ep-size: 4}"
    roles = (
        f"roles:\n  prefill: {{nodes: 2, workers: 2, gpus: 4, {args}}}\n"
        "  decode: {nodes: 2, workers: 1, args: {tp-size: 8, dcp-size: 2}}\n"
    )
    row = judge(APART, f"schema: 2\nengine: sglang\nresources: {{gpus_per_node: 4}}\n{roles}")
    assert (row.prefill.num_worker, row.prefill.tp, row.prefill.ep) == (2, 4, 4)
    assert (row.prefill.dp_attn, row.decode.dp_attn) == (True, False)
    # The decode worker's GPUs are those of its nodes.
    assert (row.decode.num_worker, row.decode.tp, row.decode.dcp_size) == (1, 8, 2)
    assert row.num_nodes is None


def test_a_row_that_states_its_topology_opens_no_recipe():
    row = judge(ONE, "", "conc-list: [4], tp: 2, srt-recipe: gone.yaml")
    assert (row.tp, row.ep) == (2, None)


def test_variants_may_differ_in_all_but_topology():
    base = f"base: {{schema: 2, engine: sglang, {AGG}}}\n"
    more = "override_a: {roles: {agg: {args: {mem-fraction-static: 0.8}}}}\n"
    assert judge(ONE, f"{base}{more}override_b: {{name: b}}\n").tp == 4
    wide = "override_b: {roles: {agg: {args: {ep-size: 4}}}}\n"
    assert refusal(lambda: judge(ONE, base + more + wide)) == (
        "a.yaml:11: override_a (r.yaml:2) and override_b (r.yaml:3) differ in topology; "
        "name one: srt-recipe: FILE:SELECTOR"
    )
    named = "conc-list: [4], srt-recipe: 'r.yaml:override_b'"
    assert judge(ONE, base + more + wide, named).ep == 4


@pytest.mark.parametrize(
    ("entry", "recipe", "row", "said"),
    [
        (ONE, "", "conc-list: [4], srt-recipe: gone.yaml", "there is no recipe toy/gone.yaml"),
        (
            ONE,
            f"schema: 2\n{AGG}",
            "conc-list: [4], ep: 2, srt-recipe: r.yaml",
            (
                "toy.scenarios.fixed-seq-len.0.search-space.0.ep: the row states this, and leaves "
                "tp to its recipe; state all of the topology, or nothing of it"
            ),
        ),
        (
            APART,
            f"schema: 2\n{AGG}",
            "conc-list: [4], srt-recipe: r.yaml",
            (
                "the recipe (r.yaml:1) has the roles agg, the entry is for prefill and decode; "
                "name another recipe, or change disagg"
            ),
        ),
        (
            ONE,
            "schema: 2\nroles: {agg: {workers: 1, args: {}}}",
            "conc-list: [4], srt-recipe: r.yaml",
            (
                "the recipe (r.yaml:1) states no tensor-parallel size of agg, and the row leaves "
                "it to the recipe; state it there, or all of the topology in the row"
            ),
        ),
        (
            ONE,
            "schema: 2\nroles: {agg: {nodes: 1, workers: 2, gpus: 2}}",
            "conc-list: [4], srt-recipe: r.yaml",
            (
                "the recipe (r.yaml:1) has 2 workers, a row on one node has one; "
                "set multinode: true, or name another recipe"
            ),
        ),
    ],
)
def test_why_a_topology_is_not_known(entry, recipe, row, said):
    line = entry.replace("ROW", row).split("\n").index(f"        {{{row}}}]}}]}}") + 1
    assert refusal(lambda: judge(entry, recipe, row)) == f"a.yaml:{line}: {said}"


def test_without_recipes_at_hand_a_row_must_state_it():
    master = parse_yaml(ONE.replace("ROW", "conc-list: [4], srt-recipe: r.yaml").encode(), "a.yaml")
    runners = parse_yaml(RUNNERS.encode(), "runners.yaml")
    assert "tp is missing" in refusal(lambda: catalog([master], runners))


def test_filled_sizes_must_fit_the_nodes():
    role = "roles: {agg: {nodes: 2, workers: 1, gpus: 8, args: {tp-size: 8}}}"
    assert "a replica needs 8 GPUs, and a node has 4" in refusal(
        lambda: judge(ONE, f"schema: 2\n{role}\n")
    )
