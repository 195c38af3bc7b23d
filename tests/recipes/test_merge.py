"""Layers merge as plain mappings do, and every leaf knows who wrote it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.document import Place
from infx.recipes.binding import Origin
from infx.recipes.merge import Branch, Leaf, lay, leaves, plain, plant, stated

NAMES = st.sampled_from(["a", "b", "c", "args"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "y"])


def values(scalars):
    return st.recursive(
        scalars | st.lists(scalars, max_size=3),
        lambda inner: st.dictionaries(NAMES, inner, max_size=3),
        max_leaves=12,
    )


def mappings(scalars):
    return st.dictionaries(NAMES, values(scalars), max_size=4)


NO_NULLS = st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "y"])


def located(value, line=1):
    """Return a place whose every part has a line of its own, and the next free line."""
    place_line, line = line, line + 1
    if isinstance(value, dict | list):
        parts = {}
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            parts[key], line = located(part, line)
        return Place(place_line, None, parts), line
    return Place(place_line, str(value)), line


def layer(value, name):
    node = plant(value, located(value)[0], layer=name, file=f"{name}.yaml")
    return node if isinstance(node, Branch) else Branch({}, node.origins)


def plainly(under, over):
    """Merge as the rule says: mappings merge, everything else replaces, a null removes."""
    result = dict(under)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            below = result.get(key)
            result[key] = plainly(below if isinstance(below, dict) else {}, value)
        else:
            result[key] = value
    return result


@given(mappings(NO_NULLS), mappings(SCALARS))
def test_merging_is_the_rule_of_plain_data(under, over):
    removed = {}
    merged = lay(layer(under, "base"), layer(over, "override"), removed)
    assert plain(merged) == plainly(under, over)


@given(mappings(NO_NULLS), mappings(SCALARS), mappings(SCALARS))
def test_the_first_origin_wrote_the_value_and_the_last_layer_wins(first, second, third):
    removed = {}
    merged = layer(first, "first")
    for name, value in (("second", second), ("third", third)):
        merged = lay(merged, layer(value, name), removed)
    tree = plainly(plainly(first, second), third)
    assert plain(merged) == tree
    order = {"first": 0, "second": 1, "third": 2}
    for _, leaf in leaves(merged):
        assert leaf.origins[0].value == leaf.value
        ranks = [order[origin.layer] for origin in leaf.origins]
        assert ranks == sorted(ranks, reverse=True)


@given(mappings(NO_NULLS), mappings(SCALARS))
def test_what_is_stated_without_merging_is_what_merging_gives(under, over):
    layers = (layer(under, "base"), layer(over, "override"))
    merged = lay(*layers, {})
    for path, leaf in leaves(merged):
        if leaf.value != {} and not any(isinstance(key, int) for key in path):
            found = stated(layers, path)
            assert found is not None
            assert found.value == leaf.value


def test_a_null_without_anything_below_stays_where_it_is_a_statement():
    engine = layer({"engine": {"connector": None}}, "base")
    kept = lay(Branch({}), engine, {}, keeps_null=True)
    assert plain(kept) == {"engine": {"connector": None}}


def test_a_null_removes_a_whole_mapping_leaf_by_leaf():
    removed = {}
    under = layer({"env": {"A": "1", "B": "2"}, "x": 1}, "base")
    merged = lay(under, layer({"env": None}, "override"), removed)
    assert plain(merged) == {"x": 1}
    null = Origin("override", "override.yaml", 2, None)
    assert removed == {
        ("env", "A"): (null, Origin("base", "base.yaml", 3, "1")),
        ("env", "B"): (null, Origin("base", "base.yaml", 4, "2")),
    }


def test_a_list_replaces_a_list():
    merged = lay(layer({"bs": [1, 2, 4]}, "base"), layer({"bs": [8]}, "override"), {})
    (found,) = leaves(merged)
    assert found == (
        ("bs",),
        Leaf(
            [8],
            None,
            (
                Origin("override", "override.yaml", 2, [8]),
                Origin("base", "base.yaml", 2, [1, 2, 4]),
            ),
        ),
    )


def test_variables_of_an_environment_keep_their_text():
    value = {"env": {"A": 17, "B": True}, "args": {"A": 17}}
    texts = {"A": Place(3, "017"), "B": Place(4, "on")}
    place = Place(1, None, {
        "env": Place(2, None, texts),
        "args": Place(5, None, {"A": Place(6, "017")}),
    })  # fmt: skip
    node = plant(value, place, layer="base", file="toy.yaml")
    assert plain(node) == {"env": {"A": "017", "B": "on"}, "args": {"A": 17}}


@pytest.mark.parametrize("over", [{"a": {}}, {}])
def test_an_empty_mapping_changes_no_mapping(over):
    merged = lay(layer({"a": {"b": 1}}, "base"), layer(over, "override"), {})
    assert plain(merged) == {"a": {"b": 1}}
