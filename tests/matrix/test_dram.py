"""How large the offload budget of one replica is. Figures by hand."""

import pytest

from catalogued import PAIR, agentic, catalog, clusters, entry, expanded, hardware, multi
from infx.errors import InputError
from infx.matrix.dram import budget_gb, gpus_on_node
from refusals import refusal

DRAM = {"kv-offloading": "dram", "kv-offload-backend": {"name": "hicache"}, "conc-list": [4]}


@pytest.mark.parametrize(
    ("mib", "utilization", "gpus", "per_node", "expected"),
    [
        (860_160, 0.8, 4, 4, 721),  # 901,943,132,160 B x 0.8 = 721,554,505,728 B
        (860_160, 0.8, 1, 4, 180),  # a quarter: 180.39
        (2_861_022, 1.0, 8, 8, 2999),  # 2,999,999,004,672 B: the cap is just below 3 TB
        (3_095_781, 1.0, 8, 8, 2999),  # a larger node counts as the cap
        (1_000_000, 0.1, 2, 8, 26),  # 26.2144
    ],
)
def test_the_budget_is_the_gpus_share_rounded_down(mib, utilization, gpus, per_node, expected):
    assert budget_gb(mib, utilization, gpus, per_node) == expected


@pytest.mark.parametrize(
    ("gpus", "expected"), [(1, 1), (4, 4), (8, 8), (16, 8), (24, 8), (3, None), (12, None)]
)
def test_a_replica_tiles_its_nodes_or_does_not(gpus, expected):
    assert gpus_on_node(gpus, 8) == expected


def test_a_single_node_counts_tp_pp_and_pcp():
    config = entry(
        agentic({"tp": 2, "pp": 2, "pcp-size": 1, **DRAM}, dram=0.5), runner="cluster:h200-a"
    )
    (row,) = expanded(config)
    assert row.total_cpu_dram_gb == 262  # half of the GPUs, half of 1,048.576 GB


def test_several_nodes_count_what_prefill_has_on_one_of_them():
    space = {"prefill": {**PAIR, "tp": 16}, "decode": {**PAIR, "tp": 2}, **DRAM}
    (row,) = expanded(multi(agentic(space, dram=0.5), runner="cluster:h200-a"))
    assert row.total_cpu_dram_gb == 524


def test_without_offload_there_is_no_budget_and_no_need_for_facts():
    config = entry(agentic({"tp": 3, "kv-offloading": "none", "conc-list": [4]}), runner="h200")
    assert expanded(config)[0].total_cpu_dram_gb == 0


def test_a_bad_topology_fails_whatever_is_asked_for():
    config = entry(agentic({"tp": 16, **DRAM}, dram=0.5), runner="cluster:h200-a")
    assert refusal(lambda: expanded(config, min_conc=100)) == (
        "master.yaml:1: a replica does not tile nodes of 8 GPUs; "
        "use whole nodes, or an even part of one"
    )


@pytest.mark.parametrize("runners", [hardware(), clusters(b={})])
def test_unknown_dram_is_said(runners):
    found = catalog(runners, toy=entry(agentic({"tp": 8, **DRAM}, dram=0.5), runner="cluster:b"))
    with pytest.raises(InputError) as caught:
        expanded(found.keys["toy"], runners=runners)
    assert str(caught.value) == (
        "master.yaml:1: the DRAM of runner cluster:b is not known, and KV blocks are offloaded to "
        "it; state available-cpu-dram-mib in the runner file"
    )
