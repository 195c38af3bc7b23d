from pathlib import Path

import pytest

import gitted
import toy_repository


@pytest.fixture
def repo(tmp_path: Path) -> gitted.Repo:
    """A repository with a small catalog, on a branch that has changed nothing yet."""
    return toy_repository.repository(tmp_path)
