"""YAML is read as 1.2 says, strictly, and every complaint names its line."""

import pytest
import yaml

from infx.store import yaml_syntax
from infx.store.documents import read_yaml
from refusals import refusal


@pytest.fixture(params=["libyaml", "python"])
def parser(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(yaml_syntax, "_LOADER", yaml.SafeLoader)


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
