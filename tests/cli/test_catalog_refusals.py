"""Each rule over several fields of a catalog, as `infx matrix generate` refuses what breaks it.

An id begins with the section of the public pipeline's rules: 1.3 is what holds between fields.
Rows that name a recipe are in `test_row_recipe_refusals`.
"""

import pytest

from judged import AUGUST, OCTOBER, agentic, several, single, spread
from transcript import refused

MASTER = "toy-master.yaml"
FIXED = "toy.scenarios.fixed-seq-len.0.search-space.0"
AGENTIC = "toy.scenarios.agentic-coding.0.search-space.0"
ROLE = "num-worker: 1, tp: 4, ep: 4, dp-attn: true"
PAIR = f"prefill: {{{ROLE}}}, decode: {{{ROLE}}}"
ROUTER = "router: {name: r, version: v1}"
ONE = "tp: 4, conc-list: [4]"
DRAM = "kv-offloading: dram, kv-offload-backend: {name: hicache}"


def on(line: int, place: str, what: str) -> str:
    return f"{MASTER}:{line}: {place}{what}"


def many(*names: str) -> dict[str, str]:
    """Say for each name on line 12 that one node has no such thing."""
    return {
        name: f".{name}: this needs several nodes, and multinode is false on line 8; "
        "remove it, or set multinode: true"
        for name in names
    }


NODES = many("worker", "prefill", "decode", "num-nodes", "power")
BESIDE = {
    name: f".{name}: this stands beside the aggregate worker on line 13; "
    "keep the worker, or the roles"
    for name in ("prefill", "decode")
}
TRANSFER = (
    "nothing moves KV blocks from prefill to decode, and disagg is true on line 9; "
    "add kv-p2p-transfer to the entry or to every row"
)
WITHIN = "nothing is transferred within a node, and multinode is false on line 8; remove it"
ABOVE = "this belongs to an aggregate, and disagg is true on line 9; state prefill and decode"
TWO_ROWS = several(f"{PAIR}, conc-list: [4], kv-p2p-transfer: nixl}},\n        {{{PAIR}, "
                   "conc-list: [8]", more="")  # fmt: skip

SPLIT = {
    "1.3-tp-is-a-multiple-of-dcp": (
        single("tp: 8, dcp-size: 3, conc-list: [4]"),
        [on(12, FIXED, ".dcp-size: 3 does not divide tp 8 on line 12; "
                       "decode context parallelism reuses the GPUs of tp")],
    ),
    "1.3-tp-of-prefill-is-a-multiple-of-dcp": (
        several(PAIR.replace("tp: 4", "tp: 4, dcp-size: 3", 1) + ", conc-list: [4]"),
        [on(13, FIXED, ".prefill.dcp-size: 3 does not divide tp 4 on line 13; "
                       "decode context parallelism reuses the GPUs of tp")],
    ),
    "1.3-tp-of-a-worker-is-a-multiple-of-dcp": (
        several(f"worker: {{{ROLE}, dcp-size: 8}}, num-nodes: 1, conc-list: [4]",
                disagg=False, more=""),
        [on(13, FIXED, ".worker.dcp-size: 8 does not divide tp 4 on line 13; "
                       "decode context parallelism reuses the GPUs of tp")],
    ),
    "1.3-gpus-of-a-replica-are-tp-x-pp-x-pcp": (
        single("tp: 2, pp: 4, pcp-size: 2, conc-list: [4]"),
        [on(12, FIXED, ".tp: a replica needs 16 GPUs, and a node has 8; "
                       "set multinode: true, or use fewer")],
    ),
    "1.3-a-replica-over-nodes-fills-them": (
        several(PAIR.replace("tp: 4", "tp: 4, pp: 3", 1) + ", conc-list: [4]").replace(
            "runner: gb200", "runner: h200"),
        [on(13, FIXED, ".prefill.tp: a replica of 12 GPUs does not fill nodes of 8; "
                       "use a multiple of 8")],
    ),
    "1.3-a-replica-in-a-node-divides-it": (
        single("tp: 3, conc-list: [4]"),
        [on(12, FIXED, ".tp: a replica of 3 GPUs does not divide a node of 8; "
                       "use a divisor of 8")],
    ),
    "1.3-hardware-of-prefill-alone": (
        several(f"prefill: {{{ROLE}, hardware: b200}}, decode: {{{ROLE}}}, conc-list: [4]"),
        [on(13, FIXED, ".prefill.hardware: prefill names its hardware, decode on line 13 does "
                       "not; name it for both, or for neither")],
    ),
    "1.3-hardware-of-decode-alone": (
        several(f"prefill: {{{ROLE}}}, decode: {{{ROLE}, hardware: b200}}, conc-list: [4]"),
        [on(13, FIXED, ".decode.hardware: decode names its hardware, prefill on line 13 does "
                       "not; name it for both, or for neither")],
    ),
}  # fmt: skip

PLACES = {
    "1.3-agentic-runs-on-one-fleet": (
        agentic("tp: 4, kv-offloading: none, conc-list: [1]", runner="h200"),
        [on(7, "toy.runner", ": agentic-coding on line 10 needs one physical fleet, and h200 is a "
                             "family; name a label that begins with cluster:")],
    ),
    "1.3-router-of-the-entry-and-of-a-row": (
        single(f"{ONE}, {ROUTER}", more=f"  {ROUTER}\n"),
        [on(12, FIXED, ".router: the entry says it on line 13 for all rows; keep one of the two")],
    ),
    "1.3-transfer-of-the-entry-and-of-a-row": (
        several(f"{PAIR}, conc-list: [4], kv-p2p-transfer: mooncake"),
        [on(13, FIXED, ".kv-p2p-transfer: the entry says it on line 14 for all rows; "
                       "keep one of the two")],
    ),
    "1.3-disagg-without-a-transfer": (
        several(f"{PAIR}, conc-list: [4]", more=""),
        [on(13, FIXED, f": {TRANSFER}")],
    ),
    "1.3-disagg-without-a-transfer-in-one-row": (
        TWO_ROWS,
        [on(14, FIXED[:-1] + "1", f": {TRANSFER}")],
    ),
    "1.3-a-transfer-of-one-node": (
        single(ONE, more="  kv-p2p-transfer: nixl\n"),
        [on(13, "toy.kv-p2p-transfer", f": {WITHIN}")],
    ),
    "1.3-a-transfer-of-one-row-on-one-node": (
        single(f"{ONE}, kv-p2p-transfer: nixl"),
        [on(12, FIXED, f".kv-p2p-transfer: {WITHIN}")],
    ),
    "1.3-offload-to-dram-without-a-share": (
        agentic(f"tp: 4, {DRAM}, conc-list: [1]"),
        [on(12, AGENTIC, ".kv-offloading: the scenario on line 11 says no dram-utilization; "
                         "add it beside search-space")],
    ),
    "1.3-offload-to-dram-of-an-unmeasured-runner": (
        agentic(f"tp: 4, {DRAM}, conc-list: [1]", scenario="dram-utilization: 0.5,",
                runner="cluster:unmeasured"),
        [on(12, AGENTIC, ".kv-offloading: nothing says how much DRAM a node of the runner on line "
                         "7 has; add available-cpu-dram-mib to the runner file")],
    ),
}  # fmt: skip

TOPOLOGY = {
    "1.3-one-node-has-no-worker": (
        single(f"{ONE}, worker: {{{ROLE}}}"), [on(12, FIXED, NODES["worker"])],
    ),
    "1.3-one-node-has-no-prefill": (
        single(f"{ONE}, prefill: {{{ROLE}}}"), [on(12, FIXED, NODES["prefill"])],
    ),
    "1.3-one-node-has-no-decode": (
        single(f"{ONE}, decode: {{{ROLE}}}"), [on(12, FIXED, NODES["decode"])],
    ),
    "1.3-one-node-has-no-num-nodes": (
        single(f"{ONE}, num-nodes: 2"), [on(12, FIXED, NODES["num-nodes"])],
    ),
    "1.3-one-node-records-no-power": (
        single(f"{ONE}, power: true"), [on(12, FIXED, NODES["power"])],
    ),
    "1.3-disagg-needs-several-nodes": (
        single(ONE, more="  disagg: true\n"),
        [on(13, "toy.disagg", ": prefill and decode are apart, and multinode is false on line 8; "
                              "set multinode: true"),
         on(12, FIXED, f": {TRANSFER.replace('line 9', 'line 13')}")],
    ),
    "1.3-disagg-without-prefill": (
        several(f"decode: {{{ROLE}}}, conc-list: [4]"),
        [on(13, FIXED, ": prefill is missing; add prefill")],
    ),
    "1.3-disagg-without-decode": (
        several(f"prefill: {{{ROLE}}}, conc-list: [4]"),
        [on(13, FIXED, ": decode is missing; add decode")],
    ),
    "1.3-disagg-with-a-worker": (
        several(f"{PAIR}, worker: {{{ROLE}}}, conc-list: [4]"),
        [on(13, FIXED, f".worker: {ABOVE}")],
    ),
    "1.3-disagg-with-num-nodes": (
        several(f"{PAIR}, num-nodes: 2, conc-list: [4]"),
        [on(13, FIXED, f".num-nodes: {ABOVE}")],
    ),
    "1.3-an-aggregate-without-anything": (
        several("conc-list: [4]", disagg=False, more=""),
        [on(13, FIXED, ": worker is missing; add worker"),
         on(13, FIXED, ": num-nodes is missing; add num-nodes")],
    ),
    "1.3-an-aggregate-without-num-nodes": (
        several(f"worker: {{{ROLE}}}, conc-list: [4]", disagg=False, more=""),
        [on(13, FIXED, ": num-nodes is missing; add num-nodes")],
    ),
    "1.3-an-aggregate-without-a-worker": (
        several("num-nodes: 2, conc-list: [4]", disagg=False, more=""),
        [on(13, FIXED, ": worker is missing; add worker")],
    ),
    "1.3-an-aggregate-with-prefill": (
        several(f"worker: {{{ROLE}}}, num-nodes: 1, prefill: {{{ROLE}}}, conc-list: [4]",
                disagg=False, more=""),
        [on(13, FIXED, BESIDE["prefill"])],
    ),
    "1.3-an-aggregate-with-decode": (
        several(f"worker: {{{ROLE}}}, num-nodes: 1, decode: {{{ROLE}}}, conc-list: [4]",
                disagg=False, more=""),
        [on(13, FIXED, BESIDE["decode"])],
    ),
    "1.3-both-roles-at-work-without-disagg": (
        several(f"{PAIR}, conc-list: [4]", disagg=False, more=""),
        [on(13, FIXED, ".decode.num-worker: decode has its own workers (1), and disagg is not "
                       "true; set disagg: true, or state one worker and num-nodes")],
    ),
}  # fmt: skip

TOGETHER = {
    "1.3-two-rules-of-one-row": (
        single("tp: 8, dcp-size: 3, conc-start: 8, conc-end: 4, num-nodes: 2"),
        [on(12, FIXED, ".conc-start: 8 is above conc-end 4 on line 12; swap the two"),
         on(12, FIXED, NODES["num-nodes"]),
         on(12, FIXED, ".dcp-size: 3 does not divide tp 8 on line 12; "
                       "decode context parallelism reuses the GPUs of tp")],
    ),
    "1.3-a-rule-of-the-entry-and-one-of-its-row": (
        agentic(f"tp: 4, {DRAM}, conc-list: [1]", runner="h200"),
        [on(7, "toy.runner", ": agentic-coding on line 10 needs one physical fleet, and h200 is a "
                             "family; name a label that begins with cluster:"),
         on(12, AGENTIC, ".kv-offloading: the scenario on line 11 says no dram-utilization; "
                         "add it beside search-space"),
         on(12, AGENTIC, ".kv-offloading: nothing says how much DRAM a node of the runner on line "
                         "7 has; add available-cpu-dram-mib to the runner file")],
    ),
    "1.3-two-entries": (
        single("tp: 3, conc-list: [4]") + agentic("tp: 4, conc-list: [1]").replace("toy:", "own:"),
        [on(12, FIXED, ".tp: a replica of 3 GPUs does not divide a node of 8; use a divisor of 8"),
         on(24, AGENTIC.replace("toy", "own"),
            ": kv-offloading is missing; say none, or where KV blocks go")],
    ),
}  # fmt: skip

CASES = {**SPLIT, **PLACES, **TOPOLOGY, **TOGETHER}


@pytest.mark.parametrize("case", CASES)
def test_what_breaks_a_rule_is_refused(generate, case):
    master, lines = CASES[case]
    assert generate(master) == refused(2, "\ninfx: ".join(lines))


@pytest.mark.parametrize(
    "master",
    [
        single("tp: 2, pp: 2, pcp-size: 2, dcp-size: 2, conc-list: [4]"),
        several(f"{PAIR}, conc-list: [4]"),
        several(f"{PAIR}, {ROUTER}, kv-p2p-transfer: nixl, conc-list: [4]", more=""),
        several(f"worker: {{{ROLE}}}, num-nodes: 2, conc-list: [4]", disagg=False, more=""),
        agentic(f"tp: 4, {DRAM}, conc-list: [1]", scenario="dram-utilization: 1,"),
        spread(f"{PAIR}, {DRAM}, conc-list: [1]", scenario="dram-utilization: 0.5,"),
    ],
)
def test_what_keeps_them_passes(generate, master):
    """The forms that the cases above break in one place."""
    said = generate(master)
    assert (said.code, said.err) == (0, "")


def test_problems_of_all_files_are_told_at_once(generate):
    broken = AUGUST.replace("gpus-per-node: 4", "gpus-per-node: 0")
    text = single("tp: 4").replace("toy:", "own:")
    assert generate(single("tp: 4"), text, runners=broken) == refused(
        2,
        "runners.yaml:9: hardware.cluster:gb200-b.gpus-per-node: input should be greater than 0, "
        "found 0\n"
        f"infx: {MASTER}:12: {FIXED}: no concurrency is stated; "
        "add conc-list, or conc-start and conc-end\n"
        f"infx: z-master.yaml:12: {FIXED.replace('toy', 'own')}: no concurrency is stated; "
        "add conc-list, or conc-start and conc-end",
    )


def test_a_label_that_nobody_declares(generate):
    assert generate(single(ONE, runner="h20"), runners=OCTOBER) == refused(
        2, f"{MASTER}:7: toy.runner: no runner has the label h20; did you mean h200?"
    )


def test_a_dram_budget_of_a_cluster_that_nobody_measured(generate):
    master = agentic(f"tp: 4, {DRAM}, conc-list: [1]", scenario="dram-utilization: 0.5,")
    assert generate(master, runners=OCTOBER) == refused(
        2,
        f"{MASTER}:12: {AGENTIC}.kv-offloading: nothing says how much DRAM a node of the runner "
        "on line 7 has; add available-cpu-dram-mib to the runner file",
    )
