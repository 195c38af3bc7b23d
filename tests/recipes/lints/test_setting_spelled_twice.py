"""setting-spelled-twice."""

from handbound import said, serving

ID = "setting-spelled-twice"


def test_two_names_with_two_values():
    assert said(ID, serving({"tensor-parallel-size": 8, "tp-size": 4})) == [
        (
            "2: tensor-parallel-size 8 and tp-size 4 of agg are one setting; "
            "keep one of them; the other stands at recipe.yaml:1"
        )
    ]


def test_underscores_and_dashes():
    args = {"max_num_batched_tokens": 8192, "max-num-batched-tokens": 16384}
    assert said(ID, serving(args, engine="vllm")) == [
        (
            "2: max_num_batched_tokens 8192 and max-num-batched-tokens 16384 of agg are one "
            "setting; "
            "keep one of them; the other stands at recipe.yaml:1"
        )
    ]


def test_a_json_part_with_a_flag_of_its_own():
    args = {
        "compilation-config": '{"cudagraph_capture_sizes":[1,2]}',
        "cudagraph-capture-sizes": [1, 4],
    }
    assert len(said(ID, serving(args, engine="vllm"))) == 1


def test_words_of_the_command_line():
    recipe = serving({"tp-size": 8}, extra_args=["--tp-size", "4"])
    assert said(ID, recipe) == [
        (
            "2: tp-size 8 and --tp-size 4 of agg are one setting; "
            "keep one of them; the other stands at recipe.yaml:1"
        )
    ]


def test_switches_that_contradict():
    args = {"enable-prefix-caching": True, "no-enable-prefix-caching": True}
    assert said(ID, serving(args, engine="vllm")) == [
        (
            "2: enable-prefix-caching True and no-enable-prefix-caching False of agg are "
            "one setting; "
            "keep one of them; the other stands at recipe.yaml:1"
        )
    ]


def test_one_name_or_one_value():
    assert said(ID, serving({"tp-size": 8, "ep-size": 8})) == []
    assert said(ID, serving({"tensor-parallel-size": 8, "tp-size": 8})) == []
    assert said(ID, serving({"tp-size": 8}, extra_args=["--log-level=info", "--tp", "8"])) == []
