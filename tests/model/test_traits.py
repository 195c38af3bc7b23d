"""What is known of a point in words, and what nobody stated is left out."""

from compared import KNOWN, WORKLOAD, point
from infx.model.agentic import AgenticWorkload
from infx.model.identity import curve_key
from infx.model.traits import ORDER, curve_traits, traits
from infx.model.workload import Arrival


def test_a_point_says_its_server_and_its_shape():
    recipe = KNOWN.model_copy(
        update={
            "model": "m", "precision": "fp4", "gpus": 8, "disaggregated": True,
            "topology": {"tp": 8, "ep": 4}, "speculative": "mtp",
        }
    )  # fmt: skip
    found = traits(point(recipe=recipe))
    assert found == {
        "workload": "64/16", "model": "m", "hardware": "cpu", "engine": "llamacpp",
        "precision": "fp4", "disaggregated": "disaggregated", "topology": "tp8 ep4",
        "speculative": "mtp", "gpus": "8 GPUs",
    }  # fmt: skip
    assert [*found] == [name for name in ORDER if name in found]


def test_public_shapes_have_their_names():
    shape = WORKLOAD.model_copy(update={"isl": 8192, "osl": 1024})
    assert traits(point(workload=shape))["workload"] == "8k1k"
    prompts = WORKLOAD.model_copy(update={"isl": None, "dataset": "sha256:1"})
    assert traits(point(workload=prompts))["workload"] == "data set/16"


def test_a_replay_says_its_rule_and_corpus_though_its_curve_does_not():
    work = AgenticWorkload(corpus=f"sha256:{'0a' * 32}")
    recipe = KNOWN.model_copy(update={"speculative": "mtp"})
    key = curve_key(recipe, work)
    replay = point().model_copy(update={"recipe": recipe, "workload": work, "curve_key": key})
    found = traits(replay)
    assert (found["workload"], found["rule"], found["corpus"]) == (
        "agentic", "rule full", "corpus 0a0a0a0a",
    )  # fmt: skip
    assert found["speculative"] == "mtp"
    assert "speculative" not in curve_traits(key)


def test_an_open_loop_says_how_its_requests_arrive():
    work = WORKLOAD.model_copy(update={"arrival": Arrival(rate=2.0, process="gamma", shape=0.5)})
    assert traits(point(workload=work))["arrivals"] == "gamma 0.5 arrivals"


def test_an_empty_key_says_nothing():
    assert curve_traits({}) == {}


def test_a_topology_names_what_it_splits():
    single = {"tp": 1, "ep": 1, "dcp_size": 2}
    roles = {
        "decode_num_workers": 1, "decode_tp": 8, "decode_ep": 8, "prefill_num_workers": 2,
        "prefill_tp": 4, "prefill_pp": 1,
    }  # fmt: skip
    said = [
        traits(point(recipe=KNOWN.model_copy(update={"topology": sizes})))["topology"]
        for sizes in (single, roles)
    ]
    assert said == ["tp1 dcp2", "prefill 2 x tp4, decode 1 x tp8 ep8"]
