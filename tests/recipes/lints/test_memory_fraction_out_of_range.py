"""memory-fraction-out-of-range."""

import pytest

from handbound import said, serving

ID = "memory-fraction-out-of-range"


@pytest.mark.parametrize(
    ("engine", "args", "expected"),
    [
        (
            "sglang",
            {"mem-fraction-static": 85},
            "1: mem-fraction-static of agg is 85; write a fraction below 1, such as 0.85",
        ),
        (
            "vllm",
            {"gpu-memory-utilization": 1.0},
            "1: gpu-memory-utilization of agg is 1.0; write a fraction between 0 and 1",
        ),
        (
            "trtllm",
            {"kv_cache_config": {"free_gpu_memory_fraction": 0}},
            (
                "1: kv_cache_config.free_gpu_memory_fraction of agg is 0; "
                "write a fraction between 0 and 1"
            ),
        ),
        (
            "sglang",
            {"swa-full-tokens-ratio": -0.1},
            "1: swa-full-tokens-ratio of agg is -0.1; write a fraction between 0 and 1",
        ),
    ],
)
def test_no_share(engine, args, expected):
    assert said(ID, serving(args, engine=engine)) == [expected]


@pytest.mark.parametrize(
    ("engine", "args"),
    [
        ("sglang", {"mem-fraction-static": 0.85, "swa-full-tokens-ratio": 1}),
        ("sglang", {"mem-fraction-static": "0.85"}),
        ("vllm", {"gpu-memory-utilization": 0.95}),
        ("vllm", {"tensor-parallel-size": 8}),
    ],
)
def test_shares(engine, args):
    assert said(ID, serving(args, engine=engine)) == []
