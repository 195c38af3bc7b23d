"""A curve's file says exactly one model, whole draft lengths, and lengths a step can give."""

import os
from decimal import Decimal
from pathlib import Path

import pytest

from golden_curves import shipped, written
from infx.recipes.acceptance.curves import find, read_curve
from infx.store.documents import read_yaml
from refusals import refusal

GOOD = """
source: {run: 'https://ci.example/runs/7', shows: measurement}
measured: {hardware: B300}
golden:
  toy-model:
    thinking_on: {1: '1.84', 2: '2.50'}
    thinking_off: {1: '2.00'}
"""

ONE = "golden: {a: {thinking_on: {1: 1.5}}}"
LAUNCH = "source: {run: https://x.example/1, shows: launch}"


def read(folder, text, name="toy_mtp"):
    return read_curve(name, written(folder, text, name))


def test_a_curve_is_read_with_its_source_and_exact_decimals(tmp_path):
    curve = read(tmp_path, GOOD)
    assert (curve.name, curve.model, curve.partial) == ("toy_mtp", "toy-model", False)
    assert curve.source.run == "https://ci.example/runs/7"
    assert curve.cells["thinking_on"] == {1: Decimal("1.84"), 2: Decimal("2.50")}
    assert str(curve.cells["thinking_off"][1]) == "2.00"


def test_the_public_form_is_the_mapping_alone(tmp_path):
    curve = read(tmp_path, "toy-model:\n  thinking_on: {1: 1.80, 2: 2.50}\n")
    assert curve.source is None
    assert str(curve.cells["thinking_on"][1]) == "1.80"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("{}", 1, "a golden curve has exactly one model, and here is none"),
        ("a: {thinking_on: {1: 1.5}}\nb: {thinking_on: {1: 1.5}}", 1,
         "a golden curve has exactly one model, and here is a, b"),
        ("a:\n  thinking_on:\n    true: 1.5", 3, "true: a draft length is a positive integer"),
        ("a:\n  thinking_on:\n    0: 1.0", 3, "0: a draft length is a positive integer"),
        ("a:\n  thinking_on:\n    2.0: 1.5", 3, "2.0: a draft length is a positive integer"),
        ("a:\n  thinking_on:\n    3: 'nan'", 3,
         "3: the acceptance length is not a finite number, found nan"),
        ("a:\n  thinking_on:\n    3: true", 3,
         "3: the acceptance length is not a finite number, found true"),
        ("a:\n  thinking_on:\n    3:\n      - 1", 3,
         "3: the acceptance length is not a finite number, found None"),
        ("a:\n  thinking_on:\n    3: 4.01", 3,
         "3: the acceptance length 4.01 is outside 1 to 4"),
        ("a:\n  thinking_on:\n    3: 0.99", 3,
         "3: the acceptance length 0.99 is outside 1 to 4"),
        ("a:\n  thinking: {1: 1.5}", 2, "thinking: no thinking mode; did you mean thinking_on"),
        ("a: {}", 1, "the curve has no cell"),
        (f"{ONE}\npartial: yes please\n{LAUNCH}", 2, "partial is not true or false"),
        (ONE, 1, "source does not name a run"),
        (f"{ONE}\nsource: {{run: 'file:///x', shows: launch}}", 2,
         "source does not name a run"),
        (f"{ONE}\n{LAUNCH}\nsources: 1", 3, "sources: unknown key; did you mean source?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, line, what):
    said = refusal(lambda: read(tmp_path, text))
    assert f"toy_mtp.yaml:{line}: {what}" in said


def test_all_problems_of_a_file_come_together(tmp_path):
    said = refusal(lambda: read(tmp_path, "a:\n  thinking_on: {0: 1.5, 1: 9.0, x: 1.0}"))
    assert len(said.splitlines()) == 3


def test_the_bounds_themselves_are_lengths(tmp_path):
    curve = read(tmp_path, "a:\n  thinking_on: {3: 4.00, 2: 1}")
    assert curve.cells["thinking_on"] == {3: Decimal(4), 2: Decimal(1)}


def test_a_name_that_is_no_file_name_is_refused(tmp_path):
    document = written(tmp_path, "a:\n  thinking_on: {1: 1.5}")
    assert "'../toy' is no name" in refusal(lambda: read_curve("../toy", document))


@pytest.mark.parametrize(
    ("name", "thinking", "length", "al"),
    [
        ("dsv4-pro-0813-dspark", "thinking_on", 6, "3.77"),
        ("dsv41flash_dspark", "thinking_on", 5, "3.51"),
        ("qwen3.5_mtp", "thinking_on", 3, "3.39"),
        ("qwen3.5_mtp", "thinking_off", 3, "3.33"),
        ("musespark_dflash", "thinking_on", 7, "4.05"),
        ("dsv4_mtp", "thinking_on", 3, "2.49"),
    ],
)
def test_the_published_lengths_are_shipped(name, thinking, length, al):
    cell = find(shipped(), name, thinking=thinking, length=length)
    assert cell.al == Decimal(al)


def test_a_missing_curve_mode_or_length_names_what_there_is():
    curves = shipped()
    asked = {"thinking": "thinking_on", "length": 3, "where": "r.yaml:7"}
    assert refusal(lambda: find(curves, "qwen3_mtp", **asked)) == (
        "r.yaml:7: there is no golden curve qwen3_mtp; did you mean qwen3.5_mtp?"
    )
    assert refusal(
        lambda: find(curves, "glm5.2_mtp", thinking="thinking_off", length=3, where="r.yaml:7")
    ) == ("r.yaml:7: the golden curve glm5.2_mtp has no thinking_off; it has thinking_on")
    assert refusal(lambda: find(curves, "qwen3.5_mtp", thinking="thinking_on", length=9)) == (
        "the golden curve qwen3.5_mtp has no draft length 9 with thinking_on; "
        "it has 1, 2, 3, 4, 5, 6, 7, 8"
    )
    assert refusal(lambda: find(curves, "musespark_dflash", thinking="thinking_on", length=5)) == (
        "the golden curve musespark_dflash has no draft length 5 with thinking_on; "
        "it has 7 and is known only in part"
    )


def test_only_the_two_curves_of_one_proven_cell_are_partial():
    curves = shipped()
    sizes = {name: sum(map(len, curve.cells.values())) for name, curve in curves.items()}
    assert len(curves) == 11
    assert (
        {name for name, curve in curves.items() if curve.partial}
        == {name for name, size in sizes.items() if size == 1}
        == {"dsv41flash_dspark", "musespark_dflash"}
    )
    assert all(curve.source for curve in curves.values())


def test_every_shipped_cell_is_the_published_one():
    root = os.environ.get("INFX_REFERENCE_DATA")
    if not root:
        pytest.skip("needs INFX_REFERENCE_DATA, a folder with the public files")
    curves = shipped()
    cells = 0
    for path in sorted(Path(root, "golden-al").glob("*.yaml")):
        published = read_curve(path.stem, read_yaml(path))
        ours = curves.pop(path.stem)
        assert (ours.model, ours.cells) == (published.model, published.cells)
        assert ours.source.run in path.read_text().splitlines()[0]
        cells += sum(map(len, published.cells.values()))
    assert cells == 112
    assert sorted(curves) == ["dsv41flash_dspark", "musespark_dflash"]
