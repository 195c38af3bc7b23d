"""Every lint has a line in the table, a manual page, and tests."""

from importlib import import_module
from pathlib import Path

import pytest

from infx.recipes import lints
from infx.recipes.lints import LINTS

FOLDER = Path(lints.__file__).parent
HEADINGS = ("What:", "Why:", "Fails:", "Passes:", "Fix:")


def test_every_file_is_listed():
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert {module.rpartition(".")[2] for module in LINTS.values()} == files
    assert {name.replace("-", "_") for name in LINTS} == files


@pytest.mark.parametrize("name", LINTS)
def test_a_lint_has_a_manual_page_and_tests(name):
    page = import_module(LINTS[name]).__doc__
    found = [line.split(" ")[0] for line in page.splitlines() if line.startswith(HEADINGS)]
    assert found == list(HEADINGS)
    assert (Path(__file__).parent / f"test_{name.replace('-', '_')}.py").is_file()
