"""Groups of a bundle become variants, and selectors name them."""

import pytest

from infx.recipes.merge import plain
from infx.recipes.select import combined
from infx.recipes.variants import select, split_selector, variants
from refusals import problems, refusal

BUNDLE = """\
    base:
      schema: 2
      name: toy
      engine: sglang
      roles:
        agg:
          nodes: 1
          args:
            chunk: 16
            graphs: [1, 2]
    zip_override_tp:
      roles:
        agg:
          args:
            chunk: [32]
            running: [4, 8]
            graphs: [[1], [1, 2, 4]]
            mode: fast
    override_b:
      name: own
      roles: {agg: {args: {chunk: null}}}
    override_a: {}
"""


def trees(found):
    return {one.selector: plain(combined(one, None, {})) for one in found}


def test_without_a_selector_overrides_come_first_then_zips_and_never_the_base(recipe):
    names = [one.selector for one in variants(recipe(BUNDLE))]
    assert names == ["override_a", "override_b", "zip_override_tp[0]", "zip_override_tp[1]"]


def test_lists_of_a_zip_group_are_steps_and_one_item_is_for_all(recipe):
    found = trees(variants(recipe(BUNDLE)))
    steps = [found[f"zip_override_tp[{index}]"]["roles"]["agg"]["args"] for index in (0, 1)]
    assert steps == [
        {"chunk": 32, "graphs": [1], "running": 4, "mode": "fast"},
        {"chunk": 32, "graphs": [1, 2, 4], "running": 8, "mode": "fast"},
    ]


def test_names_are_generated_from_the_base(recipe):
    found = trees(variants(recipe(BUNDLE)))
    assert {selector: tree["name"] for selector, tree in found.items()} == {
        "override_a": "toy_a",
        "override_b": "own",
        "zip_override_tp[0]": "toy_tp_0",
        "zip_override_tp[1]": "toy_tp_1",
    }


def test_a_zip_group_may_list_the_names(recipe):
    found = trees(variants(recipe("""\
        base: {schema: 2, name: toy}
        zip_override_x: {name: [one, two], v: 1}
        zip_override_y: {name: [one], v: [1, 2]}
        zip_override_z: {name: all, v: [1, 2]}
    """)))  # fmt: skip
    assert [tree["name"] for tree in found.values()] == [
        "one", "two", "one", "one", "toy_z_0", "toy_z_1",
    ]  # fmt: skip


def test_a_schema_beside_the_base_belongs_to_it(recipe):
    document = recipe("schema: 2\nbase:\n  name: toy\noverride_a: {x: 1}\n")
    (found,) = trees(variants(document)).values()
    assert found == {"schema": 2, "name": "toy_a", "x": 1}


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("base", ["base"]),
        ("override_a", ["override_a"]),
        ("zip_override_tp", ["zip_override_tp[0]", "zip_override_tp[1]"]),
        ("zip_override_tp[1]", ["zip_override_tp[1]"]),
        ("override_*", ["override_a", "override_b"]),
        ("*tp", ["zip_override_tp[0]", "zip_override_tp[1]"]),
        ("override_?", ["override_a", "override_b"]),
    ],
)
def test_selectors(recipe, selector, names):
    assert [one.selector for one in select(recipe(BUNDLE), selector)] == names


@pytest.mark.parametrize(
    ("selector", "advice"),
    [
        ("override_aa", "did you mean override_a?"),
        ("zip_override_tp[2]", "did you mean zip_override_tp[1]?"),
        ("zip_override_to[0]", "did you mean zip_override_tp[0]?"),
        ("q*", ("known are base, override_a, override_b, zip_override_tp[0], zip_override_tp, "
               "zip_override_tp[1]")),
    ],
)  # fmt: skip
def test_a_selector_that_names_nothing(recipe, selector, advice):
    said = refusal(lambda: select(recipe(BUNDLE), selector))
    assert said == f"toy.yaml:1: no variant is named {selector}; {advice}"


def test_a_plain_file_has_no_variants_to_select(recipe):
    said = refusal(lambda: select(recipe("schema: 2\nname: toy\n"), "override_a"))
    assert said == (
        "toy.yaml:1: the selector override_a names no variant: the file is no bundle; "
        "leave the selector out"
    )


def test_all_that_is_wrong_with_a_bundle_at_once(recipe):
    document = recipe("""\
        base: {schema: 2, name: toy}
        overide_a: {x: 1}
        override_b: 3
        zip_override_c: {x: 1}
        zip_override_d:
          x: [1, 2, 3]
          y: [1]
          z: [1, 2]
          deep: {empty: []}
    """)
    assert problems(lambda: variants(document)) == [
        (
            "toy.yaml:2: overide_a stands beside base; "
            "a bundle has base, override_NAME and zip_override_NAME"
        ),
        "toy.yaml:3: override_b is no mapping; write the keys that it sets",
        "toy.yaml:4: zip_override_c has no list to step through; write override_c, or the lists",
        (
            "toy.yaml:8: zip_override_d: z has 2 steps, but x (toy.yaml:6) has 3; "
            "lists of a zip group are equally long, or have one item for all"
        ),
        "toy.yaml:9: zip_override_d: deep.empty is an empty list; a null removes a key",
    ]


def test_a_selector_is_split_from_its_file():
    assert split_selector("a/b.yaml") == ("a/b.yaml", None)
    assert split_selector("a/b.yaml:zip_override_x[2]") == ("a/b.yaml", "zip_override_x[2]")
