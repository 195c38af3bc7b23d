"""What a bound recipe adds up to. Lengths and rules are those of the public form."""

import json

import pytest

from infx.recipes.topology import RoleFacts, Speculation, facts


def role(args, engine="sglang", **more):
    tree = {"engine": engine, "roles": {"agg": {"nodes": 1, "args": args, **more}}}
    return facts(tree).roles["agg"]


@pytest.mark.parametrize(
    ("args", "sizes"),
    [
        ({"tensor-parallel-size": 8, "expert-parallel-size": 4}, {"tp": 8, "ep": 4}),
        ({"tp-size": 8, "dp-size": 2, "ep-size": 8, "pp-size": 2},
         {"tp": 8, "dp": 2, "ep": 8, "pp": 2}),
        ({"tp": 8, "ep": 1}, {"tp": 8, "ep": 1}),
        ({"tensor_parallel_size": "8", "moe_expert_parallel_size": 8}, {"tp": 8, "ep": 8}),
        ({"decode-context-parallel-size": 4, "pcp_size": 2}, {"dcp": 4, "pcp": 2}),
        ({"tp-size": 16, "attn-dp-size": 16}, {"tp": 16, "dp": 16}),
        ({"tp": True, "dp": None}, {}),
    ],
)  # fmt: skip
def test_sizes_whatever_their_spelling(args, sizes):
    found = role(args)
    names = ("tp", "pp", "dp", "ep", "pcp", "dcp")
    assert {name: value for name in names if (value := getattr(found, name))} == sizes


@pytest.mark.parametrize(
    ("engine", "args", "on"),
    [
        ("sglang", {"enable-dp-attention": True, "dp-size": 8}, True),
        ("sglang", {"dp-size": 2}, False),
        ("sglang", {"attn-dp-size": 8}, True),
        ("sglang", {"attn-dp-size": 1}, False),
        ("trtllm", {"enable_attention_dp": True}, True),
        ("trtllm", {"enable_attention_dp": False}, False),
        ("vllm", {"data-parallel-size": 8}, True),
        ("vllm", {"data-parallel-size": 1}, False),
    ],
)
def test_dp_attention(engine, args, on):
    assert role(args, engine).dp_attention is on


def test_experts_of_vllm_spread_over_all_its_gpus():
    args = {"tensor-parallel-size": 2, "data-parallel-size": 4, "enable-expert-parallel": True}
    assert role(args, "vllm").ep == 8


AT = ("roles", "agg", "args")


@pytest.mark.parametrize(
    ("args", "drafts"),
    [
        ({}, None),
        ({"speculative-algorithm": "EAGLE", "speculative-num-steps": 2,
          "speculative-num-draft-tokens": 3},
         Speculation("eagle", 2, (*AT, "speculative-num-steps"))),
        ({"speculative-algorithm": "DSPARK", "speculative-dspark-block-size": 6,
          "speculative-num-steps": 1},
         Speculation("dspark", 6, (*AT, "speculative-dspark-block-size"))),
        ({"speculative-algorithm": "DFLASH2", "speculative-num-draft-tokens": 8},
         Speculation("dflash2", 7, (*AT, "speculative-num-draft-tokens"))),
        ({"speculative-algorithm": "NEXTN"}, Speculation("nextn")),
        ({"speculative-config": json.dumps({"method": "mtp", "num_speculative_tokens": 3})},
         Speculation("mtp", 3, (*AT, "speculative-config"))),
        ({"speculative_config": {"decoding_type": "MTP", "max_draft_len": 3}},
         Speculation("mtp", 3, (*AT, "speculative_config", "max_draft_len"))),
        ({"speculative_config": {"decoding_type": "MTP", "num_nextn_predict_layers": 1}},
         Speculation("mtp", 1, (*AT, "speculative_config", "num_nextn_predict_layers"))),
        ({"speculative_config": {"decoding_type": "MTP"}}, Speculation("mtp")),
        ({"method": "mtp", "num-speculative-tokens": 3},
         Speculation("mtp", 3, (*AT, "num-speculative-tokens"))),
        ({"with-mtp": True, "num-mtp": 2}, Speculation("mtp", 2, (*AT, "num-mtp"))),
        ({"speculative-config": "not json"}, None),
    ],
)  # fmt: skip
def test_what_is_drafted(args, drafts):
    assert role(args).speculation == drafts


def test_gpus_of_a_worker_are_stated_or_an_equal_share():
    assert role({}, workers=2, gpus=3).gpus == 3
    tree = {"resources": {"gpus_per_node": 8}, "roles": {"agg": {"nodes": 2, "workers": 4}}}
    assert facts(tree).roles["agg"].gpus == 4
    uneven = {"resources": {"gpus_per_node": 8}, "roles": {"agg": {"nodes": 1, "workers": 3}}}
    assert facts(uneven).roles["agg"].gpus is None
    assert facts(uneven).gpus is None


def test_roles_add_up():
    found = facts({
        "engine": {"type": "vllm"},
        "roles": {
            "prefill": {"nodes": 2, "workers": 4, "gpus": 2},
            "decode": {"nodes": "colocate", "workers": 1, "gpus": 8},
        },
    })  # fmt: skip
    assert (found.engine, found.gpus, found.nodes, found.disaggregated) == ("vllm", 16, 2, True)
    assert found.roles["decode"] == RoleFacts(nodes=0, workers=1, gpus=8)
    assert facts({"roles": {"agg": {"workers": 1}}}).nodes is None
    assert facts({}).gpus is None


DEDICATED = {"placement": {"node": "dedicated"}}


@pytest.mark.parametrize(
    ("sections", "nodes"),
    [
        ({}, 0),
        ({"services": [{"type": "etcd", **DEDICATED}, {"type": "nats", **DEDICATED}]}, 1),
        ({"services": [{"type": "mooncake-store", "placement": {"node": "decode"}}]}, 0),
        # A service says where it stands, and the older setting does not count.
        ({"services": [{"type": "nats"}], "infra": {"etcd_nats_dedicated_node": True}}, 0),
        ({"infra": {"etcd_nats_dedicated_node": True}, "frontend": {"dedicated_node": True}}, 1),
        ({"services": [{"type": "pool", "nodes": 3}, {"type": "pool", "nodes": 2,
                                                      "enabled": False}]}, 3),
        ({"infra": {"etcd_nats_dedicated_node": True}}, 1),
        ({"frontend": DEDICATED, "benchmark": DEDICATED}, 1),
        ({"frontend": DEDICATED, "benchmark": {**DEDICATED, "colocate_with_frontend": False},
          "infra": {"etcd_nats_dedicated_node": True}}, 3),
        ({"frontend": {"dedicated_node": True}, "benchmark": {"client_dedicated_node": True}}, 1),
    ],
)  # fmt: skip
def test_nodes_beside_those_of_the_roles(sections, nodes):
    assert facts({"roles": {"agg": {"nodes": 4}}, **sections}).nodes == 4 + nodes
