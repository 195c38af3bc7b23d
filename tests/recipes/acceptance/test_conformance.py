"""Every public recipe: which of its roles are held to a golden cell, and why the others are not.

Recipes of the August form that simulate acceptance state the lengths that their authors looked up
by hand: an independent answer to every rule of naming and draft length.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from golden_curves import shipped
from infx.errors import InputError
from infx.recipes.acceptance.bound import places
from infx.recipes.acceptance.overrides import supplied_by_settings
from infx.recipes.acceptance.plan import Conditions, plan
from infx.recipes.bind import bind_variant
from infx.recipes.target import Target
from infx.recipes.variants import select, split_selector
from infx.store.documents import read_yaml

PREFIXES = {
    "deepseek-v4": "dsv4",
    "dsr1": "dsr1",
    "dsv4": "dsv4",
    "dsv41flash": "dsv41flash",
    "glm5": "glm5",
    "glm5.1": "glm5.1",
    "glm5.2": "glm5.2",
    "kimi-k2.5": "kimik2.5",
    "kimi-k2.5-fp4": "kimik2.5",
    "kimi-k2.6": "kimik2.6",
    "kimi-k3": "kimik3",
    "minimax-m3-gb200-fp8": "minimaxm3",
    "minimax-m3-gb300-fp8": "minimaxm3",
    "minimax-m3": "minimaxm3",
    "qwen3.5": "qwen3.5",
}
"""Folder of a model's recipes -> model prefix."""
LONG_ROOT = "benchmarks/multi_node/srt-slurm-recipes/"


@pytest.fixture(scope="module")
def data():
    root = os.environ.get("INFX_REFERENCE_DATA")
    if not root:
        pytest.skip("needs INFX_REFERENCE_DATA, a folder with the public files")
    return Path(root)


@pytest.fixture(scope="module")
def golden():
    return shipped()


class Tally:
    """What became of the recipes that were planned as if each were an agentic point."""

    def __init__(self, golden):
        self.golden = golden
        self.cells = Counter()
        self.roles = 0
        self.real = Counter()
        self.refused = Counter()
        self.stated = Counter()

    def add(self, path, prefix, selector=None, only=lambda _: True):
        """Plan every variant of a file whose benchmark `only` takes."""
        for variant in select(read_yaml(path, last_wins=True), selector):
            binding = bind_variant(variant, shared=None, target=Target(), file=str(path))
            if only(binding.tree):
                self._add(binding, prefix)

    def _add(self, binding, prefix):
        conditions = Conditions(model_prefix=prefix, thinking="thinking_on")
        try:
            found = plan(binding.tree, conditions, self.golden, where=places(binding))
        except InputError as error:
            (problem,) = error.problems
            assert problem.where.startswith(f"{binding.file}:")
            self.refused[problem.what] += 1
            return
        if found.cell is None:
            self.real[found.reason] += 1
            return
        self.cells[found.cell.curve, found.cell.length] += 1
        self.roles += sum(bool(one.set_args or one.set_env) for one in found.roles.values())
        for one in found.stated:
            self.stated[one.al == found.cell.al] += 1


def is_agentic(tree):
    return "agentic" in str(tree.get("benchmark", {}).get("command"))


def prefix_of(path):
    return next(PREFIXES[part] for part in reversed(path.parts) if part in PREFIXES)


BLOCK = "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method"


def test_every_agentic_recipe_that_speculates_has_its_cell(data, golden):
    tally = Tally(golden)
    for path in sorted((data / "srt-recipes").rglob("*.yaml")):
        tally.add(path, prefix_of(path), only=is_agentic)
    assert tally.refused == {}
    assert tally.real == {"the role agg does not speculate": 9}
    assert (tally.cells.total(), tally.roles) == (110, 161)
    assert tally.cells == {
        ("dsv4_mtp", 2): 4,
        ("dsv4_mtp", 3): 24,
        ("glm5.2_mtp", 2): 8,
        ("glm5.2_mtp", 3): 6,
        ("glm5.2_mtp", 4): 4,
        ("glm5.2_mtp", 5): 3,
        ("glm5.2_mtp", 8): 1,
        (BLOCK, 2): 7,
        (BLOCK, 4): 3,
        (BLOCK, 7): 10,
        ("minimaxm3_eagle3_gqa", 3): 16,
        ("qwen3.5_mtp", 3): 18,
        ("qwen3.5_mtp", 6): 5,
        ("qwen3.5_mtp", 7): 1,
    }
    assert tally.stated == {True: 106}


def test_fixed_recipes_without_a_cell_are_of_models_without_a_curve(data, golden):
    tally = Tally(golden)
    for path in sorted((data / "srt-recipes").rglob("*.yaml")):
        tally.add(path, prefix_of(path), only=lambda tree: not is_agentic(tree))
    assert tally.refused == {
        "there is no golden curve dsr1_mtp": 13,
        "there is no golden curve glm5_mtp": 48,
        "there is no golden curve glm5.1_mtp": 11,
    }
    assert (tally.cells.total(), tally.roles) == (84, 124)
    assert tally.stated == {}


def test_recipes_of_the_october_form(data, golden):
    tally = Tally(golden)
    for path in sorted((data / "oct" / "benchmarks").rglob("*.yaml")):
        tally.add(path, prefix_of(path))
    assert tally.cells == {("dsv4-pro-0813-dspark", 6): 34, ("dsv41flash_dspark", 5): 41}
    assert tally.roles == 85
    assert tally.refused == {"there is no golden curve dsr1_mtp": 19}
    assert tally.real == {"the role decode does not speculate": 2}


def rows(data):
    """Yield prefix, scenario, speculation and settings of every row of both masters."""
    for name in ("nvidia-master", "amd-master"):
        for entry in read_yaml(data / "configs" / f"{name}.yaml").value.values():
            for scenario, parts in entry["scenarios"].items():
                for row in (row for part in parts for row in part["search-space"]):
                    holders = (row, row.get("prefill"), row.get("decode"))
                    settings = [
                        one
                        for held in holders
                        if held
                        for one in held.get("additional-settings", [])
                    ]
                    yield (
                        entry["model-prefix"],
                        scenario == "agentic-coding",
                        row.get("spec-decoding", "none"),
                        settings,
                    )


def test_agentic_rows_that_name_a_recipe_have_their_cell(data, golden):
    """The other rows are started by scripts of their own, which no recipe describes."""
    tally = Tally(golden)
    named = Counter()
    for prefix, agentic, speculation, settings in rows(data):
        if not agentic or speculation == "none":
            continue
        files = [
            one.removeprefix("CONFIG_FILE=") for one in settings if one.startswith("CONFIG_FILE=")
        ]
        named[bool(files)] += 1
        for one in files:
            file, selector = split_selector(one.removeprefix("recipes/").removeprefix(LONG_ROOT))
            tally.add(data / "srt-recipes" / file, prefix, selector)
    assert named == {True: 107, False: 88}
    assert (tally.refused, tally.real) == ({}, {})
    assert (tally.cells.total(), tally.roles) == (107, 154)
    assert tally.stated == {True: 108}


def test_lengths_in_settings_of_rows_are_refused(data):
    found = Counter()
    for _, agentic, _, settings in rows(data):
        found[agentic] += len(list(supplied_by_settings(settings)))
    assert found == {True: 38, False: 9}
