"""context-below-workload."""

from handbound import said, serving

ID = "context-below-workload"


def test_no_room_for_the_output():
    recipe = serving({"context-length": 8192})
    assert said(ID, recipe, isl=8192, osl=1024) == [
        "1: context-length of agg is 8192, the longest request needs 9216; raise it to 9216 or more"
    ]
    assert said(ID, serving({"context-length": 9216}), isl=8192, osl=1024) == []


def test_prefill_needs_the_input_only():
    recipe = {
        "roles": {
            "prefill": {"args": {"max_seq_len": 8395, "max_num_tokens": 8192}},
            "decode": {"args": {"max_seq_len": 9000, "max_num_tokens": 256}},
        },
        "engine": "trtllm",
    }
    assert said(ID, recipe, isl=8192, osl=1024) == [
        "3: max_seq_len of decode is 9000, the longest request needs 9216; raise it to 9216 or more"
    ]


def test_an_input_that_is_not_chunked():
    args = {"max_num_tokens": 4096}
    assert said(ID, serving(args, engine="trtllm"), isl=8192, osl=1024) == [
        (
            "1: max_num_tokens is 4096, an input has 8192 and is not chunked; "
            "raise it to 8192 or more, or set enable_chunked_prefill"
        )
    ]
    args["enable_chunked_prefill"] = True
    assert said(ID, serving(args, engine="trtllm"), isl=8192, osl=1024) == []


def test_the_longest_history_of_a_corpus():
    recipe = serving({"max-model-len": 131072}, engine="vllm")
    assert said(ID, recipe, longest=262144) == [
        (
            "1: max-model-len of agg is 131072, the longest request needs 262144; "
            "raise it to 262144 or more"
        )
    ]
    assert said(ID, serving({"max-model-len": 1048576}, engine="vllm"), longest=262144) == []


def test_nothing_known_or_nothing_stated():
    assert said(ID, serving({"context-length": 1})) == []
    assert said(ID, serving({"tp-size": 4}), isl=8192, osl=1024) == []
    assert said(ID, serving({"max-model-len": -1}, engine="vllm"), isl=8192) == []
