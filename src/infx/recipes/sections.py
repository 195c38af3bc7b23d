"""The sections that a recipe of schema 2 may have, and the form of each."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from infx.errors import Problem, nearest
from infx.recipes.merge import Branch, Leaf, Node, find
from infx.recipes.topology import whole

MAPPINGS = (
    "model", "identity", "resources", "frontend", "benchmark", "health_check", "environment",
    "dynamo", "infra", "placement", "observability", "telemetry", "slurm", "sbatch_directives",
    "srun_options",
)  # fmt: skip
WORDS = ("name", "setup_script")
SECTIONS = ("schema", "engine", "roles", "services", *WORDS, *MAPPINGS)

_COUNTS = (
    ("resources", "gpus_per_node"),
    ("health_check", "max_attempts"),
    ("health_check", "interval_seconds"),
)


def unknown_sections(root: Branch) -> Iterator[Problem]:
    """Yield every section of a merged recipe that the public launcher does not know."""
    for name, node in root.parts.items():
        if name not in SECTIONS:
            advice = nearest(str(name), SECTIONS)
            yield Problem(f"{name} is no section of a recipe", _where(node), advice)


def malformed_sections(root: Branch) -> Iterator[Problem]:
    """Yield every section that has another form than schema 2 gives it; a null states nothing."""
    for name, node in root.parts.items():
        form = _FORMS.get(str(name))
        if form is not None and not _is_null(node) and not form[1](node):
            yield Problem(f"{name} is no {form[0]}", _where(node), form[2])
    for path in _COUNTS:
        count = find(root, path)
        if isinstance(count, Leaf) and count.value is not None and (whole(count.value) or 0) < 1:
            what = f"{'.'.join(path)} is {count.value!r}, not a number from 1"
            yield Problem(what, _where(count), "write a number")
    several = find(root, ("frontend", "enable_multiple_frontends"))
    if isinstance(several, Leaf) and not isinstance(several.value, bool | None):
        what = f"frontend.enable_multiple_frontends is {several.value!r}"
        yield Problem(what, _where(several), "write true or false")


def _is_null(node: Node) -> bool:
    return isinstance(node, Leaf) and node.value is None


def _is_mapping(node: Node) -> bool:
    return node.value == {} if isinstance(node, Leaf) else not node.sequence


def _is_word(node: Node) -> bool:
    return isinstance(node, Leaf) and isinstance(node.value, str) and node.value != ""


def _is_engine(node: Node) -> bool:
    return _is_word(node) or _is_mapping(node)


def _is_list(node: Node) -> bool:
    return isinstance(node.value, list | dict) if isinstance(node, Leaf) else True


_FORMS: Mapping[str, tuple[str, Callable[[Node], bool], str]] = MappingProxyType(
    {
        **dict.fromkeys(MAPPINGS, ("mapping", _is_mapping, "write its keys below it")),
        **dict.fromkeys(WORDS, ("text", _is_word, "quote it")),
        "engine": ("name of an engine", _is_engine, "write its name, or its type and settings"),
        "services": ("list of services", _is_list, "write one after each dash"),
    }
)
"""What each section is called, how one sees it, and what to write instead."""


def _where(node: Node) -> str | None:
    return node.origins[0].where if node.origins else None
