"""What a caller may not do to acceptance: supply it, erase it, or lose a variant over it.

A caller's overrides are `PATH=JSON` and `PATH`, with the keys of a path joined by dots, as
cluster launchers take them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.document import Document
from infx.recipes.acceptance import atom, vllm
from infx.recipes.acceptance.plan import Plan, simulation_variables
from infx.recipes.acceptance.role import Role

LOOKED_UP = "acceptance lengths are looked up in the golden curves, never supplied"
REMEDY = "remove it"

SETTINGS = ("SYNTHETIC_ACCEPTANCE_LENGTH", "SPEC_DECODE_ACCEPTANCE_LENGTH")
"""Settings of catalog rows by which a caller used to supply a length."""
ARGUMENTS = (atom.LENGTH, atom.RATE)
MEMBERS = (vllm.LENGTH, vllm.RATES)

_ZIP = re.compile(r"(zip_override_\w[\w-]*)(\[\d+\])?")


@dataclass(frozen=True, slots=True)
class Override:
    """One change that a caller asks for: `value` is set at `path`, or the path is removed."""

    path: tuple[str, ...]
    value: JsonValue = None
    removes: bool = False

    def __str__(self) -> str:
        return f"--{'unset' if self.removes else 'set'} {'.'.join(self.path)}"


def read_overrides(sets: Sequence[str], unsets: Sequence[str]) -> tuple[Override, ...]:
    """Return the overrides that a command line spells; raises InputError with every bad one."""
    problems: list[Problem] = []
    found = []
    for text in sets:
        path, equals, value = text.partition("=")
        try:
            found.append(Override(_path(path), json.loads(value)))
        except ValueError:
            what = f"--set {text}: not PATH=JSON" if equals else f"--set {text}: no value"
            problems.append(Problem(what, remedy="quote text: roles.agg.args.name='\"text\"'"))
    for text in unsets:
        try:
            found.append(Override(_path(text), removes=True))
        except ValueError:
            problems.append(Problem(f"--unset {text}: no path", remedy="join keys with dots"))
    if problems:
        raise InputError(*problems)
    return tuple(found)


def apply(tree: Mapping[str, JsonValue], overrides: Sequence[Override]) -> dict[str, JsonValue]:
    """Return a tree with the overrides in it; the tree itself stays as it is."""
    changed = dict(tree)
    for override in overrides:
        _put(changed, override.path, override)
    return changed


def supplied(overrides: Sequence[Override]) -> Iterator[Problem]:
    """Yield a problem for each override that supplies an acceptance length."""
    for override in overrides:
        if not override.removes and _simulates(override.path, override.value):
            yield Problem(f"{override}: {LOOKED_UP}", remedy=REMEDY)


def supplied_by_settings(settings: Sequence[str], where: str | None = None) -> Iterator[Problem]:
    """Yield a problem for each setting `NAME=VALUE` of a row that supplies a length."""
    names = (*SETTINGS, *simulation_variables())
    for setting in settings:
        if setting.partition("=")[0] in names:
            yield Problem(f"{setting}: {LOOKED_UP}", where, REMEDY)


def erased(overrides: Sequence[Override], plan: Plan) -> Iterator[Problem]:
    """Yield a problem for each removal that would take an injected value away."""
    for override in overrides:
        lost = [path for path in plan.paths() if path[: len(override.path)] == override.path]
        if override.removes and lost:
            what = f"{override} would erase the golden acceptance at {'.'.join(lost[0])}"
            yield Problem(what, remedy=REMEDY)


def collapsed(document: Document, variant: str, plan: Plan) -> Iterator[Problem]:
    """Yield a problem when injecting into a bundle's file would leave its zip group no variants.

    A launcher writes one value over the whole group; where the only lists of the group stand at
    injected paths, N variants become one and the wrong one could be started.
    """
    match = _ZIP.fullmatch(variant)
    group = document.value.get(match[1]) if match and isinstance(document.value, dict) else None
    if match is None or not isinstance(group, dict):
        return
    lists = [path for path, width in _lists(group, ()) if width > 1]
    injected = set(plan.paths())
    hidden = [path for path in lists if path in injected]
    if hidden and len(hidden) == len(lists):
        yield Problem(
            f"{variant}: its only lists stand at {', '.join('.'.join(path) for path in hidden)}, "
            "and one golden acceptance for all would leave one variant",
            document.where(match[1], *hidden[0]),
            "give the group another list, or write one override for each variant",
        )


def _lists(node: JsonValue, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    if isinstance(node, list):
        yield path, len(node)
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from _lists(value, (*path, key))


def _path(text: str) -> tuple[str, ...]:
    path = tuple(text.split("."))
    if not all(path):
        raise ValueError(text)
    return path


def _put(tree: dict[str, JsonValue], path: tuple[str, ...], override: Override) -> None:
    key, *rest = path
    if not rest:
        if override.removes:
            tree.pop(key, None)
        else:
            tree[key] = override.value
        return
    inner = tree.get(key)
    if override.removes and not isinstance(inner, dict):
        return
    copy = dict(inner) if isinstance(inner, dict) else {}
    tree[key] = copy
    _put(copy, tuple(rest), override)


def _simulates(path: tuple[str, ...], value: JsonValue) -> bool:
    """Tell whether a value at a path, or one of its parts, says how much is accepted."""
    key = path[-1]
    if key in simulation_variables() or key.replace("_", "-") in ARGUMENTS or key in MEMBERS:
        return True
    if key in vllm.SPELLINGS:
        value = _object(value)
    if not isinstance(value, dict):
        return False
    return any(_simulates((*path, inner), part) for inner, part in value.items())


def _object(value: JsonValue) -> JsonValue:
    role = Role("override", "vllm", {vllm.SPELLINGS[0]: value})
    return vllm.config_of(role)[1]
