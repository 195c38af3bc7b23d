"""draft-length-outside-golden."""

from handbound import said, serving

ID = "draft-length-outside-golden"
DFLASH = {"speculative-algorithm": "DFLASH", "speculative-num-draft-tokens": 8}


def test_a_length_that_the_curve_lacks():
    args = {"speculative-algorithm": "EAGLE", "speculative-num-steps": 9}
    assert said(ID, serving(args), golden=range(1, 9)) == [
        (
            "2: eagle drafts 9 tokens, the golden lengths are 1, 2, 3, 4, 5, 6, 7, 8; "
            "draft one of these lengths, or measure its acceptance length"
        )
    ]


def test_dflash_drafts_one_less_than_its_tokens():
    assert said(ID, serving(DFLASH), golden={7}) == []
    assert said(ID, serving(DFLASH), golden={8}) == [
        (
            "2: dflash drafts 7 tokens, the golden lengths are 8; "
            "draft one of these lengths, or measure its acceptance length"
        )
    ]


def test_the_decode_role_counts():
    vllm = '{"method":"mtp","num_speculative_tokens":%d}'
    recipe = {
        "roles": {
            "prefill": {"args": {"speculative-config": vllm % 1}},
            "decode": {"args": {"speculative-config": vllm % 5}},
        },
        "engine": "vllm",
    }
    assert said(ID, recipe, golden={5}) == []
    assert said(ID, recipe, golden={1}) == [
        (
            "2: mtp drafts 5 tokens, the golden lengths are 1; "
            "draft one of these lengths, or measure its acceptance length"
        )
    ]


def test_no_curve_or_no_draft():
    assert said(ID, serving(DFLASH)) == []
    assert said(ID, serving({"tp-size": 4}), golden={1}) == []
