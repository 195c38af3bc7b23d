"""Files that people write become strict values, and every complaint names its line."""

import os
from pathlib import Path
from typing import Literal

import orjson
import pytest
import yaml
from pydantic import Field

from infx.model.bundle import Manifest
from infx.model.value import Value
from infx.store.documents import read_json, read_yaml, validate
from refusals import refusal

REFERENCE = os.environ.get("INFX_REFERENCE_DATA")


class Engine(Value):
    kind: Literal["vllm", "sglang"]
    flags: dict[str, int] = Field(default_factory=dict)


class Lamp(Value):
    watts: float


class Recipe(Value):
    name: str
    ports: tuple[int, int]
    engine: Engine
    device: Engine | Lamp | None = None
    parts: tuple[Engine, ...] = ()


def test_a_document_becomes_a_strict_value(write):
    text = "name: x\nports: [1, 2]\nengine: {kind: vllm, flags: {tp: 8}}\ndevice: {watts: 5}\n"
    recipe = validate(read_yaml(write("a.yaml", text)), Recipe)
    assert recipe == Recipe(
        name="x",
        ports=(1, 2),
        engine=Engine(kind="vllm", flags={"tp": 8}),
        device=Lamp(watts=5.0),
    )


def test_every_wrong_key_and_value_is_named_with_its_line(write):
    text = """\
name: 5
ports: [1, "2"]
engine:
  kind: vlm
  flagz:
    tp: 8
parts:
  - kind: vllm
    flags:
      tp: 1.5
  - flags: {}
colour: red
"""
    assert (
        refusal(lambda: validate(read_yaml(write("a.yaml", text)), Recipe))
        == """\
a.yaml:1: name: input should be a valid string, found 5
a.yaml:2: ports.1: input should be a valid integer, found '2'
a.yaml:4: engine.kind: input should be 'vllm' or 'sglang', found 'vlm'
a.yaml:5: engine.flagz: unknown key; did you mean flags?
a.yaml:10: parts.0.flags.tp: input should be a valid integer, found 1.5
a.yaml:11: parts.1: the key kind is missing; add kind
a.yaml:12: colour: unknown key; known are name, ports, engine, device, parts"""
    )


def test_unknown_keys_inside_unions_and_json_files_get_the_nearest_name_too(write):
    text = '{"name": "x", "ports": [1, 2],\n "engine": {"kind": "vllm"},\n "device": {"wats": 5}}'
    message = refusal(lambda: validate(read_json(write("a.json", text)), Recipe))
    assert "a.json:3: device.wats: unknown key; did you mean watts?" in message


def test_a_wrong_document_is_said_of_its_first_line(write):
    assert refusal(lambda: validate(read_yaml(write("a.yaml", "\n- 1\n")), Recipe)) == (
        "a.yaml:2: the document: input should be an object"
    )
    message = refusal(lambda: validate(read_json(write("m.json", "{}")), Manifest))
    assert "m.json:1: the key run is missing; add run" in message


def test_a_missing_file_is_an_error_of_the_input(write):
    assert refusal(lambda: read_yaml(Path("no.yaml"))) == (
        "no.yaml: the file cannot be read: No such file or directory; check the path"
    )


@pytest.mark.skipif(REFERENCE is None, reason="INFX_REFERENCE_DATA names no folder of public files")
def test_every_public_file_loads_as_its_own_loader_reads_it_but_for_yaml_1_2():
    paths = sorted(Path(REFERENCE).rglob("*.yaml"))
    assert paths
    for path in paths:
        theirs = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        assert_same(read_yaml(path, last_wins=True).value, theirs, str(path))
    for path in Path(REFERENCE).rglob("*.json"):
        assert read_json(path).value == orjson.loads(path.read_bytes())


def assert_same(ours, theirs, where):
    """Compare with a YAML 1.1 reading: there `1_000` is a number and `1e3` is text."""
    if isinstance(theirs, dict):
        assert set(ours) == {str(key) for key in theirs}, where
        for key, value in theirs.items():
            assert_same(ours[str(key)], value, f"{where}/{key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for index, value in enumerate(theirs):
            assert_same(ours[index], value, f"{where}/{index}")
    elif isinstance(theirs, int) and isinstance(ours, str):
        assert "_" in ours, where
        assert int(ours) == theirs, where
    else:
        assert ours == theirs, where


def test_a_missing_file_with_nearly_the_name_of_another_is_meant_so(tmp_path):
    (tmp_path / "toy-master.yaml").write_text("a: 1\n")
    assert refusal(lambda: read_yaml(tmp_path / "toy-mastr.yaml")) == (
        f"{tmp_path}/toy-mastr.yaml: the file cannot be read: No such file or directory; "
        "did you mean toy-master.yaml?"
    )
