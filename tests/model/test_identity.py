"""Golden vectors of every key.

The canonical texts below were written by hand from RFC 8785 and the declared field lists; the
digests follow from them by sha256 alone, so a change of a key shows here as a changed text.
"""

from decimal import Decimal
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model import identity
from infx.model.agentic import AgenticWorkload
from infx.model.recipe import BoundRecipe, Role, Site
from infx.model.workload import Arrival, FixedWorkload

ENDPOINT = BoundRecipe(name="endpoint", model="m", gpus=8)
ENDPOINT_TEXT = (
    '{"checkpoint":null,"disaggregated":null,"draft":null,"engine":null,"environment":{},"flags":{},"gpus":8,'
    '"hardware":null,"image":null,"model":"m","offload":null,"precision":null,'
    '"roles":{},"settings":{},"speculative":null,"topology":null}'
)
DISAGGREGATED = BoundRecipe(
    name="toy",
    engine="sglang",
    roles={
        "decode": Role(nodes="colocate", workers=2, gpus=1, env={"NCCL_NVLS_ENABLE": "017"}),
        "prefill": Role(
            nodes=1,
            workers=1,
            gpus=2,
            args={"mem-fraction-static": 0.80, "hicache-size": "@dram.per-gpu-gb"},
            extra_args=("--numa", "0"),
        ),
    },
    settings={"frontend": {"type": "dynamo"}},
)
DISAGGREGATED_TEXT = (
    '{"checkpoint":null,"disaggregated":null,"draft":null,"engine":"sglang","environment":{},'
    '"flags":{},"gpus":null,"hardware":null,"image":null,"model":null,"offload":null,'
    '"precision":null,"roles":{'
    '"decode":{"args":{},"critical":null,"engine":null,"env":{"NCCL_NVLS_ENABLE":"017"},'
    '"extra_args":[],"gpus":1,"kv_events":null,"nodes":"colocate","sidecar":null,"workers":2},'
    '"prefill":{"args":{"hicache-size":"@dram.per-gpu-gb","mem-fraction-static":"0.8"},'
    '"critical":null,"engine":null,"env":{},"extra_args":["--numa","0"],"gpus":2,'
    '"kv_events":null,"nodes":1,"sidecar":null,"workers":1}},'
    '"settings":{"frontend":{"type":"dynamo"}},"speculative":null,"topology":null}'
)
WORKLOAD = FixedWorkload(isl=1024, osl=1024)
WORKLOAD_TEXT = (
    '{"api":"chat","arrival":null,"dataset":null,"duration_s":null,"extra_body":{},"ignore_eos":true,'
    '"isl":1024,"join_warmup":false,"osl":1024,"ramp_s":null,"range_ratio":"0.8","requests":null,"requests_per_lane":10,'
    '"scenario":"fixed","seed":0,"temperature":"0","tokenizer":"calibrated","warmups":null,'
    '"warmups_per_lane":2}'
)


def hex_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
        # UTF-16 order puts the surrogate pair of U+1F600 before U+FF21.
        ({"\uff21": 1, "\U0001f600": 2, "\r": 3}, '{"\\r":3,"\U0001f600":2,"\uff21":1}'),
        ("e\u0301", '"\u00e9"'),
        ("\u20ac$\u000f\nA'B\"\\/", '"\u20ac$\\u000f\\nA\'B\\"\\\\/"'),
        (0.1, '"0.1"'),
        (1e-7, '"0.0000001"'),
        (Decimal("4.050"), '"4.05"'),
        (-0.0, '"0"'),
        (1e21, '"1000000000000000000000"'),
        (100, "100"),
    ],
)
def test_canonical_text(value: object, text: str) -> None:
    assert identity.canonical(value) == text.encode()


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, {1: 2}, {"e\u0301": 1, "\u00e9": 2}, object()]
)
def test_what_has_no_canonical_text_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"canonical|exactly|string key|two keys"):
        identity.canonical(value)


def test_recipe_digest() -> None:
    assert identity.recipe_digest(ENDPOINT) == hex_of(ENDPOINT_TEXT)


def test_recipe_digest_of_a_recipe_with_roles() -> None:
    assert identity.recipe_digest(DISAGGREGATED) == hex_of(DISAGGREGATED_TEXT)


def test_the_name_of_a_recipe_is_a_label() -> None:
    renamed = ENDPOINT.model_copy(update={"name": "tuesday"})
    assert identity.recipe_digest(renamed) == identity.recipe_digest(ENDPOINT)


def test_where_a_recipe_runs_is_not_part_of_it() -> None:
    elsewhere = ENDPOINT.model_copy(update={"site": Site(partition="gb200", ports={"http": 8000})})
    assert identity.recipe_digest(elsewhere) == identity.recipe_digest(ENDPOINT)


def test_workload_digest() -> None:
    assert identity.workload_digest(WORKLOAD) == hex_of(WORKLOAD_TEXT)


def test_point_id_and_what_hangs_on_it() -> None:
    recipe, workload = hex_of(ENDPOINT_TEXT), hex_of(WORKLOAD_TEXT)
    point = identity.point_id(recipe=recipe, workload=workload, concurrency=4)
    assert point == hex_of(f'{{"concurrency":4,"recipe":"{recipe}","workload":"{workload}"}}')
    assert identity.execution(
        point=point, run="r1", repetition=0, hardware="gb200", image_digest=None
    ) == hex_of(
        f'{{"hardware":"gb200","image_digest":null,"point":"{point}","repetition":0,"run":"r1"}}'
    )
    assert identity.eval_key(point=point, task="gsm8k", suite=None) == hex_of(
        f'{{"point":"{point}","suite":null,"task":"gsm8k"}}'
    )
    assert identity.reuse_key(point=point, hardware="gb200", image_digest="sha256:1") == hex_of(
        f'{{"hardware":"gb200","image_digest":"sha256:1","point":"{point}"}}'
    )
    assert identity.artifact_name(point=point, repetition=1, kind="requests") == (
        f"requests-{point[:16]}-r1"
    )


ROW = {
    "image": "acme/engine:v1",
    "runner": "h200",
    "tp": 4,
    "conc": 8,
    "exp-name": "toy_8k1k",
    "run-eval": False,
    "srt-recipe": "toy.yaml:base",
}
ROW_TEXT = (
    '{"recipe":null,"row":{"image":"acme/engine:v1","runner":"h200",'
    '"srt-recipe":"toy.yaml:base","tp":4}}'
)
BOUND_ROW_TEXT = '{"recipe":"ab","row":{"image":"acme/engine:v1","runner":"h200","tp":4}}'


def test_fingerprint_says_what_runs_and_not_what_it_is_called() -> None:
    assert identity.fingerprint(ROW, recipe=None) == hex_of(ROW_TEXT)
    assert identity.fingerprint(ROW, recipe="ab") == hex_of(BOUND_ROW_TEXT)
    renamed = {**ROW, "conc": 16, "exp-name": "other", "run-eval": True, "eval-suite": "x"}
    assert identity.fingerprint(renamed, recipe=None) == hex_of(ROW_TEXT)
    assert identity.fingerprint({**ROW, "tp": 8}, recipe=None) != hex_of(ROW_TEXT)


def test_the_file_of_a_bound_recipe_may_move() -> None:
    settings = ["CONFIG_FILE=recipes/a.yaml", "TUNING=1"]
    row = {"prefill": {"tp": 4, "additional-settings": settings}, "conc": [1, 2]}
    kept = '"prefill":{"additional-settings":["TUNING=1"],"tp":4}'
    assert identity.fingerprint(row, recipe="ab") == hex_of(f'{{"recipe":"ab","row":{{{kept}}}}}')
    assert identity.fingerprint(row, recipe=None) != identity.fingerprint(row, recipe="ab")


CLOSED_LOOP = {
    "model": "m",
    "hardware": None,
    "framework": None,
    "precision": None,
    "benchmark_type": "single_turn",
    "isl": 1024,
    "osl": 1024,
    "spec": None,
    "disagg": None,
    "offload": None,
}


def test_curve_key_names_the_replacement_boundary() -> None:
    assert identity.curve_key(ENDPOINT, WORKLOAD) == CLOSED_LOOP


def gamma(rate: float, **more: object) -> FixedWorkload:
    arrival = Arrival(process="gamma", shape=0.5, rate=rate)
    return FixedWorkload(isl=1024, osl=1024, arrival=arrival.model_copy(update=more))


def test_an_open_loop_has_curves_of_its_own() -> None:
    """The rate is the place on the curve; how requests arrive is what the curve is of."""
    assert identity.curve_key(ENDPOINT, gamma(2.0)) == {
        **CLOSED_LOOP,
        "arrival": {"process": "gamma", "shape": 0.5, "rates": []},
    }
    key = identity.curve_key(ENDPOINT, gamma(2.0))
    assert identity.curve_key(ENDPOINT, gamma(8.0, ramp_s=5.0)) == key
    assert identity.curve_key(ENDPOINT, gamma(2.0, shape=2.0)) != key
    assert identity.curve_key(ENDPOINT, gamma(2.0, process="poisson", shape=None)) != key


def test_rates_that_change_are_no_place_on_a_curve() -> None:
    arrival = Arrival(rates=((0.0, 1.0), (60.0, 4.0), (90.0, 0.0)))
    stepped = FixedWorkload(isl=1024, osl=1024, arrival=arrival)
    assert identity.curve_key(ENDPOINT, stepped)["arrival"] == {
        "process": "poisson",
        "shape": None,
        "rates": [[0.0, 1.0], [60.0, 4.0], [90.0, 0.0]],
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(alphabet="abcdef"), JSON))
def test_order_of_members_never_matters(value: dict[str, object]) -> None:
    backwards = dict(reversed(list(value.items())))
    try:
        text = identity.canonical(value)
    except ValueError:
        return
    assert identity.canonical(backwards) == text


CORPUS = "sha256:" + "0f" * 32
AGENTIC = AgenticWorkload(corpus=CORPUS)
AGENTIC_TEXT = (
    '{"api":"chat","cache_bust":true,"corpus":"' + CORPUS + '","default_output":256,'
    '"duration_s":"3600","extra_body":{},"idle_cap_s":"10","ignore_eos":true,"max_context":null,'
    '"rule":"full","scenario":"agentic","seed":42,"split_chains":true,"temperature":null,'
    '"tokenizer":"calibrated","tree_idle_cap_s":"300","warmups_per_lane":10,'
    '"window":["0.25","0.75"]}'
)


def test_workload_digest_of_an_agentic_workload() -> None:
    assert identity.workload_digest(AGENTIC) == hex_of(AGENTIC_TEXT)


def test_an_agentic_curve_pools_what_the_reference_pools() -> None:
    """Lengths do not exist; speculative decoding, topology and offload may differ along it."""
    recipe = ENDPOINT.model_copy(
        update={"engine": "vllm", "hardware": "gb200", "precision": "fp4", "speculative": "mtp",
                "disaggregated": True, "offload": "dram"}
    )  # fmt: skip
    assert identity.curve_key(recipe, AGENTIC) == {
        "model": "m",
        "hardware": "gb200",
        "framework": "vllm",
        "precision": "fp4",
        "benchmark_type": "agentic_traces",
        "isl": None,
        "osl": None,
        "spec": None,
        "disagg": None,
        "offload": None,
    }
