"""Which entries and rows filters name, and how an empty matrix is explained."""

import pytest

from catalogued import agentic, catalog, entry, fixed, hardware, multi
from infx.matrix import filters
from infx.matrix.generate import generate
from infx.matrix.options import Options
from refusals import refusal

SPACE = {"tp": 8, "conc-list": [4, 64]}
CATALOG = catalog(
    toy_fp8_h200_sglang=entry(fixed(SPACE)),
    toy_fp4_b200_vllm=entry(fixed(SPACE), precision="fp4", framework="vllm", runner="b200"),
    big_fp8_h200_vllm=entry(
        agentic({**SPACE, "kv-offloading": "none"}), framework="vllm", model_prefix="big"
    ),
    runners=hardware({"h200": ["h200-a_0"], "b200": ["b200-x_0"], "h100": ["h100_0"]}),
)


def keys(**options):
    return filters.keys(Options(**options), CATALOG)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["toy-fp8-h200-sglang", "toy-fp4-b200-vllm", "big-fp8-h200-vllm"]),
        ({"model_prefix": ("toy-fp4", "big")}, ["toy-fp4-b200-vllm", "big-fp8-h200-vllm"]),
        ({"framework": ("vllm",), "precision": ("fp8",)}, ["big-fp8-h200-vllm"]),
        ({"runner_type": ("b200",)}, ["toy-fp4-b200-vllm"]),
        (
            {"config_keys": ("big*", "toy-fp?-b200-vllm", "*-vllm")},
            ["big-fp8-h200-vllm", "toy-fp4-b200-vllm"],
        ),
    ],
)
def test_entries_are_named_by_filters_in_the_order_asked(options, expected):
    assert keys(**options) == expected


def test_brackets_are_no_pattern():
    assert filters.glob("a[12]*", ["a1", "a[12]b"]) == ["a[12]b"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"framework": ("vlm",)}, ["--framework: unknown framework vlm; did you mean vllm?"]),
        (
            {"precision": ("fp5", "int4")},
            [
                "--precision: unknown precision fp5; did you mean fp8?",
                "--precision: unknown precision int4; known are fp8, fp4",
            ],
        ),
        (
            {"runner_type": ("h2000",)},
            ["--runner-type: unknown runner type h2000; did you mean h200?"],
        ),
        ({"model_prefix": ("tou",)}, ["--model-prefix: unknown prefix tou; did you mean toy?"]),
        (
            {"config_keys": ("big-fp8-h200",)},
            [
                "--config-keys: unknown config key big-fp8-h200; did you mean big-fp8-h200-vllm?",
            ],
        ),
        ({"seq_lens": ("8k1",)}, ["--seq-lens: unknown seq len 8k1; did you mean 8k1k?"]),
        (
            {"min_conc": 8, "max_conc": 4},
            ["--min-conc: 8 is above --max-conc 4; swap the two"],
        ),
        ({"max_tp": 0}, ["--max-tp: 0 is not above 0; name the bound that you mean"]),
        (
            {"step_size": 1},
            ["--step-size: a range cannot grow by a factor of 1; use 2 or more"],
        ),
    ],
)
def test_what_no_catalog_can_mean_is_refused_with_the_nearest_name(options, expected):
    assert refusal(lambda: generate(CATALOG, Options(**options))).splitlines() == expected


def test_all_such_flags_are_named_at_once():
    said = refusal(lambda: generate(CATALOG, Options(step_size=0, framework=("x",), conc=(0,))))
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "--conc", "--step-size", "--framework",
    ]  # fmt: skip


LEFT = "that the filters before it leave"


@pytest.mark.parametrize(
    ("options", "flag", "rows"),
    [
        ({"precision": ("fp4",), "framework": ("sglang",)}, "--framework", f"2 rows {LEFT}"),
        ({"runner_type": ("h100",)}, "--runner-type", "6 rows of the catalog"),
        ({"multi_node": True}, "--multi-node", "6 rows of the catalog"),
        ({"conc": (5,), "min_conc": 64}, "--conc", f"3 rows {LEFT}"),
        ({"min_conc": 100}, "--min-conc", "6 rows of the catalog"),
        ({"runner_node_filter": "mi300"}, "--runner-node-filter", "6 rows of the catalog"),
        ({"model_prefix": ("toy",), "scenario_type": ("agentic-coding",)}, "--scenario-type",
         f"4 rows {LEFT}"),
    ],
)  # fmt: skip
def test_an_empty_matrix_names_the_filter_that_emptied_it(options, flag, rows):
    assert refusal(lambda: generate(CATALOG, Options(**options))) == (
        f"{flag}: this leaves none of the {rows}; widen it, or drop it"
    )


def test_nothing_to_evaluate_is_said_so():
    asked = Options(config_keys=("toy*",), conc=(4,), evals="only")
    assert refusal(lambda: generate(CATALOG, asked)) == (
        "--evals-only: none of the 2 rows that the other filters leave is evaluated; "
        "evaluations are at 8k1k, from concurrency 16 on"
    )


def test_an_experiment_is_named_exactly_and_once():
    options = Options(exp_names=("toy_8k1k",), config_keys=("toy-fp8*",), conc=(4,))
    assert [row.conc for row in generate(CATALOG, options)] == [4]
    twice = Options(exp_names=("toy_8k1k", "toy_8k1k"))
    assert refusal(lambda: generate(CATALOG, twice)) == (
        "--exp-names: toy_8k1k stands there twice; name it once"
    )
    many = Options(exp_names=("toy_8k1k", "toy_1k1k"))
    assert refusal(lambda: generate(CATALOG, many)) == (
        "--exp-names: toy_8k1k names 4 rows; narrow it down with --config-keys and --conc\n"
        "--exp-names: unknown experiment toy_1k1k; did you mean toy_8k1k?"
    )


def test_an_empty_catalog_is_said_so():
    assert refusal(lambda: generate(catalog(), Options())) == (
        "the catalog has no rows; add entries to its files"
    )


def test_a_filter_may_leave_a_part_of_an_entry():
    found = catalog(both=entry(fixed(SPACE)), apart=multi(fixed({"prefill": {
        "tp": 8, "ep": 1, "dp-attn": False, "num-worker": 1}, "decode": {
        "tp": 8, "ep": 1, "dp-attn": False, "num-worker": 1}, "conc-list": [4, 64]})))  # fmt: skip
    got = generate(found, Options(conc=(64, 128), evals="none", edition="2026-08"))
    assert [row.conc for row in got] == [64, (64,)]
