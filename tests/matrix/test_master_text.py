"""A master is cut only where the cut means what YAML means."""

import os
from pathlib import Path

import pytest

from infx.matrix.master_text import blocks, narrowed
from infx.store.documents import parse_yaml

TEXT = b"""# what this is

toy-a:
  image: one  # why
  # a note
toy-b.5: # said
  image: two
  list:
  - a
"""


def test_a_text_is_cut_at_its_keys():
    cut = blocks(TEXT)
    assert cut is not None
    assert {key: TEXT[one.start : one.end] for key, one in cut.items()} == {
        "toy-a": b"toy-a:\n  image: one  # why\n  # a note\n",
        "toy-b.5": b"toy-b.5: # said\n  image: two\n  list:\n  - a\n",
    }


def test_what_is_left_stands_on_its_own_lines():
    cut = blocks(TEXT)
    assert cut is not None
    document = parse_yaml(narrowed(TEXT, cut, ["toy-b.5"]), "m.yaml")
    assert document.value == {"toy-b.5": {"image": "two", "list": ["a"]}}
    assert document.where("toy-b.5", "list") == "m.yaml:8"
    assert narrowed(TEXT, cut, []) == b""


@pytest.mark.parametrize(
    "text",
    [
        b"a: &x\n  b: 1\n",
        b"a:\n  b: *x\n",
        b"a:\n  <<: {c: 1}\n",
        b"a:\n  b: 1\na:\n  b: 2\n",
        b"--- \na:\n  b: 1\n",
        b"a:\n- 1\n",
        b"'a':\n  b: 1\n",
        b"a: {b: 1}\n",
        b"a:\r\n  b: 1\r\n",
        b"  x: 1\na:\n  b: 1\n",
        b"a:\n  b: [\n]\n",
    ],
)
def test_a_text_that_may_mean_more_is_not_cut(text: bytes):
    assert blocks(text) is None


@pytest.mark.parametrize("name", ["nvidia-master.yaml", "amd-master.yaml"])
def test_the_public_masters_are_cut_as_yaml_reads_them(name: str):
    folder = os.environ.get("INFX_REFERENCE_DATA")
    if not folder:
        pytest.skip("INFX_REFERENCE_DATA is not set")
    text = (Path(folder) / "configs" / name).read_bytes()
    whole = parse_yaml(text, name)
    cut = blocks(text)
    assert cut is not None
    assert isinstance(whole.value, dict)
    assert list(cut) == list(whole.value)
    for key in list(cut)[::20]:
        part = parse_yaml(narrowed(text, cut, [key]), name)
        assert part.value == {key: whole.value[key]}
        assert part.where(key, "image") == whole.where(key, "image")
