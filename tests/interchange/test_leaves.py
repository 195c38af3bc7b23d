"""What holds for every foreign format: it is listed, documented, read and written."""

import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import infx.interchange
from infx.interchange import FORMATS

TESTS = Path(__file__).parent
MODULES = {
    name: import_module(f"infx.interchange.{name}")
    for _, name, _ in pkgutil.iter_modules(infx.interchange.__path__)
}
LEAVES = {
    name: module
    for name, module in MODULES.items()
    if hasattr(module, "read") and hasattr(module, "write")
}


def test_the_table_lists_every_format() -> None:
    assert {name.replace("-", "_"): path for name, path in FORMATS.items()} == {
        name: module.__name__ for name, module in LEAVES.items()
    }


@pytest.mark.parametrize("name", LEAVES)
def test_every_format_has_a_test_and_says_what_it_is(name: str) -> None:
    assert (TESTS / f"test_{name}.py").is_file()
    assert MODULES[name].__doc__
