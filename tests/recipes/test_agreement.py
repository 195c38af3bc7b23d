"""A recipe on one node against its row: each contradiction, and what is none."""

import pytest

from infx.recipes.agreement import disagreements
from infx.recipes.target import Parallel, SingleNode, Target
from infx.recipes.topology import facts


def said(args, *, engine="sglang", role=None, more=None, row=None, **single):
    """Return what is said of a role of eight GPUs against a row that it fits unless changed."""
    agg = {"nodes": 1, "workers": 1, "gpus": 8, "args": args, **(role or {})}
    tree = {"engine": engine, "roles": {"agg": agg}, **(more or {})}
    asked = {"framework": engine, "spec_decoding": "none", "agentic": False, **single}
    sizes = Parallel(**{"tp": 8, "ep": 1, "dp_attention": False, **(row or {})})
    target = Target(parallel={"agg": sizes}, single_node=SingleNode(**asked))
    return [f"{'.'.join(map(str, path))}: {what}" for path, what in
            disagreements(tree, facts(tree), target)]  # fmt: skip


TP = {"tensor-parallel-size": 8}
DEP = {**TP, "ep-size": 8, "data-parallel-size": 8, "enable-dp-attention": True}


@pytest.mark.parametrize(
    ("args", "asked"),
    [
        (TP, {}),
        (DEP, {"row": {"ep": 8, "dp_attention": True}}),
        ({"tensor_parallel_size": 8, "moe_expert_parallel_size": 1},
         {"engine": "trtllm", "framework": "trt"}),
        ({"tensor-parallel-size": 2, "data-parallel-size": 4, "enable-expert-parallel": True},
         {"engine": "vllm", "row": {"ep": 8, "dp_attention": True}}),
        ({**TP, "decode-context-parallel-size": 2}, {"engine": "vllm", "dcp": 2}),
        ({}, {"engine": "atom"}),
        ({"enable-expert-parallel": True}, {"engine": "atom", "row": {"ep": 8}}),
        ({**TP, "speculative-algorithm": "DFLASH"}, {"spec_decoding": "draft_model"}),
        (TP, {"spec_decoding": "mtp", "more": {"benchmark": {"env": {"SPEC_DECODING": "mtp"}}}}),
        ({}, {"role": {"extra_args": ["--tensor-parallel-size", "8"]}}),
        (TP, {"agentic": True, "more": {"benchmark": {
            "type": "custom", "command": "bash /w/benchmarks/srt_agentic.sh"}}}),
    ],
)  # fmt: skip
def test_what_agrees(args, asked):
    assert said(args, **asked) == []


@pytest.mark.parametrize(
    ("args", "asked", "line"),
    [
        (TP, {"framework": "vllm"}, "engine: the engine is sglang, the row has vllm"),
        (
            TP,
            {"role": {"nodes": 2}},
            "roles.agg.nodes: roles.agg has 2 nodes, a row on one node has 1",
        ),
        (
            TP,
            {"role": {"workers": 2}},
            "roles.agg.workers: roles.agg has 2 workers, a row on one node has 1",
        ),
        ({}, {}, "roles.agg.args: the flags have TP 1, the row has 8"),
        (
            {"tensor-parallel-size": 4, "data-parallel-size": 4},
            {"engine": "vllm", "row": {"dp_attention": True}},
            "roles.agg.args: the flags have TP x DP 16, the row has 8",
        ),
        (TP, {"row": {"ep": 8}}, "roles.agg.args: no flag spreads experts, the row has EP 8"),
        (
            {**DEP, "data-parallel-size": 4},
            {"row": {"ep": 8, "dp_attention": True}},
            "roles.agg.args: the flags have DP 4, the row's attention runs in 8",
        ),
        (
            {"enable-expert-parallel": True},
            {"engine": "atom", "row": {"ep": 4}},
            "roles.agg.args: ATOM spreads experts over 1 or all GPUs, the row has EP 4 of 8",
        ),
        (
            {**TP, "pipeline-parallel-size": 2},
            {},
            "roles.agg.args: PP is 2, the row has 1, and one node runs with 1",
        ),
        (
            TP,
            {"row": {"pcp": 2}},
            "roles.agg.args: PCP is 1, the row has 2, and one node runs with 1",
        ),
        (
            {**TP, "dcp-size": 2},
            {"dcp": 2},
            "roles.agg.args: DCP is 2, the row has 2, and only vllm and atom have it on one node",
        ),
        (TP, {"engine": "vllm", "dcp": 4}, "roles.agg.args: DCP is 1, the row has 4"),
        (
            TP,
            {"spec_decoding": "mtp"},
            "roles.agg.args: nothing drafts, the row has spec-decoding mtp",
        ),
        (
            {**TP, "speculative-algorithm": "EAGLE"},
            {},
            "roles.agg.args: eagle drafts, the row has spec-decoding none",
        ),
        (
            {**TP, "speculative-algorithm": "EAGEL3"},
            {"spec_decoding": "mtp"},
            "roles.agg.args: no row knows drafts by eagel3 (did you mean eagle3?)",
        ),
        (
            TP,
            {"more": {"benchmark": {"type": "sa-bench"}}},
            "benchmark.type: benchmark.type is sa-bench, a row has custom",
        ),
        (
            TP,
            {"more": {"benchmark": {"command": "bash /w/benchmarks/srt_agentic.sh"}}},
            (
                "benchmark.command: the client srt_agentic.sh replays agent sessions, "
                "the row is fixed-seq-len"
            ),
        ),
    ],
)
def test_what_contradicts(args, asked, line):
    assert said(args, **asked) == [line]


def test_a_row_over_several_nodes_is_compared_by_its_sizes_alone():
    tree = {"engine": "vllm", "roles": {"agg": {"nodes": 2, "args": {}}}}
    assert list(disagreements(tree, facts(tree), Target(parallel={"agg": Parallel(tp=16)}))) == []
