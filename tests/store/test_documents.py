"""Files that people write are read strictly, and every complaint names its line."""

import json
import os
from pathlib import Path
from typing import Literal

import orjson
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from infx.errors import InputError
from infx.model.bundle import Manifest
from infx.model.value import Value
from infx.store import tree, yaml_syntax
from infx.store.documents import read_json, read_yaml, validate

REFERENCE = os.environ.get("INFX_REFERENCE_DATA")


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file and return its path, relative so that messages are short."""
    monkeypatch.chdir(tmp_path)

    def put(name, content):
        path = Path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.fixture(params=["libyaml", "python"])
def parser(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(yaml_syntax, "_LOADER", yaml.SafeLoader)


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("True", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("~", None),
        ("", None),
        ("Null", None),
        ("1_000", "1_000"),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("-0x1F", "-0x1F"),
        ("+12", 12),
        ("12:30:00", "12:30:00"),
        ("2026-08-03", "2026-08-03"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1.", 1.0),
        (".", "."),
        ("1.2.3", "1.2.3"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("! 12", "12"),
        ("!!int '12'", 12),
        ("!!float 12", 12),
        ("=", "="),
    ],
)
def test_plain_scalars_mean_what_yaml_1_2_says(write, text, value):
    read = read_yaml(write("a.yaml", f"key: {text}\n")).value["key"]
    assert (read, type(read)) == (value, type(value))


def test_an_environment_gets_the_text_as_it_was_written(write):
    document = read_yaml(write("a.yaml", "env:\n  MODE: 017\n  FLAG: True\n  QUOTED: '1'\n"))
    assert document.value == {"env": {"MODE": 17, "FLAG": True, "QUOTED": "1"}}
    assert document.text("env", "MODE") == "017"
    assert document.text("env", "FLAG") == "True"
    assert document.text("env", "QUOTED") == "1"
    assert document.text("env") is None
    assert document.text("env", "OTHER") is None


def test_every_value_knows_its_line(write):
    document = read_yaml(write("a.yaml", "a:\n  b:\n    - 1\n    - c: 2\n\nlast: |\n  x\n"))
    assert document.where() == "a.yaml:1"
    assert document.where("a", "b") == "a.yaml:2"
    assert document.where("a", "b", 1) == "a.yaml:4"
    assert document.where("a", "b", 1, "c") == "a.yaml:4"
    assert document.where("last") == "a.yaml:6"
    assert document.where("a", "missing") == "a.yaml:1"


def test_number_keys_are_text_as_in_json(write):
    assert read_yaml(write("a.yaml", "1: a\n2: b\n")).value == {"1": "a", "2": "b"}


@pytest.mark.usefixtures("parser")
def test_all_problems_of_a_file_are_said_together(write):
    text = """\
model: a
model: b
tag: !python/object:os.system x
speed: .inf
more: 1e999
? [1, 2]
: odd
? ~
: null key
again: *nothing
self: &self [*self]
model: c
"""
    assert (
        refusal(lambda: read_yaml(write("bad.yaml", text)))
        == """\
bad.yaml:2: the key model stands here and on line 1; keep one of the two
bad.yaml:3: the tag !python/object:os.system is not known; write the value without a tag
bad.yaml:4: .inf is not a finite number; leave the value out, or quote it
bad.yaml:5: 1e999 is too large for a number; quote it
bad.yaml:6: a key is neither a word nor a number; write a plain key
bad.yaml:8: a key is neither a word nor a number; write a plain key
bad.yaml:10: *nothing names no anchor that is complete here; write the anchor above its aliases
bad.yaml:11: *self names no anchor that is complete here; write the anchor above its aliases
bad.yaml:12: the key model stands here and on line 2; keep one of the two"""
    )


def test_a_syntax_error_comes_after_what_was_found_before_it(write):
    assert (
        refusal(lambda: read_yaml(write("bad.yaml", "a: 1\na: 2\nb: [1\nc: 2\n")))
        == """\
bad.yaml:2: the key a stands here and on line 1; keep one of the two
bad.yaml:4: this is not YAML: did not find expected ',' or ']'"""
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: \xff\n", "bad.yaml:2: the text is not UTF-8; save the file as UTF-8"),
        (b"a: 1\nb: \x07\n", "bad.yaml:2: this is not YAML: unacceptable character #x0007"),
        (b"a: 1\n---\nb: 2\n", "bad.yaml:2: a second document begins here; keep one in each file"),
        (b"%YAML 1.1\n---\na: no\n", "bad.yaml:1: the file declares another YAML than 1.2; "),
        (b"a: !!int x\n", "bad.yaml:1: 'x' is not what its tag says; drop the tag"),
        (b"a: !!set {x}\n", "bad.yaml:1: the tag !!set is not known; write the value without "),
        (b"a: !!map [x]\n", "bad.yaml:1: the tag !!map is not known; write the value without "),
        (b"<<: 5\n", "bad.yaml:1: << takes a mapping or a list of mappings; merge an anchored "),
        (b"a: %s\n" % (b"9" * 500), "bad.yaml:1: a number has more than 400 digits; quote it"),
    ],
)
def test_what_is_no_usable_yaml_is_refused(write, content, message):
    assert refusal(lambda: read_yaml(write("bad.yaml", content))).startswith(message)


def test_a_missing_file_is_an_error_of_the_input(write):
    assert refusal(lambda: read_yaml(Path("no.yaml"))) == (
        "no.yaml: the file cannot be read: No such file or directory; check the path"
    )


def test_merge_keys_add_what_is_not_there_and_keep_its_line(write):
    text = """\
base: &base {a: 1, b: 1}
more: &more {b: 2, c: 2}
one:
  <<: *base
  b: 9
two:
  <<: [*more, *base]
quoted:
  "<<": plain
"""
    document = read_yaml(write("a.yaml", text))
    assert document.value["one"] == {"a": 1, "b": 9}
    assert document.value["two"] == {"a": 1, "b": 2, "c": 2}
    assert document.value["quoted"] == {"<<": "plain"}
    assert document.where("one", "a") == "a.yaml:1"
    assert document.where("one", "b") == "a.yaml:5"
    assert document.where("two", "c") == "a.yaml:2"
    twice = "a: &a {}\nb:\n  <<: *a\n  <<: *a\n"
    assert "bad.yaml:4: the key << stands here and on line 3" in refusal(
        lambda: read_yaml(write("bad.yaml", twice))
    )


def test_a_loader_of_public_recipes_can_let_the_last_key_win_and_is_told(write):
    path = write("a.yaml", "backend: cutedsl\nbackend: trtllm\n")
    document = read_yaml(path, last_wins=True)
    assert document.value == {"backend": "trtllm"}
    assert document.where("backend") == "a.yaml:2"
    assert [str(warning) for warning in document.warnings] == [
        "a.yaml:2: the key backend stands here and on line 1; line 1 has no effect: remove it"
    ]


@pytest.mark.parametrize("syntax", [read_yaml, read_json])
def test_depth_is_capped_before_anything_can_overflow(write, syntax):
    deep = "[" * tree.MAX_DEPTH + "]" * tree.MAX_DEPTH
    assert syntax(write("a.json", deep)).value
    message = "a.json:1: values are nested deeper than 64 levels; flatten the file"
    assert refusal(lambda: syntax(write("a.json", f"[{deep}]"))) == message
    # libyaml looks ahead, and has a cap of its own.
    assert "nest" in refusal(lambda: syntax(write("a.json", "[" * 900_000)))


def test_an_alias_bomb_is_refused_while_it_is_read(write):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    message = refusal(lambda: read_yaml(write("bomb.yaml", "\n".join(lines))))
    assert message == (
        "bomb.yaml:6: the file holds more than 1000000 values once its aliases are expanded; "
        "split the file"
    )


def test_aliases_and_size_are_capped(write, monkeypatch):
    many = "a: &a 1\nb:\n" + "- *a\n" * (tree.MAX_ALIASES + 1)
    assert refusal(lambda: read_yaml(write("many.yaml", many))) == (
        "many.yaml:1003: the file uses more than 1000 aliases; split the file"
    )
    monkeypatch.setattr("infx.store.documents.MAX_BYTES", 10)
    assert refusal(lambda: read_yaml(write("big.yaml", "a: 12345678"))) == (
        "big.yaml: the file is larger than 10 bytes; split the file"
    )


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(value=JSON_VALUES.filter(lambda value: len(repr(value)) < 300), indent=st.booleans())
def test_any_json_reads_back_as_it_was(tmp_path_factory, value, indent):
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps(value, indent=2 if indent else None), "utf-8")
    assert read_json(path).value == value


def strictly(data):
    """Read JSON as two other parsers do, and refuse what neither of them refuses."""

    def unique(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def finite(text):
        if float(text) in (float("inf"), float("-inf")):
            raise ValueError("too large")
        return float(text)

    data = data.removeprefix(b"\xef\xbb\xbf")
    orjson.loads(data)
    return json.loads(data, object_pairs_hook=unique, parse_float=finite)


@given(st.binary(max_size=60) | st.text('{}[]",:0123456789.eE+-truefalsn \n\\u', max_size=40))
def test_json_is_accepted_exactly_where_a_strict_parser_accepts_it(tmp_path_factory, content):
    data = content if isinstance(content, bytes) else content.encode()
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_bytes(data)
    try:
        expected = strictly(data)
    except ValueError:
        with pytest.raises(InputError):
            read_json(path)
    else:
        assert read_json(path).value == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n "a": 2}', "a.json:2: the key a stands here and on line 1; keep one of "),
        ('{"a": NaN}', "a.json:1: this is not JSON: found 'NaN}' where a value should be"),
        ('{"a": 1\n', "a.json:2: this is not JSON: found the end of the file where , or } should"),
        ("[1,]", "a.json:1: this is not JSON: found ']' where a value should be"),
        ("{,}", "a.json:1: this is not JSON: found ',' where text or } should be"),
        ('{"a":1,}', "a.json:1: this is not JSON: found '}' where a key should be"),
        ("1 2", "a.json:1: this is not JSON: found '2' where the end of the file should be"),
        ("", "a.json:1: this is not JSON: found the end of the file where a value should be"),
        ('"\\ud800"', "a.json:1: a string holds half of a surrogate pair"),
        ("[1e999]", "a.json:1: 1e999 is too large for a number; quote it"),
        ("[01]", "a.json:1: this is not JSON: found '1' where , or ] should be"),
    ],
)
def test_what_is_no_usable_json_is_refused(write, text, message):
    assert refusal(lambda: read_json(write("a.json", text))).startswith(message)


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
