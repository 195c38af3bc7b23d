"""Keys that a row, a point or a launcher states are no recipe's."""

from recipe_files import bound
from refusals import problems

OWNED = """\
    schema: 2
    name: toy
    model:
      path: hf:acme/Toy
    roles: {agg: {nodes: 1}}
    benchmark:
      type: custom
      env:
        CONC: '4'
        KV_OFFLOADING: none
        ISL: '1024'
        RESULT_DIR: /logs
"""


def test_keys_of_the_binder_are_refused_even_with_the_right_value(recipe):
    document = recipe(OWNED)
    said = problems(lambda: bound(document, concurrency=4, model="acme/Toy", strict=True))
    assert said == [
        "toy.yaml:4: model.path is not a recipe's to state: it is the row's model; remove it",
        (
            "toy.yaml:11: benchmark.env.ISL is not a recipe's to state: it is the scenario's isl; "
            "remove it"
        ),
        (
            "toy.yaml:12: benchmark.env.RESULT_DIR is not a recipe's to state: "
            "it is the launcher's; remove it"
        ),
    ]


def test_files_before_that_rule_bind_with_warnings(recipe):
    binding = bound(recipe(OWNED), concurrency=4)
    assert [one.where for one in binding.warnings] == ["toy.yaml:4", "toy.yaml:11", "toy.yaml:12"]
    assert binding.recipe.model == "acme/Toy"


def test_several_nodes_may_not_state_a_concurrency(recipe):
    document = recipe("schema: 2\nroles: {agg: {nodes: 2}}\nbenchmark: {env: {CONC: '4'}}\n")
    said = problems(lambda: bound(document, concurrency=4, strict=True))
    assert said == [
        (
            "toy.yaml:3: benchmark.env.CONC is not a recipe's to state: "
            "it is the point's concurrency; remove it"
        )
    ]


def test_a_shared_block_may_state_them(recipe):
    shared = recipe("benchmark: {env: {MODEL: x}}\n", name="lane.yaml")
    document = recipe("schema: 2\nroles: {agg: {nodes: 1}}\n")
    assert bound(document, shared=shared, strict=True).warnings == ()
