"""running-requests-below-concurrency."""

from handbound import said, serving

ID = "running-requests-below-concurrency"


def test_fewer_requests_than_the_benchmark_keeps():
    recipe = serving({"tp-size": 4, "max-running-requests": 64})
    assert said(ID, recipe, concurrencies=(4, 128)) == [
        (
            "2: max-running-requests 64 of agg lets 64 requests run, the benchmark keeps 128; "
            "raise it to hold 128, or leave out concurrencies above 64"
        )
    ]


def test_the_cap_that_a_draft_brings():
    recipe = serving({"speculative-algorithm": "EAGLE"})
    assert said(ID, recipe, concurrencies=(64,)) == [
        (
            "1: no max-running-requests of agg lets 48 requests run, the benchmark keeps 64; "
            "raise it to hold 64, or leave out concurrencies above 48"
        )
    ]


def test_attention_ranks_divide_what_sglang_states():
    args = {"tp-size": 8, "dp-size": 8, "enable-dp-attention": True, "max-running-requests": 63}
    assert said(ID, serving(args), concurrencies=(60,)) == [
        (
            "4: max-running-requests 63 of agg (8 ranks) lets 56 requests run, the benchmark keeps "
            "60; raise it to hold 60, or leave out concurrencies above 56"
        )
    ]


def test_a_decode_role_that_holds_less_than_half():
    recipe = {
        "roles": {
            "decode": {"args": {"max-num-seqs": 8}, "workers": 2},
            "prefill": {"args": {"max-num-seqs": 4}, "workers": 1},
        },
        "engine": "vllm",
    }
    assert said(ID, recipe, concurrencies=(64,)) == [
        (
            "1: max-num-seqs 8 of decode (2 ranks) lets 16 requests run, the benchmark keeps 64; "
            "raise it to hold 64, or leave out concurrencies above 16"
        )
    ]
    assert said(ID, recipe, concurrencies=(32,)) == []


def test_requests_in_prefill_count():
    recipe = {
        "roles": {
            "decode": {"args": {"max-running-requests": 16}},
            "prefill": {"args": {"max-running-requests": 128}},
        },
        "engine": "sglang",
    }
    assert said(ID, recipe, concurrencies=(100,)) == []


def test_enough_over_all_ranks():
    args = {"data-parallel-size": 8, "tensor-parallel-size": 1, "max-num-seqs": 16}
    assert said(ID, serving(args, engine="vllm"), concurrencies=(128,)) == []


def test_tensorrt_llm_has_a_batch_a_rank_of_attention():
    args = {"tensor_parallel_size": 8, "enable_attention_dp": True, "max_batch_size": 32}
    assert said(ID, serving(args, engine="trtllm"), concurrencies=(256,)) == []
    args["enable_attention_dp"] = False
    assert len(said(ID, serving(args, engine="trtllm"), concurrencies=(256,))) == 1


def test_nothing_stated_or_nothing_asked():
    assert said(ID, serving({"tp-size": 4}), concurrencies=(4096,)) == []
    assert said(ID, serving({"max-running-requests": 1})) == []
    assert said(ID, serving({"max-num-seqs": 1}, engine="tilert"), concurrencies=(9,)) == []
