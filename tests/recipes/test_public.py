"""Every public recipe binds, and the line that decides a leaf really decides it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from infx.errors import InputError
from infx.recipes.bind import bind_variant
from infx.recipes.target import Target
from infx.recipes.topology import facts
from infx.recipes.variants import select
from infx.store.recipes import read
from recipe_files import public_recipes, reference

REFUSED: dict[str, str] = {}
"""Public files that are refused: the path, and the text of the defect in the file itself."""

REPEATED = 8
"""Public files with a repeated key."""


def test_every_public_recipe_binds_in_every_variant():
    paths = public_recipes()
    old = [path for path in paths if path.is_relative_to(reference() / "srt-recipes")]
    assert (len(old), len(paths) - len(old)) == (469, 11)
    repeated, bundles, open_ = 0, 0, []
    for path in paths:
        document = read(path)
        found = select(document, None)
        forms = {variant.form for variant in found}
        assert forms == ({1} if path in old else {2})
        bundles += path in old and found[0].selector != ""
        for variant in found:
            binding = bind_variant(variant, shared=None, target=Target(), file=document.file)
            assert binding.recipe.engine in ("atom", "sglang", "trtllm", "vllm")
            assert binding.recipe.gpus
            assert set(binding.origins) == set(scalars(binding.tree))
            if facts(binding.tree).nodes is None:
                open_.append(path)
        repeated += bool(document.warnings)
    assert (repeated, bundles, open_) == (REPEATED, 4, [])
    assert REFUSED == {}


def scalars(value, path=()):
    """Yield the paths of leaves as `Binding.origins` counts them."""
    nested = isinstance(value, list) and any(isinstance(part, dict) for part in flat(value))
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from scalars(part, (*path, key))
    elif nested:
        for index, part in enumerate(value):
            yield from scalars(part, (*path, index))
    else:
        yield path


def flat(value):
    for part in value:
        if isinstance(part, list):
            yield from flat(part)
        else:
            yield part


def test_every_october_bundle_chooses_by_concurrency_where_it_states_one():
    root = reference() / "oct" / "benchmarks" / "single_node"
    for path in sorted(root.rglob("*.yaml")):
        for variant in select(read(path), None):
            binding = bind_variant(variant, shared=None, target=Target(), file=str(path))
            assert binding.tree["benchmark"]["env"]["CONC"].isdigit()


def sample() -> list[tuple[Path, str]]:
    """Return fifty variants of public files: all of October's bundles, and a spread of the rest."""
    paths = public_recipes()
    chosen = paths[469:] + paths[:469:12]
    found = []
    for path in chosen:
        variants = select(read(path), None)
        found.append((path, variants[len(variants) // 2].selector))
    return found[:50]


INCOMPLETE = re.compile(
    r"the recipe has no roles"
    r"|zip_override_\w+ has no list to step through"
    r"|zip_override_\w+: \S+ has [0-9]+ steps, but"
    r"|roles\.decode shares the nodes of prefill, and roles\.\w+ has no gpus"
)
"""What is said of a file that lacks a line which no recipe can do without."""


@pytest.mark.parametrize("number", range(50))
def test_removing_the_line_that_why_names_changes_the_leaf(number, tmp_path):
    """A line that only repeats what a lower layer says leaves the value to that layer, as told."""
    path, selector = sample_at(number)
    before = rebound(path, selector)
    repeated = {int(one.where.rpartition(":")[2]) for one in read(path).warnings}
    entries = Entries(path.read_text(encoding="utf-8"))
    edited = tmp_path / "edited.yaml"
    by_line: dict[int, list] = {}
    for leaf, chain in before.origins.items():
        by_line.setdefault(chain[0].line, []).append(leaf)
    for line, leaves in by_line.items():
        edited.write_text(entries.without(line), encoding="utf-8")
        after = outcome(edited, selector)
        if isinstance(after, str):
            assert INCOMPLETE.search(after), (line, after)
            continue
        for leaf in leaves:
            if at(before.tree, leaf) == at(after.tree, leaf) and line not in repeated:
                first, *hidden = before.origins[leaf]
                assert hidden, (line, leaf)
                assert hidden[0].value == first.value, (line, leaf)
                assert after.origins[leaf][0].layer == hidden[0].layer


def outcome(path, selector):
    """Return the bound variant, or what is said instead."""
    try:
        return rebound(path, selector)
    except InputError as error:
        return str(error)


_SAMPLE: list[tuple[Path, str]] = []


def sample_at(number):
    if not _SAMPLE:
        _SAMPLE.extend(sample())
    return _SAMPLE[number]


def rebound(path, selector):
    document = replace(read(path), file="x.yaml")
    (variant,) = select(document, selector or None)
    return bind_variant(variant, shared=None, target=Target(), file=document.file)


MISSING = object()


def at(tree, path):
    for key in path:
        if isinstance(tree, list):
            if not isinstance(key, int) or key >= len(tree):
                return MISSING
        elif not isinstance(tree, dict) or key not in tree:
            return MISSING
        tree = tree[key]
    return tree


class Entries:
    """The entries of a YAML text by the line of their key, and the text without one of them."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines(keepends=True)
        self.ends: dict[int, int] = {}
        self._walk(yaml.compose(text, Loader=yaml.CSafeLoader))

    def _walk(self, node) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                first = key.start_mark.line + 1
                self.ends[first] = max(self.ends.get(first, 0), last_line(value, first))
                self._walk(value)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                if isinstance(item, yaml.ScalarNode):
                    first = item.start_mark.line + 1
                    self.ends.setdefault(first, last_line(item, first))
                self._walk(item)

    def without(self, line: int) -> str:
        first = self.lines[line - 1]
        dash = first[: len(first) - len(first.lstrip(" -"))]
        kept = f"{dash.rstrip()}\n" if "-" in dash and ": " in first else ""
        return "".join([*self.lines[: line - 1], kept, *self.lines[self.ends[line] :]])


def last_line(node, first: int) -> int:
    """Return the last line of a node, counted from 1; an alias ends on the line of its key."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        end = node.end_mark
        return max(first, end.line + (end.column > 0))
    pairs = node.value if isinstance(node, yaml.SequenceNode) else [v for _, v in node.value]
    return max([first, *(last_line(one, first) for one in pairs)])
