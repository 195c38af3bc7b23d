"""chunk-above-max-prefill."""

from handbound import said, serving

ID = "chunk-above-max-prefill"


def test_a_chunk_above_the_stated_budget():
    recipe = serving({"chunked-prefill-size": 32768, "max-prefill-tokens": 16384})
    assert said(ID, recipe) == [
        (
            "2: chunked-prefill-size is 32768, max-prefill-tokens is 16384; "
            "set max-prefill-tokens to 32768, or lower the chunk"
        )
    ]


def test_a_chunk_above_the_default_that_no_prompt_fills():
    recipe = serving({"chunked-prefill-size": 32768})
    assert said(ID, recipe, isl=8192) == [
        (
            "1: chunked-prefill-size is 32768, max-prefill-tokens is not stated and is 16384; "
            "set max-prefill-tokens to 32768, or lower the chunk"
        )
    ]
    assert said(ID, recipe, isl=65536) == [], "one prompt fills it"
    assert said(ID, recipe) == [], "prompts of unknown length may fill it"


def test_ranks_that_share_a_chunk():
    args = {"dp-size": 8, "enable-dp-attention": True, "chunked-prefill-size": 131072}
    assert said(ID, serving(args), isl=1024) == []
    args["max-prefill-tokens"] = 8192
    assert said(ID, serving(args)) == [
        (
            "4: chunked-prefill-size is 131072 (16384 for each of 8 ranks), max-prefill-tokens is "
            "8192; set max-prefill-tokens to 16384, or lower the chunk"
        )
    ]


def test_vllm_that_may_not_chunk():
    args = {
        "no-enable-chunked-prefill": True,
        "max-model-len": 9472,
        "max-num-batched-tokens": 8192,
    }
    assert said(ID, serving(args, engine="vllm")) == [
        (
            "3: chunked prefill is off, max-num-batched-tokens 8192 is below max-model-len 9472; "
            "raise it to 9472, or let prompts be chunked"
        )
    ]
    args["max-num-batched-tokens"] = 9472
    assert said(ID, serving(args, engine="vllm")) == []


def test_what_does_not_prefill_or_fits():
    over = {"chunked-prefill-size": 32768, "max-prefill-tokens": 16384}
    assert said(ID, serving(over, role="decode")) == []
    equal = {"chunked-prefill-size": 16384, "max-prefill-tokens": 16384}
    assert said(ID, serving(equal)) == []
    assert said(ID, serving({"chunked-prefill-size": -1}), isl=8192) == []
