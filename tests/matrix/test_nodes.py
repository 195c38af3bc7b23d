"""How many nodes a row asks for: its settings, its GPUs, or its recipe."""

import pytest

from catalogued import PAIR, clusters, expanded, fixed, multi
from refusals import refusal

B200 = {"b200-x": {"gpus-per-node": 8}}


def nodes(prefill=None, decode=None, *, runner="cluster:b200-x", records=B200, **options):
    space = {"conc-list": [64], "prefill": {**PAIR, **(prefill or {})},
             "decode": {**PAIR, **(decode or {})}, **options.pop("space", {})}  # fmt: skip
    asked = {"edition": "2026-10", **options}
    config = multi(fixed(space), runner=runner, srt_recipe_dir="toy")
    (row,) = expanded(config, runners=clusters(**records), **asked)
    return row.node_count


@pytest.mark.parametrize(
    ("prefill", "decode", "expected"),
    [
        ({}, {}, 2),
        ({"num-worker": 3}, {"tp": 16}, 5),
        ({"tp": 2, "num-worker": 3}, {"tp": 4, "num-worker": 2}, 2),  # 6 GPUs and 8 GPUs
        ({"tp": 4, "pp": 2, "pcp-size": 2}, {"num-worker": 0}, 2),  # 16 GPUs, and a role of none
        ({"additional-settings": ["X=1", "PREFILL_NODES=3"]}, {}, 4),
        ({"additional-settings": ["DECODE_NODES=3"]}, {}, 2),  # not its role
    ],
)
def test_each_role_takes_the_nodes_of_its_gpus_or_of_its_setting(prefill, decode, expected):
    assert nodes(prefill, decode) == expected


def test_a_role_on_other_hardware_counts_by_that():
    records = {**B200, "gb200-y": {"gpus-per-node": 4}}
    own = {"hardware": "gb200"}
    assert nodes(own, own, records=records) == 4


def test_a_label_without_a_record_takes_that_of_its_family():
    assert nodes(runner="b200-multinode") == 2
    disagree = {**B200, "b200-z": {"gpus-per-node": 4}}
    assert refusal(lambda: nodes(runner="b200-new", records=disagree)) == (
        "master.yaml:1: the GPUs per node behind b200-new are 4 and 8; "
        "add a record of the label to the runner file"
    )
    assert "behind h100 are not known" in refusal(lambda: nodes(runner="h100"))


@pytest.mark.parametrize("setting", ["PREFILL_NODES=0", "PREFILL_NODES=two"])
def test_a_setting_that_is_no_number_is_refused(setting):
    assert "state one number of nodes, above 0" in refusal(
        lambda: nodes({"additional-settings": [setting]})
    )
    both = ["PREFILL_NODES=1", "PREFILL_NODES=2"]
    assert "PREFILL_NODES is 1 and 2" in refusal(lambda: nodes({"additional-settings": both}))


def test_what_the_recipe_states_comes_first_where_it_is_at_hand():
    space = {"srt-recipe": "disagg.yaml:override_a"}
    asked = []

    def stated(reference):
        asked.append(reference)
        return 7

    assert nodes(space=space, recipe_nodes=stated) == 7
    assert asked == ["toy/disagg.yaml:override_a"]
    assert nodes(space=space, recipe_nodes=lambda _: None) == 2


def test_the_rules_of_august_state_no_count():
    assert nodes(edition="2026-08") is None
