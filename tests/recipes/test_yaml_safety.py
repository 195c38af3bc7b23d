"""Hostile YAML in recipes, and environments that keep their text."""

import pytest

from infx.recipes.bind import bind
from infx.recipes.target import Target
from infx.store.documents import parse_yaml
from refusals import refusal

RECIPE = """\
schema: 2
name: toy
engine: sglang
resources: {gpu_type: h200, gpus_per_node: 8}
frontend: {type: sglang, enable_multiple_frontends: false}
environment: {SHARED: VALUE}
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 8
    args: {tensor-parallel-size: 8}
    env: {OWN: VALUE}
"""


def read(text, *, last_wins=False):
    return parse_yaml(text.encode(), "toy.yaml", last_wins=last_wins)


def bound(text):
    return bind(read(text), selector=None, shared=None, target=Target(concurrency=4))


@pytest.mark.parametrize(
    "word", ["on", "no", "true", "017", "12:30:45", "2026-08-03", "1e3", "1_000", "0x1F"]
)
def test_an_environment_keeps_its_text(word):
    found = bound(RECIPE.replace("VALUE", word))
    assert found.recipe.environment == {"SHARED": word}
    assert found.recipe.roles["agg"].env == {"OWN": word}


def test_a_key_that_stands_twice_is_refused_or_told():
    text = RECIPE.replace("    gpus: 8\n", "    gpus: 8\n    gpus: 4\n")
    assert refusal(lambda: bound(text)) == (
        "toy.yaml:12: the key gpus stands here and on line 11; keep one of the two"
    )
    (warning,) = read(text, last_wins=True).warnings
    assert str(warning) == (
        "toy.yaml:12: the key gpus stands here and on line 11; line 11 has no effect: remove it"
    )


def test_an_alias_bomb_is_refused_while_it_is_read():
    lines = ["a0: &a0 {x: y, z: y}"]
    lines += [f"a{n}: &a{n} {{p: *a{n - 1}, q: *a{n - 1}}}" for n in range(1, 24)]
    assert "more than 1000000 values once its aliases are expanded" in refusal(
        lambda: read("\n".join(lines) + "\n" + RECIPE)
    )


def test_depth_and_size_are_capped(monkeypatch):
    deep = "{a: " * 70 + "1" + "}" * 70
    assert refusal(lambda: read(RECIPE.replace("VALUE", deep))) == (
        "toy.yaml:6: values are nested deeper than 64 levels; flatten the file"
    )
    monkeypatch.setattr("infx.store.documents.MAX_BYTES", 100)
    assert refusal(lambda: read(RECIPE)) == (
        "toy.yaml: the file is larger than 100 bytes; split the file"
    )
