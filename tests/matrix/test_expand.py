"""What one entry comes to: order, names and fields, as the public generator prints them."""

from hypothesis import given
from hypothesis import strategies as st

from catalogued import PAIR, agentic, catalog, entry, expanded, fixed, hardware, multi, public
from infx.matrix.expand import rows
from infx.matrix.options import Options

RUNNERS = hardware({"h200": ["h200-cw_0", "h200-nb_0", "h200-cw_1"], "cluster:x": ["x_0"]})


def test_a_row_with_fixed_lengths_on_one_node():
    space = {"tp": 4, "spec-decoding": "mtp", "conc-list": [8]}
    (row,) = expanded(entry(fixed(space), router={"name": "r", "version": "1"}))
    assert public(row) == {
        "image": "org/engine:v1", "model": "acme/Toy", "model-prefix": "toy", "precision": "fp8",
        "framework": "sglang", "runner": "h200", "isl": 8192, "osl": 1024, "tp": 4, "pp": 1,
        "dcp-size": 1, "pcp-size": 1, "ep": 1, "dp-attn": False, "spec-decoding": "mtp", "conc": 8,
        "max-model-len": 9472, "exp-name": "toy_8k1k", "disagg": False, "run-eval": False,
        "router": {"name": "r", "version": "1"},
    }  # fmt: skip
    assert row.config_key == "toy"


def test_a_row_with_fixed_lengths_over_several_nodes_has_all_concurrencies():
    space = {"prefill": PAIR, "decode": {**PAIR, "num-worker": 2}, "conc-start": 64,
             "conc-end": 200}  # fmt: skip
    (row,) = expanded(multi(fixed(space, isl=1000, osl=200)))
    role = {**PAIR, "pp": 1, "dcp-size": 1, "pcp-size": 1}
    assert public(row) == {
        "image": "org/engine:v1", "model": "acme/Toy", "model-prefix": "toy", "precision": "fp8",
        "framework": "sglang", "runner": "h200", "isl": 1000, "osl": 200, "spec-decoding": "none",
        "prefill": role, "decode": {**role, "num-worker": 2}, "conc": [64, 128, 200],
        "max-model-len": 1456, "exp-name": "toy_1000_200", "disagg": True, "run-eval": False,
        "kv-p2p-transfer": "nixl",
    }  # fmt: skip


def test_an_agentic_row_on_one_node_names_offload_and_speculation():
    dram = {"kv-offloading": "dram", "kv-offload-backend": {"name": "hicache"}}
    spaces = (
        {"tp": 8, "conc-list": [2], "kv-offloading": "none"},
        {"tp": 4, "conc-list": [2], "spec-decoding": "mtp", **dram},
    )
    plain, offloaded = expanded(entry(agentic(*spaces, dram=0.8), runner="cluster:h200-a"))
    assert public(plain) == {
        "image": "org/engine:v1", "model": "acme/Toy", "model-prefix": "toy", "precision": "fp8",
        "framework": "sglang", "runner": "cluster:h200-a", "tp": 8, "pp": 1, "dcp-size": 1,
        "pcp-size": 1, "ep": 1, "dp-attn": False, "spec-decoding": "none", "conc": 2,
        "kv-offloading": "none", "total-cpu-dram-gb": 0, "duration": 3600,
        "exp-name": "toy_tp8_conc2_kvnone", "scenario-type": "agentic-coding",
    }  # fmt: skip
    assert offloaded.exp_name == "toy_tp4_conc2_kvdram-hicache_spec-mtp"
    assert public(offloaded)["kv-offload-backend"] == {"name": "hicache"}


def test_an_agentic_row_over_several_nodes_names_its_topology():
    space = {"conc-list": [4, 8], "prefill": {**PAIR, "ep": 1, "dp-attn": False},
             "decode": {**PAIR, "num-worker": 2}}  # fmt: skip
    first, second = expanded(multi(agentic(space), runner="cluster:h200-a"))
    assert first.exp_name == "toy_p1x8_d2x8ep8dpa_conc4"
    assert second.exp_name == "toy_p1x8_d2x8ep8dpa_conc8"
    assert (first.conc, second.conc) == ((4,), (8,))


def test_an_aggregate_over_nodes_is_a_prefill_and_a_decode_of_no_workers():
    worker = {"tp": 16, "ep": 1, "dp-attn": False, "additional-settings": ["A=1"]}
    space = {"worker": worker, "num-nodes": 2, "conc-list": [4]}
    config = entry(fixed(space), multinode=True)
    (row,) = expanded(config, edition="2026-10")
    role = {"tp": 16, "ep": 1, "dp-attn": False, "pp": 1, "dcp-size": 1, "pcp-size": 1}
    said = public(row)
    assert said["prefill"] == {**role, "num-worker": 1, "additional-settings": ["A=1"]}
    assert said["decode"] == {**role, "num-worker": 0}
    assert said["node-count"] == 2


def test_a_row_names_its_recipes_from_the_directory_on():
    space = {"tp": 4, "conc-list": [8], "srt-recipe": "a.yaml:override_c8"}
    (row,) = expanded(entry(fixed(space), srt_recipe_dir="toy/sglang"))
    assert public(row)["srt-recipe"] == "toy/sglang/a.yaml:override_c8"


def test_power_is_named_only_where_it_is_required():
    scenarios = fixed({"tp": 4, "conc-list": [8]})
    scenarios["fixed-seq-len"][0]["require-power"] = True
    assert public(expanded(entry(scenarios))[0])["require-power"] is True


def order(config, **options):
    return [
        (row.runner, row.conc) for row in expanded(config, runners=RUNNERS, **options)
    ]  # fmt: skip


def test_runners_of_a_point_stand_together_on_one_node():
    space = {"tp": 4, "conc-list": [8, 4]}
    for config in (entry(fixed(space)), entry(agentic({**space, "kv-offloading": "none"}))):
        assert order(config, runner_node_filter="cw") == [
            ("h200-cw_0", 8), ("h200-cw_1", 8), ("h200-cw_0", 4), ("h200-cw_1", 4),
        ]  # fmt: skip


def test_points_of_a_runner_stand_together_over_several_nodes():
    space = {"prefill": PAIR, "decode": PAIR, "conc-list": [8, 4]}
    assert order(multi(agentic(space)), runner_node_filter="cw") == [
        ("h200-cw_0", (8,)), ("h200-cw_0", (4,)), ("h200-cw_1", (8,)), ("h200-cw_1", (4,)),
    ]  # fmt: skip
    assert order(multi(fixed(space)), runner_node_filter="cw") == [
        ("h200-cw_0", (8, 4)), ("h200-cw_1", (8, 4)),
    ]  # fmt: skip


def test_a_node_filter_picks_the_label_itself_only_for_named_entries():
    config = entry(fixed({"tp": 4, "conc-list": [8]}))
    assert order(config, runner_node_filter="h200") == [
        ("h200-cw_0", 8), ("h200-nb_0", 8), ("h200-cw_1", 8),
    ]  # fmt: skip
    named = order(config, runner_node_filter="h200", config_keys=("toy",))
    assert named[0] == ("h200", 8)
    assert len(named) == 4
    assert order(config, runner_node_filter="mi300") == []


def test_caps_of_parallelism_hold_for_fixed_lengths_on_one_node_only():
    scenarios = fixed(
        {"tp": 8, "ep": 8, "conc-list": [4]}, {"tp": 4, "ep": 4, "conc-list": [4]}
    ) | agentic({"tp": 8, "ep": 8, "kv-offloading": "none", "conc-list": [4]})
    config = entry(scenarios, runner="cluster:x")
    shapes = [(row.tp, row.ep) for row in expanded(config, runners=RUNNERS, max_tp=4, max_ep=2)]
    assert shapes == [(4, 2), (8, 8)]


def test_scenarios_lengths_and_node_counts_are_chosen():
    space = {"tp": 4, "conc-list": [4]}
    both = fixed(space) | agentic({**space, "kv-offloading": "none"})
    config = entry(both, runner="cluster:x")
    assert len(expanded(config)) == 2
    assert len(expanded(config, scenario_type=("agentic-coding",))) == 1
    assert [hasattr(row, "isl") for row in expanded(config, seq_lens=("1k1k",))] == [False]
    assert expanded(config, multi_node=True) == []
    assert len(expanded(config, multi_node=True, single_node=True)) == 2


@given(
    st.lists(st.sampled_from(["a-1", "a-2", "b-1"]), unique=True),
    st.sampled_from([None, 4, 16]),
    st.sampled_from([None, 2, 8]),
)
def test_every_row_satisfies_the_filters_and_keys_keep_their_order(keys, low, tp):
    found = catalog(
        a_1=entry(fixed({"tp": 2, "conc-start": 2, "conc-end": 40})),
        a_2=entry(fixed({"tp": 8, "conc-list": [32, 8, 16]}), framework="vllm"),
        b_1=entry(fixed({"tp": 4, "conc-list": [4]})),
    )
    got = rows(found, keys, Options(min_conc=low, max_tp=tp))
    assert [key for key in dict.fromkeys(row.config_key for row in got) if key] == [
        key for key in keys if any(row.config_key == key for row in got)
    ]
    assert all(low is None or row.conc >= low for row in got)
    assert all(tp is None or row.tp <= tp for row in got)
