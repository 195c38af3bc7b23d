"""`infx changelog`: the strict gate, the entry for what changed, and the merge driver."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from infx.cli.changed import Base, CatalogFlags, Sources, ask, warn
from infx.cli.flags import flag, several
from infx.cli.streams import put, say
from infx.errors import InputError, Problem

if TYPE_CHECKING:
    from infx.flows.changelog import Review

File = Annotated[
    Path | None, Parameter(help="The changelog. Default: perf-changelog.yaml here or in catalog.")
]


def check(
    *,
    base: Base,
    file: File = None,
    sources: Sources = None,
    pr_link: Annotated[
        str | None, Parameter(help="The only pull request that new entries may link to.")
    ] = None,
    label: Annotated[
        list[str] | None,
        several("Labels of the pull request; those that ask for evals must fit the entries."),
    ] = None,
    format: Annotated[
        Literal["text", "json", "github"], Parameter(help="What stdout gets.")
    ] = "text",
) -> int:
    """Judge what a change adds to the changelog; exit 1 when anything is wrong.

    History keeps its bytes; new entries stand at the end, one empty line apart; they name exactly
    the config keys that `infx matrix changed` lists.
    """
    from infx.flows import changelog

    review = changelog.check(
        ask(base, sources), os.environ, file=file, pr_link=pr_link, labels=label or ()
    )
    warn(review.comparison)
    if format == "json":
        put(changelog.summary(review).model_dump_json(by_alias=True))
    elif review.problems:
        put("\n".join(_shown(review, annotated=format == "github")))
    else:
        put(_passed(review))
    return 1 if review.problems else 0


def _shown(review: "Review", *, annotated: bool) -> Iterator[str]:
    # Imported here: what passes has no foreign text to print.
    from infx.cli.grids import annotation, printable

    for problem in review.problems:
        shown = printable(str(problem))
        yield annotation("error", "infx changelog", shown) if annotated else shown


def add(
    *,
    base: Base,
    description: Annotated[list[str], several("What changed, a sentence each.")],
    pr_link: Annotated[
        str | None,
        Parameter(
            help="The pull request. Default: .../pull/XXX, to be corrected when it is known."
        ),
    ] = None,
    file: File = None,
    sources: Annotated[CatalogFlags | None, Parameter(name="*")] = None,
) -> int:
    """Append the entry for what the work tree changed, and print it.

    Edits that are not committed count. What stands in the file is not touched.
    """
    from infx.flows import changelog

    added = changelog.add(ask(base, sources), os.environ, description, file=file, pr_link=pr_link)
    warn(added.comparison)
    if added.text:
        put(added.text.strip("\n"))
    else:
        say(f"{added.file}: nothing changed since {base} that no new entry names")
    return 0


def merge(
    ancestor: Path | None = None,
    ours: Path | None = None,
    theirs: Path | None = None,
    path: str | None = None,
    /,
    *,
    base: Annotated[
        str, Parameter(help="The branch whose entries keep their place.")
    ] = "origin/main",
    install: Annotated[bool, flag("Tell this clone's git to merge the changelog so.")] = False,
    file: File = None,
) -> int:
    """Join the entries that two branches append, as git's merge driver; exit 1 on conflicts.

    Parameters
    ----------
    ancestor
        The common text: git's %O.
    ours
        Our text, which gets the result: git's %A.
    theirs
        Their text: git's %B.
    path
        The file's path in the repository: git's %P.
    """
    from infx.flows import changelog_merge

    if install:
        _install(file, base)
        return 0
    if ancestor is None or ours is None or theirs is None:
        what = "git calls this with three files; you want --install"
        raise InputError(Problem(what, None, "infx changelog merge --install"))
    merged = changelog_merge.merge(
        (ancestor, ours, theirs), os.environ, folder=Path.cwd(), path=path, base=base
    )
    if merged.conflicts:
        say(f"{path or ours}: both sides did more than append, see the marks in the file")
    return 1 if merged.conflicts else 0


def _install(file: Path | None, base: str) -> None:
    from infx.flows import changelog_merge
    from infx.flows.changelog import place

    here = Path.cwd()
    attributes, line = changelog_merge.install(
        place(here, file), os.environ, folder=here, base=base
    )
    put(f"{attributes}: {line}")


def _passed(review: "Review") -> str:
    entries, changes = len(review.entries), review.comparison.changes
    base = review.comparison.ask.base
    count = f"{entries} new entr{'y' if entries == 1 else 'ies'}"
    keys = f"{len(changes)} config key{'' if len(changes) == 1 else 's'} changed since {base}"
    return f"{review.file}: {count}, {keys}"
