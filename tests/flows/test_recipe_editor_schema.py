"""Editors accept what binds, and mark typical slips of recipe files."""

import os
from pathlib import Path

import jsonschema
import pytest

from infx.flows.recipe_editor_schema import recipe_schema
from infx.recipes.sections import SECTIONS
from infx.store.documents import parse_yaml, read_yaml

REFERENCE = os.environ.get("INFX_REFERENCE_DATA")
VALIDATOR = jsonschema.Draft202012Validator(recipe_schema())
BUNDLE = """\
base:
  schema: 2
  name: toy
  engine: sglang
  resources: {gpu_type: h200, gpus_per_node: 8}
  environment: {PORT: 8080, FLAG: on}
  roles: {agg: {nodes: 1, workers: 1, gpus: 8, args: {tp-size: 8, fa: fa4}, env: {A: 017}}}
"""
GROUPS = """\
override_c4:
  {roles: {agg: {gpus: 4, args: {fa: null}, env: {A: null}}}, benchmark: {env: {CONC: 4}}}
zip_override_more:
  {roles: {agg: {gpus: [2, 4], env: {A: [1, 2]}}}, benchmark: {env: {CONC: [1, 2]}}}
"""


def complaints(text):
    value = parse_yaml(text.encode(), "a.yaml").value
    return [
        (".".join(map(str, error.absolute_path)), error.validator)
        for error in VALIDATOR.iter_errors(value)
    ]


def test_editors_know_the_sections_that_binding_knows():
    assert set(recipe_schema()["properties"]["base"]["properties"]) == set(SECTIONS)


def test_bundles_and_plain_files_pass():
    assert complaints(BUNDLE + GROUPS) == []
    plain = "\n".join(line[2:] for line in BUNDLE.splitlines()[1:])
    assert complaints(plain) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("agg: {nodes", "aggregate: {nodes", ("base.roles", "additionalProperties")),
        ("workers: 1", "worker: 1", ("base.roles.agg", "additionalProperties")),
        ("gpus: 8", "gpus: '8'", ("base.roles.agg.gpus", "type")),
        ("nodes: 1", "nodes: shared", ("base.roles.agg.nodes", "anyOf")),
        ("{PORT: 8080", "{PORT: [1]", ("base.environment.PORT", "type")),
        ("schema: 2", "schema: 3", ("base.schema", "const")),
        ("zip_override_more", "zip_more", ("", "additionalProperties")),
        ("gpus: 4, args", "gpus: [4], args", ("override_c4.roles.agg.gpus", "anyOf")),
    ],
)
def test_slips_are_marked(old, new, complaint):
    text = BUNDLE + GROUPS
    assert old in text
    assert complaints(text.replace(old, new)) == [complaint]


def test_what_the_binder_owns_is_struck_out_and_says_where_it_comes_from():
    parts = VALIDATOR.schema["properties"]["base"]["properties"]
    assert parts["model"]["properties"]["path"] == {
        "deprecated": True,
        "description": "Not a recipe's to state: it is the row's model.",
    }
    variables = VALIDATOR.schema["patternProperties"]["^override_."]["properties"]["benchmark"]
    names = variables["properties"]["env"]["properties"]
    assert names["ISL"]["deprecated"]
    assert "CONC" not in names


@pytest.mark.skipif(REFERENCE is None, reason="INFX_REFERENCE_DATA names no folder")
def test_public_recipes_of_schema_2_pass():
    files = sorted(Path(REFERENCE, "oct", "benchmarks").rglob("*.yaml"))
    assert len(files) == 11
    for file in files:
        assert [one.message for one in VALIDATOR.iter_errors(read_yaml(file).value)] == [], file
