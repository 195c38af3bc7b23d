"""Sizes of a row pick the variant that has them."""

import pytest

from infx.recipes.target import Parallel
from recipe_files import bound
from refusals import problems

SIZES = """\
    schema: 2
    base:
      name: toy
      engine: vllm
      roles: {agg: {nodes: 1, workers: 1}}
      benchmark: {env: {CONC: '8'}}
    override_dep2:
      roles:
        agg: {gpus: 2, args: {tensor-parallel-size: 1, data-parallel-size: 2, enable-expert-parallel: true}}
    override_tp4:
      roles:
        agg: {gpus: 4, args: {tensor-parallel-size: 4}}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("row", "variant"),
    [
        (Parallel(tp=4, dp_attention=False), "override_tp4"),
        (Parallel(tp=2, ep=2, dp_attention=True), "override_dep2"),
    ],
)
def test_sizes_of_the_row_tell_variants_apart(recipe, row, variant):
    binding = bound(recipe(SIZES), concurrency=8, parallel={"agg": row})
    assert binding.variant == variant


def test_sizes_that_no_variant_has(recipe):
    row = {"agg": Parallel(tp=4, ep=4, dp_attention=True)}
    said = problems(lambda: bound(recipe(SIZES), concurrency=8, parallel=row, where="m.yaml:7"))
    assert said == [
        (
            "toy.yaml: no variant fits concurrency 8, agg TP4 EP4; "
            "ask for what a variant states, or add a variant"
        ),
        "toy.yaml:9: override_dep2: roles.agg has 2 GPUs a worker, the row has 4 (m.yaml:7)",
        "toy.yaml:9: override_dep2: roles.agg has EP 2, the row has 4 (m.yaml:7)",
        (
            "toy.yaml:12: override_tp4: roles.agg runs without DP attention, the row with it "
            "(m.yaml:7)"
        ),
    ]
    said = problems(lambda: bound(recipe(SIZES), parallel={"prefill": Parallel()}))
    assert said[1:] == [
        "toy.yaml:7: override_dep2: there is no role prefill (roles: agg)",
        "toy.yaml:9: override_dep2: the row has no role agg",
        "toy.yaml:10: override_tp4: there is no role prefill (roles: agg)",
        "toy.yaml:12: override_tp4: the row has no role agg",
    ]


def test_one_wide_worker_is_as_good_as_several(recipe):
    rows = [Parallel(tp=2, workers=2), Parallel(tp=4, workers=1), Parallel(tp=4)]
    for row in rows:
        document = recipe(SIZES)
        assert bound(document, "override_tp4", concurrency=8, parallel={"agg": row}).variant
    wide = {"agg": Parallel(tp=4, workers=2)}
    said = problems(lambda: bound(recipe(SIZES), "override_tp4", concurrency=8, parallel=wide))
    assert said[1:] == [
        "toy.yaml:12: override_tp4: roles.agg has 4 GPUs in all, the row has 8",
    ]


def test_a_lone_recipe_of_the_older_form_may_contradict_its_row(recipe):
    document = recipe("""\
        name: toy
        resources: {agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
        backend: {type: vllm}
        benchmark: {env: {KV_OFFLOADING: none}}
    """)
    row = {"agg": Parallel(tp=1)}
    warnings = bound(document, offload="dram", parallel=row).warnings
    assert list(map(str, warnings)) == [
        "toy.yaml:4: the recipe: KV_OFFLOADING is none",
        "toy.yaml:2: the recipe: roles.agg has 8 GPUs a worker, the row has 1",
    ]
