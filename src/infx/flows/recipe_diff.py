"""The story of `infx recipe diff`: two recipes out of files or commits, bound and compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.recipes import open_recipe
from infx.model.document import Document
from infx.model.engine_schema import EngineSchema
from infx.model.recipe_diff import RecipeDiff
from infx.recipes.bind import bind
from infx.recipes.binding import Binding
from infx.recipes.diff import diff
from infx.recipes.settings import engine_of, roles_of
from infx.recipes.target import Target
from infx.recipes.variants import split_selector
from infx.store import git
from infx.store.documents import parse_yaml
from infx.store.recipes import locate
from infx.store.shipped import engine_schema, engine_schemas


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around the references: the folder they count from, roots, git's environment."""

    folder: Path
    roots: Sequence[Path]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """One side: `FILE[:SELECTOR]` or `REV:FILE[:SELECTOR]`, and a concurrency."""

    reference: str
    concurrency: int | None = None

    def __str__(self) -> str:
        at = f" at concurrency {self.concurrency}" if self.concurrency is not None else ""
        return f"{self.reference}{at}"


def diff_recipes(
    a: Asked, b: Asked, around: Surroundings, *, image: str | None = None
) -> RecipeDiff:
    """Return what tells two recipes apart; `image` is the one that both run in.

    Raises InputError where a reference names nothing, and for what binding refuses.
    """
    sides = [_bound(one, around, image) for one in (a, b)]
    engines = {engine_of(side, role) for side in sides for role in roles_of(side)}
    shipped = {engine for engine, _ in engine_schemas()}
    schemas: dict[str, EngineSchema] = {
        engine: engine_schema(engine) for engine in engines if engine in shipped and engine
    }
    return diff(*sides, names=(str(a), str(b)), schemas=schemas)


def _bound(asked: Asked, around: Surroundings, image: str | None) -> Binding:
    document, selector = _document(asked.reference, around)
    target = Target(concurrency=asked.concurrency, image=image)
    return bind(document, selector=selector, shared=None, target=target)


def _document(reference: str, around: Surroundings) -> tuple[Document, str | None]:
    """Return the file that a reference names, from the work tree if it is there, and a selector."""
    file, rest = split_selector(reference)
    if rest is None or _is_file(file, around):
        return open_recipe(reference, around.roots)
    repository = git.open_repository(around.folder, around.environment)
    commit = git.resolve(repository, file)
    if commit is None:
        what = f"{file} is neither a recipe nor a commit"
        raise InputError(Problem(what, None, "write FILE:SELECTOR or REV:FILE:SELECTOR"))
    path, selector = split_selector(rest)
    names = dict.fromkeys((repository.path(around.folder / path), path))
    files = git.tree(repository, commit, tuple(names))
    found = next((name for name in names if name in files), None)
    if found is None:
        raise InputError(Problem(f"{file} has no file {path}", None, "name it from this folder"))
    data = git.blobs(repository, [files[found]])[files[found]]
    return parse_yaml(data, f"{file}:{path}", last_wins=True), selector


def _is_file(name: str, around: Surroundings) -> bool:
    path = Path(name)
    if (around.folder / path).is_file():
        return True
    outside = path.is_absolute() or ".." in path.parts
    return not outside and locate(name, around.roots) is not None
