"""A catalog's files are found where repositories keep them, or named."""

from pathlib import Path

import pytest

from infx.store.catalog import find, home
from refusals import refusal


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(*names):
        for name in names:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).touch()

    return make


def test_the_first_folder_with_masters_is_taken(files):
    files("catalog/own-master.yaml", "catalog/runners.yaml")
    assert home() == Path("catalog")
    files("configs/nvidia-master.yaml", "configs/amd-master.yaml", "configs/runners.yaml")
    found = find()
    assert found.masters == (Path("configs/amd-master.yaml"), Path("configs/nvidia-master.yaml"))
    assert found.runners == Path("configs/runners.yaml")


def test_named_files_keep_their_order(files):
    files("a/two-master.yaml", "a/runners.yaml", "b/one.yaml")
    found = find([Path("a/two-master.yaml"), Path("b/one.yaml")])
    assert found.masters == (Path("a/two-master.yaml"), Path("b/one.yaml"))
    assert found.runners == Path("a/runners.yaml")
    assert find([Path("b/one.yaml")], Path("a/runners.yaml")).runners == Path("a/runners.yaml")


def test_what_is_missing_is_said(files):
    assert refusal(find) == (
        ".: no *-master.yaml in ., configs, catalog, inferencex-e2e/configs; "
        "name the files: --config-files F..."
    )
    files("configs/own-master.yaml")
    assert refusal(find) == (
        "configs/own-master.yaml: there is no runners.yaml beside it; name it: --runner-config F"
    )
