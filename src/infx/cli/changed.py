"""`infx matrix changed`: which config keys a change affects, and which of their points."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from infx.cli.flags import flag, several
from infx.cli.streams import put, say

if TYPE_CHECKING:
    from infx.flows.changed import Ask, Comparison
    from infx.model.changed import Changed, ChangedKey, ChangedPoint

SHOWN = 12
"""Hexadecimal digits of a fingerprint that are printed."""

Base = Annotated[
    str, Parameter(help="The branch to compare with: from where HEAD left it, to HEAD.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFlags:
    """Which files of the repository are the catalog."""

    config_files: Annotated[
        list[Path] | None,
        several("Master configurations. Default: *-master.yaml here, in configs or in catalog."),
    ] = None
    runner_config: Annotated[
        Path | None,
        flag("The runner file. Default: runners.yaml beside the masters."),
    ] = None
    recipe_root: Annotated[
        list[Path] | None,
        several(
            "Folders of recipes. Default: srt-recipes, recipes and the folders of srt-slurm "
            "recipes beside the masters or up to two folders above."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFlags(CatalogFlags):
    """Which files of the repository are compared."""

    worktree: Annotated[
        bool,
        flag("Look at uncommitted edits and new files too, not at HEAD."),
    ] = False


Sources = Annotated[SourceFlags | None, Parameter(name="*")]


def changed(
    *,
    base: Base,
    sources: Sources = None,
    format: Annotated[
        Literal["text", "json", "markdown"], Parameter(help="What stdout gets.")
    ] = "text",
    json: Annotated[bool, flag("The same as --format json.")] = False,
) -> int:
    """List the config keys whose points a change adds or removes.

    A point is what would run: its row, what its recipe binds to, and one concurrency. So an edited
    comment lists nothing, and an edited shared block lists every key that uses it. Both sides are
    read from git's commits; edits that are not committed count only with --worktree.
    """
    from infx.flows.changed import compare, summary

    comparison = compare(ask(base, sources), os.environ)
    warn(comparison)
    put(FORMATS["json" if json else format](summary(comparison)))
    return 0


def ask(base: str, sources: CatalogFlags | None) -> "Ask":
    """Return what the flags ask for, from the working directory."""
    from infx.flows.changed import Ask

    flags = sources or CatalogFlags()
    return Ask(
        base=base,
        folder=Path.cwd(),
        config_files=tuple(flags.config_files or ()),
        runner_config=flags.runner_config,
        recipe_roots=tuple(flags.recipe_root or ()),
        worktree=isinstance(flags, SourceFlags) and flags.worktree,
    )


def warn(comparison: "Comparison") -> None:
    """Say what a comparison did not look at."""
    for problem in comparison.errors:
        say(problem)
    edited = comparison.snapshots.edited
    if edited:
        more = f" and {len(edited) - 1} more" if len(edited) > 1 else ""
        say(f"{edited[0]}{more}: edits that are not committed are not looked at; see --worktree")


def text(found: "Changed") -> str:
    """Return each key with its points, `+` for a new and `-` for a removed one."""
    from infx.cli.grids import printable

    blocks = ["\n".join((_head(key), *_points(key))) for key in found.changed]
    lines = "\n\n".join((*blocks, _sum(found))).split("\n")
    return "\n".join(map(printable, lines))


def markdown(found: "Changed") -> str:
    """Return the same for a comment: a line a key, its points as a difference."""
    from infx.cli.grids import markdown_text, printable

    blocks = []
    for key in found.changed:
        fence = "\n".join(("```diff", *map(printable, _points(key)), "```"))
        blocks.append(f"- {markdown_text(_head(key))}\n\n{fence}")
    return "\n\n".join((*blocks, markdown_text(_sum(found))))


def as_json(found: "Changed") -> str:
    """Return one JSON object on one line."""
    return found.model_dump_json(by_alias=True)


FORMATS: Mapping[str, Callable[["Changed"], str]] = {
    "text": text,
    "json": as_json,
    "markdown": markdown,
}
"""What `--format` takes, and the function that writes it."""


def _head(key: "ChangedKey") -> str:
    before = "unreadable" if key.base_points is None else key.base_points
    counts = f"{len(key.added)} added, {len(key.removed)} removed"
    return f"{key.config_key}: {before} -> {key.head_points} points, {counts}"


def _points(key: "ChangedKey") -> Iterator[str]:
    marked = [*(("+", one) for one in key.added), *(("-", one) for one in key.removed)]
    rows = [_row(mark, point) for mark, point in marked]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))


def _row(mark: str, point: "ChangedPoint") -> Sequence[str]:
    name = f"{mark} {' '.join(point.exp_name.split())}"
    return (name, point.shape, f"conc {point.conc}", point.fingerprint[:SHOWN])


def _sum(found: "Changed") -> str:
    return f"{len(found.changed)} of {found.config_keys} config keys changed since {found.base}"
