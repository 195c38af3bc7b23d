"""Aliases, merges, repeated keys and sizes are handled alike for every syntax."""

import pytest

from infx.store import tree
from infx.store.documents import read_json, read_yaml
from refusals import refusal


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
