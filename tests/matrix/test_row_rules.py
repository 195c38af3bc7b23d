"""Each rule of a row of a search space, by what it says when it is broken."""

import pytest

from judged import agentic, judged, several, single
from refusals import refusal

ROLE = "num-worker: 1, tp: 4, ep: 4, dp-attn: true"
PAIR = f"prefill: {{{ROLE}}}, decode: {{{ROLE}}}"


def only_row(text):
    (entry,) = judged(text).keys.values()
    scenarios = entry.scenarios
    (row,) = (scenarios.fixed_seq_len or scenarios.agentic_coding)[0].search_space
    return row


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("tp: 4", ": no concurrency is stated; add conc-list, or conc-start and conc-end"),
        ("tp: 4, conc-start: 4", ".conc-start: the range has no conc-end; add conc-end"),
        ("tp: 4, conc-end: 4", ".conc-end: the range has no conc-start; add conc-start"),
        (
            "tp: 4, conc-start: 8, conc-end: 4",
            ".conc-start: 8 is above conc-end 4 on line 12; swap the two",
        ),
        (
            "tp: 4, conc-list: [4], conc-end: 8",
            (
                ".conc-end: the concurrencies are a list on line 12 already; "
                "keep the list or the range"
            ),
        ),
        ("conc-list: [4]", ": tp is missing; add tp, or set multinode: true"),
        (
            "tp: 4, conc-list: [4], num-nodes: 2",
            (
                ".num-nodes: this needs several nodes, and multinode is false on line 8; "
                "remove it, or set multinode: true"
            ),
        ),
        (
            "tp: 8, dcp-size: 3, conc-list: [4]",
            (
                ".dcp-size: 3 does not divide tp 8 on line 12; "
                "decode context parallelism reuses the GPUs of tp"
            ),
        ),
        (
            "tp: 8, pp: 2, conc-list: [4]",
            ".tp: a replica needs 16 GPUs, and a node has 8; set multinode: true, or use fewer",
        ),
        (
            "tp: 3, conc-list: [4]",
            ".tp: a replica of 3 GPUs does not divide a node of 8; use a divisor of 8",
        ),
        (
            "tp: 4, conc-list: [4], kv-p2p-transfer: nixl",
            (
                ".kv-p2p-transfer: nothing is transferred within a node, "
                "and multinode is false on line 8; remove it"
            ),
        ),
    ],
)
def test_a_row_on_one_node(row, message):
    place = "a.yaml:12: toy.scenarios.fixed-seq-len.0.search-space.0"
    assert refusal(lambda: judged(single(row))) == place + message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            f"tp: 4, conc-list: [4], {PAIR}",
            (
                ".tp: this belongs to one node, and multinode is true on line 8; "
                "state it for each role"
            ),
        ),
        (f"conc-list: [4], prefill: {{{ROLE}}}", ": decode is missing; add decode"),
        (
            f"conc-list: [4], {PAIR}, num-nodes: 2",
            (
                ".num-nodes: this belongs to an aggregate, and disagg is true on line 9; "
                "state prefill and decode"
            ),
        ),
        (
            f"conc-list: [4], prefill: {{{ROLE}, hardware: b200}}, decode: {{{ROLE}}}",
            (
                ".prefill.hardware: prefill names its hardware, decode on line 13 does not; "
                "name it for both, or for neither"
            ),
        ),
        (
            f"conc-list: [4], prefill: {{{ROLE}, pp: 3}}, decode: {{{ROLE}}}",
            ".prefill.tp: a replica of 12 GPUs does not fill nodes of 8; use a multiple of 8",
        ),
    ],
)
def test_a_row_of_prefill_and_decode(row, message):
    place = "a.yaml:13: toy.scenarios.fixed-seq-len.0.search-space.0"
    text = several(row)
    if "pp: 3" in row:
        text = text.replace("runner: gb200", "runner: h200")
    assert refusal(lambda: judged(text)) == place + message


@pytest.mark.parametrize(
    ("row", "messages"),
    [
        (
            "conc-list: [4]",
            [": worker is missing; add worker", ": num-nodes is missing; add num-nodes"],
        ),
        (f"conc-list: [4], worker: {{{ROLE}}}", [": num-nodes is missing; add num-nodes"]),
        (
            f"conc-list: [4], num-nodes: 1, worker: {{{ROLE}}}, decode: {{{ROLE}}}",
            [
                (
                    ".decode: this stands beside the aggregate worker on line 13; "
                    "keep the worker, or the roles"
                )
            ],
        ),
        (
            f"conc-list: [4], {PAIR}",
            [
                (
                    ".decode.num-worker: decode has its own workers (1), and disagg is not true; "
                    "set disagg: true, or state one worker and num-nodes"
                )
            ],
        ),
    ],
)
def test_a_row_of_an_aggregate_over_nodes(row, messages):
    place = "a.yaml:13: toy.scenarios.fixed-seq-len.0.search-space.0"
    said = refusal(lambda: judged(several(row, disagg=False, more="")))
    assert said == "\n".join(place + message for message in messages)


def test_both_forms_of_an_aggregate_pass():
    october = f"conc-list: [4], num-nodes: 2, worker: {{{ROLE}}}"
    assert only_row(several(october, disagg=False, more="")).worker.num_worker == 1
    august = f"conc-list: [4], prefill: {{{ROLE}}}, decode: {{{ROLE.replace('1', '0', 1)}}}"
    assert only_row(several(august, disagg=False, more="")).decode.num_worker == 0


@pytest.mark.parametrize(
    ("row", "scenario", "message"),
    [
        ("tp: 4", "", ": kv-offloading is missing; say none, or where KV blocks go"),
        (
            "tp: 4, kv-offloading: none, kv-offload-backend: {name: hicache}",
            "",
            (
                ".kv-offload-backend: a backend is named, and nothing is offloaded; "
                "remove it, or set kv-offloading"
            ),
        ),
        (
            "tp: 4, kv-offloading: dram",
            "dram-utilization: 0.8,",
            ".kv-offloading: KV blocks are offloaded without a backend; add kv-offload-backend",
        ),
        (
            "tp: 4, kv-offloading: dram, kv-offload-backend: {name: hicache}",
            "",
            (
                ".kv-offloading: the scenario on line 11 says no dram-utilization; "
                "add it beside search-space"
            ),
        ),
        (
            "tp: 4, kv-offloading: [nvme, nvme], kv-offload-backend: {name: lmcache}",
            "",
            ".kv-offloading: a tier stands twice; name each once",
        ),
    ],
)
def test_an_agentic_row(row, scenario, message):
    place = "a.yaml:12: toy.scenarios.agentic-coding.0.search-space.0"
    text = agentic(f"conc-list: [1], {row}", scenario=scenario)
    assert refusal(lambda: judged(text)) == place + message


def test_a_dram_budget_needs_a_measured_node():
    row = "conc-list: [1], tp: 4, kv-offloading: dram, kv-offload-backend: {name: hicache}"
    text = agentic(row, scenario="dram-utilization: 0.8,", runner="cluster:unmeasured")
    assert refusal(lambda: judged(text)) == (
        "a.yaml:12: toy.scenarios.agentic-coding.0.search-space.0.kv-offloading: nothing says how "
        "much DRAM a node of the runner on line 7 has; "
        "add available-cpu-dram-mib to the runner file"
    )
    assert only_row(text.replace("unmeasured", "h200-a")).kv_offload_backend.name == "hicache"


def test_one_node_can_offload_to_several_tiers_and_several_nodes_cannot():
    tiers = "kv-offloading: [dram, nvme], kv-offload-backend: {name: lmcache}"
    row = only_row(agentic(f"conc-list: [1], tp: 4, {tiers}", scenario="dram-utilization: 0.5,"))
    assert row.kv_offloading == ("dram", "nvme")
    text = agentic(f"conc-list: [1], {PAIR}, {tiers}", scenario="dram-utilization: 0.5,")
    text = text.replace("multinode: false", "multinode: true\n  disagg: true")
    assert refusal(lambda: judged(text + "  kv-p2p-transfer: nixl\n")) == (
        "a.yaml:13: toy.scenarios.agentic-coding.0.search-space.0.kv-offloading: only one node can "
        "offload to NVMe, and multinode is true on line 8; offload to dram"
    )
