"""`infx recipe diff A B`: the leaves that differ, and what the engine makes of it."""

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from cyclopts import Parameter
from pydantic import JsonValue

from infx.cli import values
from infx.cli.flags import RecipeRoots, several
from infx.cli.grids import markdown_text, printable
from infx.cli.streams import put
from infx.errors import InputError, Problem
from infx.flows.recipe_diff import Asked, Surroundings, diff_recipes
from infx.model.recipe_diff import Decision, Effect, LeafChange, RecipeDiff, Side

Format = Literal["text", "json", "markdown"]


def diff(
    a: str,
    b: str | None = None,
    /,
    *,
    concurrency: Annotated[
        tuple[str, ...],
        several("Concurrency of both, or that of A and that of B: 20, or 8,20."),
    ] = (),
    image: Annotated[str | None, Parameter(help="The image that both run in.")] = None,
    recipe_root: RecipeRoots = (),
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> None:
    """Print what tells two recipes apart, and what follows from it.

    A removed setting lets a default in, and may let another setting be inherited: rules of the
    engine say which, and whether the image decides. A recipe is FILE, FILE:SELECTOR, or in a
    commit REV:FILE or REV:FILE:SELECTOR.

    Parameters
    ----------
    a
        The recipe to start from.
    b
        The other one, or :SELECTOR of A's file. Default: A at the second of two concurrencies.
    """
    points = values.concurrencies(concurrency)
    if len(points) > 2 or (b is None and len(points) != 2):
        what = "two recipes, or one at two concurrencies"
        raise InputError(Problem(f"diff compares {what}", None, "infx recipe diff --help"))
    first, second = (points * 2)[:2] if points else (None, None)
    other = a if b is None else a.partition(":")[0] + b if b.startswith(":") else b
    around = Surroundings(Path(), recipe_root, os.environ)
    found = diff_recipes(Asked(a, first), Asked(other, second), around, image=image)
    put(FORMATS[format](found))


def text(found: RecipeDiff) -> str:
    """Return the difference as lines that begin with - and +, each with its place."""
    blocks = [f"A {found.a}\nB {found.b}"]
    blocks += ["\n".join(_block(list(leaves))) for _, leaves in groupby(found.leaves, key=_section)]
    if not found.leaves:
        blocks.append("no leaf differs")
    if found.effects:
        lines = [line for effect in found.effects for line in _effect(effect)]
        blocks.append("\n".join(["what follows", *lines]))
    if found.notes:
        blocks.append("\n".join(found.notes))
    return "\n\n".join("\n".join(map(printable, block.splitlines())) for block in blocks)


def markdown(found: RecipeDiff) -> str:
    """Return the difference as two tables in GitHub's Markdown."""
    blocks = [f"A {markdown_text(found.a)}, B {markdown_text(found.b)}"]
    if found.leaves:
        rows = [
            (
                markdown_text(".".join(map(str, one.path))),
                *(_cell(side) for side in _sides(one)),
            )
            for one in found.leaves
        ]
        blocks.append(_table(("leaf", "A", "B"), rows))
    else:
        blocks.append("No leaf differs.")
    if found.effects:
        rows = [
            (
                markdown_text(f"{one.role} {one.setting}"),
                markdown_text(_said(one.before)),
                markdown_text(_said(one.after)),
                _certainty(one),
            )
            for one in found.effects
        ]
        blocks.append(_table(("what follows", "A", "B", "certain"), rows))
    blocks += [f"- {markdown_text(note)}" for note in found.notes]
    return "\n\n".join(blocks)


def json(found: RecipeDiff) -> str:
    """Return the difference as one JSON object on one line."""
    return found.model_dump_json()


FORMATS: Mapping[Format, Callable[[RecipeDiff], str]] = MappingProxyType(
    {"text": text, "json": json, "markdown": markdown}
)


def _section(leaf: LeafChange) -> str:
    """Return the part of the recipe that a leaf is in: a role's arguments, its environment."""
    depth = 3 if leaf.role is not None and len(leaf.path) > 3 else len(leaf.path) - 1
    return ".".join(map(str, leaf.path[:depth]))


def _block(leaves: list[LeafChange]) -> Iterator[str]:
    section = _section(leaves[0])
    yield section or "recipe"
    lines = []
    for leaf in leaves:
        name = ".".join(map(str, leaf.path)).removeprefix(f"{section}.")
        before, after = _sides(leaf)
        if leaf.kind != "added":
            lines.append((f"- {name}: {_shown(before.value)}", before.where or ""))
        elif before.where is not None:
            lines.append((f"- {name}: removed", before.where))
        if leaf.kind != "removed":
            lines.append((f"+ {name}: {_shown(after.value)}", after.where or ""))
        elif after.where is not None:
            lines.append((f"+ {name}: removed", after.where))
    width = min(max(len(line) for line, _ in lines), 70)
    yield from (f"{line.ljust(width)}  {place}".rstrip() for line, place in lines)


def _effect(effect: Effect) -> Iterator[str]:
    yield f"- {effect.role} {effect.setting}: {_said(effect.before)}"
    yield f"+ {effect.role} {effect.setting}: {_said(effect.after)}"
    sources = dict.fromkeys(
        one.source for one in (effect.before, effect.after) if one is not None and one.source
    )
    yield f"  {'; '.join((_certainty(effect), *sources))}"


def _said(decision: Decision | None) -> str:
    if decision is None:
        return "not stated, and no rule knows what the engine does"
    if decision.how == "stated":
        return f"{_shown(decision.value)} (stated)"
    how = {"inherited": f"inherited from {decision.inherited_from}: ", "forced": "forced: "}
    return f"{_shown(decision.value)} ({how.get(decision.how, '')}{decision.because})"


def _certainty(effect: Effect) -> str:
    return "certain" if effect.certain else "depends on the image"


def _sides(leaf: LeafChange) -> tuple[Side, Side]:
    return leaf.before, leaf.after


def _cell(side: Side) -> str:
    place = f" {markdown_text(side.where)}" if side.where else ""
    return ("-" if side.value is None else markdown_text(_shown(side.value))) + place


def _shown(value: JsonValue) -> str:
    import orjson

    return value if isinstance(value, str) and value else orjson.dumps(value).decode()


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
