"""The story of `infx matrix changed`: two commits to the points that only one of them would run.

Both sides are rendered by this version of infx, from git's objects. Entries whose text, runners and
recipes are the same on both sides cannot differ, and are not rendered at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from infx.errors import Problem
from infx.flows import rendering
from infx.flows.catalog import no_collections
from infx.flows.fingerprints import Fingerprints
from infx.flows.rendering import Rendered
from infx.flows.snapshots import Snapshot, Snapshots, snapshots, with_edits
from infx.flows.sources import Sources, find_sources
from infx.matrix.affected import KeyChange, Planned, Sides, affected
from infx.model.changed import Changed
from infx.store import git


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What to compare: `folder` is where the command runs; what is empty is looked for."""

    base: str
    folder: Path
    config_files: tuple[Path, ...] = ()
    runner_config: Path | None = None
    recipe_roots: tuple[Path, ...] = ()
    worktree: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs, and what could not be read of the base; `sources` are the files that count."""

    ask: Ask
    snapshots: Snapshots
    sources: Sources
    changes: tuple[KeyChange, ...]
    sides: Sides
    errors: tuple[Problem, ...]

    @property
    def keys(self) -> int:
        """How many config keys both sides have together."""
        return len({*self.sides.base_names, *self.sides.head_names})


def compare(ask: Ask, environment: Mapping[str, str], more: Sequence[Path] = ()) -> Comparison:
    """Compare two sides of a repository; uncommitted edits of the files `more` count too.

    Raises InputError for a folder outside git, an unknown base, files that are missing, and a head
    that cannot be read. What cannot be read of the base is in the `errors` of the result.
    """
    repository = git.open_repository(ask.folder, environment)

    def inside(path: Path) -> str:
        return repository.path(ask.folder / path)

    both = snapshots(repository, ask.base)
    unsaved = git.edited(repository, ["."]) if ask.worktree else ()
    start = inside(Path())
    sources = find_sources(
        both.files.union(unsaved),
        "" if start == "." else start,
        masters=tuple(map(inside, ask.config_files)),
        runners=inside(ask.runner_config) if ask.runner_config else None,
        roots=tuple(map(inside, ask.recipe_roots)),
    )
    paths = (*sources.paths, *map(inside, more))
    if ask.worktree:
        both = with_edits(both, [path for path in unsaved if _is_under(path, paths)])
    else:
        both = replace(both, edited=git.edited(repository, paths))
    wanted = (*sources.masters, sources.runners, *paths[len(sources.paths) :])
    both.fetch(wanted)
    return _compared(ask, both, sources)


def _is_under(path: str, folders: Sequence[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in folders)


def _compared(ask: Ask, both: Snapshots, sources: Sources) -> Comparison:
    with no_collections():
        return _rendered(ask, both, sources)


def _rendered(ask: Ask, both: Snapshots, sources: Sources) -> Comparison:
    old, new = rendering.masters(both, sources)
    only = rendering.suspects(both, sources, old, new)
    head = rendering.render(both.head, sources, new, only)
    base = rendering.render_base(both.base, sources, old, only)
    prints = Fingerprints(sources)
    sides = Sides(
        base_names=rendering.names(old, both.base),
        head_names=rendering.names(new, both.head),
        base=_points(base, both.base, prints),
        head=_points(head, both.head, prints),
        base_keys=base.keys,
        head_keys=head.keys,
    )
    changes = affected(sides.base, sides.head, base.problems)
    problems = [one for error in base.problems.values() for one in error.problems]
    return Comparison(ask, both, sources, changes, sides, (*problems, *prints.said()))


def _points(rendered: Rendered, side: Snapshot, prints: Fingerprints) -> dict[str, list[Planned]]:
    ids = (
        one for found in rendered.rows.values() for row in found for one in prints.files(row, side)
    )
    side.contents.fetch(dict.fromkeys(ids))
    return {
        key: [point for row in found for point in prints.planned(key, row, side)]
        for key, found in rendered.rows.items()
    }


def summary(comparison: Comparison) -> Changed:
    """Return a comparison as it is printed."""
    return Changed.model_validate(
        {
            "base": comparison.ask.base,
            "config-keys": comparison.keys,
            "changed": tuple(map(_key, comparison.changes)),
            "errors": tuple(map(str, comparison.errors)),
        }
    )


def _key(change: KeyChange) -> Mapping[str, object]:
    return {
        "config-key": change.key,
        "base-points": change.base,
        "head-points": change.head,
        "added": tuple(map(_point, change.added)),
        "removed": tuple(map(_point, change.removed)),
    }


def _point(point: Planned) -> Mapping[str, object]:
    return {
        "exp-name": point.name,
        "shape": point.shape,
        "conc": point.concurrency,
        "fingerprint": point.fingerprint,
    }
