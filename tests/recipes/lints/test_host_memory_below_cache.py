"""host-memory-below-cache."""

from handbound import said, serving

ID = "host-memory-below-cache"


def test_sglang_allocates_for_every_rank():
    recipe = serving({"tp-size": 4, "hicache-size": 120}, gpus=4)
    assert said(ID, recipe, dram_gb=400) == [
        (
            "2: 4 ranks of agg on a node cache 480 GB in host memory, the budget is 400 GB; "
            "at most 100 a rank"
        )
    ]
    assert said(ID, recipe, dram_gb=480) == []


def test_only_the_ranks_of_one_node_count():
    recipe = serving({"tp-size": 16, "hicache-size": 120}, gpus=16, nodes=4, workers=1)
    assert said(ID, recipe, dram_gb=480) == []
    assert said(ID, recipe, dram_gb=479) == [
        (
            "2: 4 ranks of agg on a node cache 480 GB in host memory, the budget is 479 GB; "
            "at most 119 a rank"
        )
    ]


def test_bytes_of_the_other_engines():
    config = '{"kv_connector_extra_config":{"cpu_bytes_to_use_per_rank":356125000000}}'
    recipe = serving({"kv-transfer-config": config}, engine="vllm", gpus=4)
    assert said(ID, recipe, dram_gb=1000) == [
        (
            "1: 4 ranks of agg on a node cache 1,424 GB in host memory, the budget is 1,000 GB; "
            "at most 250,000,000,000 a rank"
        )
    ]
    recipe = serving({"kv_cache_config": {"host_cache_size": 100 * 10**9}}, engine="trtllm", gpus=4)
    assert said(ID, recipe, dram_gb=400) == []


def test_what_is_computed_off_or_not_known():
    computed = serving({"hicache-size": "@dram.per-gpu-gb"}, gpus=4)
    assert said(ID, computed, dram_gb=1) == []
    assert said(ID, serving({"hicache-size": 0}, gpus=4), dram_gb=1) == []
    assert said(ID, serving({"hicache-size": 999}, gpus=4)) == []
    assert said(ID, serving({"hicache-size": 999}), dram_gb=1) == []
