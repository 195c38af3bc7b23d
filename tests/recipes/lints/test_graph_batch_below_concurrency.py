"""graph-batch-below-concurrency."""

from handbound import said, serving

ID = "graph-batch-below-concurrency"


def test_a_batch_that_no_graph_covers():
    recipe = serving({"cuda-graph-max-bs": 32, "max-running-requests": 256})
    assert said(ID, recipe, concurrencies=(64,)) == [
        (
            "1: cuda-graph-max-bs covers 32 requests, at concurrency 64 agg decodes 64; "
            "capture batches up to 64, or admit at most 32"
        )
    ]


def test_one_rank_of_several():
    args = {
        "dp-size": 4,
        "enable-dp-attention": True,
        "cuda-graph-bs-decode": [1, 2, 4, 8],
    }
    assert said(ID, serving(args), concurrencies=(33,)) == [
        (
            "3: cuda-graph-bs-decode covers 8 requests, at concurrency 33 a rank of agg decodes 9; "
            "capture batches up to 9, or admit at most 8"
        )
    ]
    assert said(ID, serving(args), concurrencies=(32,)) == []


def test_vllm_counts_the_tokens_of_a_draft():
    args = {
        "compilation-config": '{"cudagraph_capture_sizes":[1,7,70]}',
        "speculative-config": '{"method":"mtp","num_speculative_tokens":6}',
        "max-num-seqs": 16,
    }
    assert said(ID, serving(args, engine="vllm"), concurrencies=(16,)) == [
        (
            "1: compilation-config.cudagraph_capture_sizes covers 10 requests, at concurrency 16 "
            "agg decodes 16; capture batches up to 16, or admit at most 10"
        )
    ]
    args["max-num-seqs"] = 10
    assert said(ID, serving(args, engine="vllm"), concurrencies=(16,)) == []


def test_admission_bounds_the_batch():
    recipe = serving({"cuda-graph-max-bs-decode": 64, "max-running-requests": 64})
    assert said(ID, recipe, concurrencies=(128,)) == []


def test_graphs_that_are_off_or_left_to_the_engine():
    off = {"cuda-graph-max-bs": 1, "disable-cuda-graph": True}
    assert said(ID, serving(off), concurrencies=(64,)) == []
    eager = {"max-cudagraph-capture-size": 1, "enforce-eager": True}
    assert said(ID, serving(eager, engine="vllm"), concurrencies=(64,)) == []
    none = {"cuda_graph_config": None, "max_batch_size": 8}
    assert said(ID, serving(none, engine="trtllm"), concurrencies=(64,)) == []
    assert said(ID, serving({"tp-size": 4}), concurrencies=(64,)) == []


def test_tensorrt_llm_sizes():
    args = {"cuda_graph_config": {"enable_padding": True, "batch_sizes": [1, 2, 4]}}
    assert said(ID, serving(args, engine="trtllm"), concurrencies=(8,)) == [
        (
            "2: cuda_graph_config.batch_sizes covers 4 requests, at concurrency 8 agg decodes 8; "
            "capture batches up to 8, or admit at most 4"
        )
    ]
