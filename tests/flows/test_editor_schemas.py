"""What editors check is what infx accepts: real masters pass, typical slips do not."""

import json
import os
from pathlib import Path

import jsonschema
import pytest

from infx.flows.editor_schemas import schemas, write_schemas
from infx.store.documents import parse_yaml, read_yaml
from judged import AUGUST, OCTOBER, agentic, several, single

REFERENCE = os.environ.get("INFX_REFERENCE_DATA")
SCHEMAS = schemas()
IMAGE = "{name: r, version: 'image:x'}"
ROLE = "num-worker: 1, tp: 4, ep: 4, dp-attn: true"


def complaints(name, text):
    _, schema = SCHEMAS[name]
    value = parse_yaml(text.encode(), "a.yaml").value
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(value)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_sound_and_explain_themselves(name):
    files, schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert files.endswith(".yaml")
    assert schema["title"]


def test_keys_have_descriptions_where_the_name_is_not_enough():
    row = SCHEMAS["master"][1]["$defs"]["SearchSpace"]["properties"]
    assert row["ep"]["description"] == "Expert-parallel size; unwritten is 1."
    assert row["spec-decoding"]["enum"] == ["none", "mtp", "draft_model"]
    assert row["tp"]["type"] == "integer"


@pytest.mark.parametrize(
    "text",
    [
        single("conc-list: [4], tp: 4"),
        several(f"conc-start: 4, conc-end: 8, prefill: {{{ROLE}}}, decode: {{{ROLE}}}"),
        agentic(
            "conc-list: [4], tp: 4, kv-offloading: [dram, nvme], "
            "kv-offload-backend: {name: lmcache}"
        ),
    ],
)
def test_sound_entries_pass(text):
    assert complaints("master", text) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (single("conc-list: [4], tpp: 4"), "('tpp' was unexpected)"),
        (single("conc-list: ['4'], tp: 4"), "'4' is not of type 'integer'"),
        (single("conc-list: [4], tp: 4, spec-decoding: eagle"), "'eagle' is not one of"),
        (single("conc-start: 4, tp: 4"), "is not valid under any of the given schemas"),
        (single("conc-list: [4], tp: 4").replace("toy:", "toy-*:"), "does not match"),
        (single("conc-list: [4], tp: 4", more=f"  router: {IMAGE}"), "image:x"),
    ],
)
def test_slips_do_not(text, complaint):
    found = complaints("master", text)
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize("text", [AUGUST, OCTOBER, f"{OCTOBER}    env: {{TC: 104, FLAG: no}}\n"])
def test_both_forms_of_runners_pass(text):
    assert complaints("runners", text) == []


def test_a_record_of_no_form_does_not():
    assert complaints("runners", AUGUST.replace("gpus-per-node", "gpu-per-node"))


def test_other_files():
    assert complaints("ci-priority", "version: 1\nbase-score: 1.5\n") == []
    assert complaints("ci-priority", "version: 2\nbase-score: 1.5\n") == ["1 was expected"]
    entry = "- {config-keys: [toy], description: [Faster.], pr-link: https://x/pull/1"
    assert complaints("changelog", f"{entry}}}") == []
    assert len(complaints("changelog", f"{entry}, eval-only: true}}")) == 1


def test_what_is_written_is_the_schema(tmp_path):
    written = write_schemas(tmp_path / "new")
    assert {one.path.name: one.files for one in written} == {
        f"{name}.schema.json": files for name, (files, _) in SCHEMAS.items()
    }
    for one in written:
        name = one.path.name.removesuffix(".schema.json")
        assert json.loads(one.path.read_text()) == SCHEMAS[name][1]


@pytest.mark.skipif(REFERENCE is None, reason="INFX_REFERENCE_DATA names no folder")
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("master", "configs/nvidia-master.yaml"),
        ("master", "configs/amd-master.yaml"),
        ("runners", "configs/runners.yaml"),
        ("runners", "oct/configs/runners.yaml"),
        ("ci-priority", "configs/ci-priority.yaml"),
        ("changelog", "perf-changelog.yaml"),
    ],
)
def test_public_files_pass(name, file):
    value = read_yaml(Path(REFERENCE) / file).value
    validator = jsonschema.Draft202012Validator(SCHEMAS[name][1])
    assert [error.message for error in validator.iter_errors(value)] == []
