"""The page of findings is what its command prints over the public recipes."""

import re

import findings as command
import pytest
from pages.findings import CHECKS, findings, groups

from infx.policy.checks import CHECKS as MODULES
from project_text import REFERENCE, ROOT
from recipe_files import reference

PAGE = (REFERENCE / "findings.md").read_text("utf-8")


@pytest.fixture(scope="module")
def judged():
    return groups(reference(), ROOT / "catalog")


def test_the_page_is_what_its_command_prints(judged):
    assert findings(judged) == PAGE, f"run: {command.__doc__}"


def test_no_public_recipe_breaks_any_check(judged):
    for recipes in judged.values():
        for one in recipes:
            assert one.judgement.crashes == (), one.file
            assert len(one.judgement.results) == 18
    assert [len(recipes) for recipes in judged.values()] == [469, 11, 7]


def test_every_recipe_counts_once_in_every_row():
    rows = re.findall(r"^\| \[`([\w-]+)`\]\(\S+\) \| (.*) \|$", PAGE, re.MULTILINE)
    assert [check for check, _ in rows] == list(CHECKS) * 3
    assert set(CHECKS) <= set(MODULES)
    totals = [sum(map(int, cells.split(" | ")[:4])) for _, cells in rows]
    assert totals == [469] * 6 + [11] * 6 + [7] * 6


def test_the_banned_variable_is_on_22_lines_of_21_files_and_found_in_all_of_them():
    assert "| `SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE` | 22 | 21 | 21 | 18 |" in PAGE


@pytest.mark.parametrize("words", [[], ["nowhere"], ["a", "b"]])
def test_the_command_wants_the_folder_of_public_recipes(words, capsys):
    assert command.main(words) == 2
    assert "docs/findings.py" in capsys.readouterr().err
