"""parallelism-against-gpus."""

import pytest

from handbound import said, serving

ID = "parallelism-against-gpus"


def test_more_ranks_than_gpus():
    assert said(ID, serving({"tp-size": 8}, gpus=4)) == [
        (
            "1: a worker of agg needs 8 GPUs (TP 8) and has 4; "
            "make the parallel sizes fit the worker's GPUs"
        )
    ]


def test_idle_gpus():
    args = {"tensor-parallel-size": 2, "pipeline-parallel-size": 2}
    assert said(ID, serving(args, engine="vllm", gpus=8)) == [
        (
            "1: a worker of agg needs 4 GPUs (TP 2 x PP 2) and has 8; "
            "make the parallel sizes fit the worker's GPUs"
        )
    ]


def test_experts_that_do_not_divide_the_group():
    assert said(ID, serving({"tp-size": 8, "ep-size": 16}, gpus=8)) == [
        "2: EP 16 of agg does not divide its TP 8; use a divisor of 8"
    ]


def test_attention_ranks_outside_the_group():
    args = {"tp-size": 4, "dp-size": 8, "enable-dp-attention": True}
    assert said(ID, serving(args, gpus=4)) == [
        "2: DP 8 of agg does not divide its TP 4; use a divisor of 4"
    ]


def test_workers_that_do_not_fit_their_nodes():
    assert said(ID, serving({"tp-size": 4}, gpus=4, workers=3, nodes=2)) == [
        "3: the workers of agg need 12 GPUs, 2 nodes have 8; give them more nodes, or fewer workers"
    ]


def test_decode_on_the_nodes_of_prefill():
    def recipe(decode_workers):
        return {
            "roles": {
                "prefill": {"args": {}, "nodes": 2, "workers": 1, "gpus": 4},
                "decode": {"args": {}, "nodes": "colocate", "workers": decode_workers, "gpus": 2},
            },
            "engine": "sglang",
            "resources": {"gpus_per_node": 4},
        }

    assert said(ID, recipe(2)) == []
    assert said(ID, recipe(3)) == [
        (
            "3: the workers of prefill and decode need 10 GPUs, 2 nodes have 8; "
            "give them more nodes, or fewer workers"
        )
    ]


@pytest.mark.parametrize(
    ("engine", "args", "gpus"),
    [
        ("vllm", {"tensor-parallel-size": 1, "data-parallel-size": 8}, 8),
        ("vllm", {"tp": 4, "data-parallel-size": 2, "enable-expert-parallel": True}, 8),
        ("sglang", {"tp-size": 8, "dp-size": 8, "enable-dp-attention": True, "ep-size": 8}, 8),
        ("sglang", {"tp-size": 4, "dp-size": 2}, 8),
        ("sglang", {"mem-fraction-static": 0.8}, 8),
        ("trtllm", {"tensor_parallel_size": 8, "moe_expert_parallel_size": 8}, 8),
        ("trtllm", {"tensor_parallel_size": 4, "enable_attention_dp": True}, 4),
        ("atom", {"method": "mtp"}, 8),
    ],
)
def test_sizes_that_fit(engine, args, gpus):
    assert said(ID, serving(args, engine=engine, gpus=gpus)) == []
