"""draft-tokens-inconsistent."""

import pytest

from handbound import said, serving

ID = "draft-tokens-inconsistent"


def _draft(method, tokens, **numbers):
    named = {f"speculative-{name.replace('_', '-')}": value for name, value in numbers.items()}
    return {
        "speculative-algorithm": method,
        **named,
        "speculative-num-draft-tokens": tokens,
    }


def test_a_chain_with_other_tokens_than_steps():
    args = _draft("EAGLE", 8, num_steps=3, eagle_topk=1)
    assert said(ID, serving(args)) == [
        (
            "4: speculative-num-draft-tokens is 8, a chain of 3 steps verifies 4; "
            "state 4, or leave it to the engine"
        )
    ]


def test_a_block_with_other_tokens():
    assert said(ID, serving(_draft("DSPARK", 6, dspark_block_size=6))) == [
        (
            "3: speculative-num-draft-tokens is 6, a DSpark block of 6 verifies 7; "
            "state 7, or leave it to the engine"
        )
    ]
    assert said(ID, serving(_draft("DFLASH", 8, dflash_block_size=7))) == [
        (
            "3: speculative-num-draft-tokens is 8, a DFlash block of 7 verifies 7; "
            "state 7, or leave it to the engine"
        )
    ]


def test_two_names_of_one_length():
    args = {
        "speculative_config": {
            "decoding_type": "MTP",
            "max_draft_len": 3,
            "num_nextn_predict_layers": 1,
        }
    }
    assert said(ID, serving(args, engine="trtllm")) == [
        (
            "3: the draft length is stated as speculative_config.max_draft_len 3 and "
            "speculative_config.num_nextn_predict_layers 1; "
            "state it once (the other stands at recipe.yaml:2)"
        )
    ]


@pytest.mark.parametrize(
    "args",
    [
        _draft("EAGLE", 4, num_steps=3, eagle_topk=1),
        _draft("EAGLE", 16, num_steps=3, eagle_topk=4),
        _draft("DSPARK", 7, dspark_block_size=6, num_steps=1, eagle_topk=1),
        _draft("DFLASH", 8),
        _draft("nextn", 2, num_steps=1, eagle_topk=1),
        {"speculative-algorithm": "EAGLE", "speculative-num-steps": 3},
    ],
)
def test_numbers_that_agree(args):
    assert said(ID, serving(args)) == []


def test_the_same_length_under_both_names():
    args = {"speculative_config": {"max_draft_len": 3, "num_nextn_predict_layers": 3}}
    assert said(ID, serving(args, engine="trtllm")) == []
