from functools import partial

import pytest

from recipe_files import read


@pytest.fixture
def recipe(tmp_path):
    """Read a text as a recipe document whose file is named `toy.yaml`."""
    return partial(read, tmp_path)
