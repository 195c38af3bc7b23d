"""One side of a comparison to points: masters, as far as they may differ, to rows."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from infx.errors import InputError, Problem, nearest
from infx.flows.snapshots import Snapshot, Snapshots
from infx.flows.sources import Sources
from infx.matrix.affected import Row
from infx.matrix.catalog import Catalog, catalog
from infx.matrix.expand import rows
from infx.matrix.master_text import Block, blocks, narrowed
from infx.matrix.options import Options
from infx.model.catalog import ConfigKey
from infx.model.document import Document
from infx.store.documents import parse_yaml

if TYPE_CHECKING:
    from infx.matrix.completion import Recipes


@dataclass(frozen=True, slots=True)
class Master:
    """A master file of one side, and its entries where its text could be cut."""

    path: str
    text: bytes
    cut: dict[str, Block] | None

    def block(self, key: str) -> bytes | None:
        """Return an entry's bytes, None where the file has none by that name."""
        block = (self.cut or {}).get(key)
        return None if block is None else self.text[block.start : block.end]


@dataclass(slots=True)
class Rendered:
    """One side as far as it was rendered; `problems` are of keys that could not be."""

    keys: dict[str, ConfigKey] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    problems: dict[str, InputError] = field(default_factory=dict)


def masters(both: Snapshots, sources: Sources) -> tuple[tuple[Master, ...], tuple[Master, ...]]:
    """Return the master files of the base and of the head; what both have is cut once."""
    known: dict[tuple[str, str], Master] = {}
    return masters_of(both.base, sources, known), masters_of(both.head, sources, known)


def masters_of(
    side: Snapshot, sources: Sources, known: dict[tuple[str, str], Master] | None = None
) -> tuple[Master, ...]:
    """Return the master files of a side; those that are `known` by path and content stay."""
    cut = {} if known is None else known

    def of() -> Iterator[Master]:
        for path in sources.masters:
            text = side.read(path)
            if text is None:
                continue
            key = (path, side.files[path])
            if key not in cut:
                cut[key] = Master(path, text, blocks(text))
            yield cut[key]

    return tuple(of())


def suspects(
    both: Snapshots, sources: Sources, base: Sequence[Master], head: Sequence[Master]
) -> frozenset[str] | None:
    """Return the keys whose points may differ, None where that may be all of them.

    A key is out of suspicion when its text, the runners and every recipe it may name are the same.
    """
    if any(one.cut is None for one in (*base, *head)):
        return None
    before, after = both.base.files, both.head.files
    moved = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    if sources.runners in moved or not moved.isdisjoint(sources.shared.values()):
        return None
    touched = {
        PurePosixPath(path).name.encode()
        for path in moved
        if any(path.startswith(f"{root}/") for root in sources.roots)
    }
    old, new = _texts(base), _texts(head)
    return frozenset(
        key
        for key in {*old, *new}
        if old.get(key) != new.get(key)
        or any(name in text for name in touched for text in new.get(key, ()))
    )


def _texts(masters: Sequence[Master]) -> dict[str, tuple[bytes, ...]]:
    found: dict[str, tuple[bytes, ...]] = {}
    for one in masters:
        for key in one.cut or ():
            block = one.block(key)
            found[key] = (*found.get(key, ()), *([] if block is None else [block]))
    return found


def names(files: Sequence[Master], side: Snapshot) -> tuple[str, ...]:
    """Return every config key of a side, in the order of its files."""
    found: dict[str, None] = {}
    for one in files:
        found |= dict.fromkeys(one.cut if one.cut is not None else _keys(one, side))
    return tuple(found)


def _keys(one: Master, side: Snapshot) -> tuple[str, ...]:
    value = side.document(one.path).value
    return tuple(value) if isinstance(value, dict) else ()


def read(
    side: Snapshot, sources: Sources, files: Sequence[Master], only: Collection[str] | None
) -> Catalog | None:
    """Return a side's entries, all or `only` some; None where no file has any of them.

    Raises InputError with every problem at its line.
    """
    documents = [one for one in (_document(side, file, only) for file in files) if one is not None]
    if not documents:
        return None
    return catalog(documents, _runners(side, sources), recipes(side, sources))


def render(
    side: Snapshot, sources: Sources, files: Sequence[Master], only: Collection[str] | None
) -> Rendered:
    """Return the rows of a side's keys: of all, or of `only` some.

    Raises InputError with every problem at its line.
    """
    found = read(side, sources, files, only)
    rendered = Rendered()
    if found is None:
        return rendered
    wanted = [key for key in found.keys if only is None or key in only]
    rendered.keys = {key: found.keys[key] for key in wanted}
    rendered.rows = {key: [] for key in wanted}
    for row in rows(found, wanted, Options(edition=found.edition)):
        dumped = row.model_dump(mode="json", by_alias=True, exclude_none=True)
        rendered.rows[str(row.config_key)].append(dumped)
    return rendered


def render_base(
    side: Snapshot, sources: Sources, files: Sequence[Master], only: Collection[str] | None
) -> Rendered:
    """Return the rows of the base; keys that cannot be read are in `problems`.

    Raises InputError where a whole file cannot be.
    """
    try:
        return render(side, sources, files, only)
    except InputError:
        if any(one.cut is None for one in files):
            raise
    whole = Rendered()
    for key in names(files, side) if only is None else only:
        try:
            one = render(side, sources, files, (key,))
        except InputError as error:
            whole.problems[key] = error
        else:
            whole.keys |= one.keys
            whole.rows |= one.rows
    return whole


def _document(side: Snapshot, file: Master, only: Collection[str] | None) -> Document | None:
    if file.cut is None or only is None:
        return side.document(file.path)
    if file.cut.keys().isdisjoint(only):
        return None
    return parse_yaml(narrowed(file.text, file.cut, only), side.name(file.path), last_wins=True)


def _runners(side: Snapshot, sources: Sources) -> Document:
    if sources.runners not in side.files:
        where = side.name(sources.runners)
        raise InputError(Problem("there is no runner file", where, "name one: --runner-config"))
    return side.document(sources.runners)


def recipes(side: Snapshot, sources: Sources) -> "Recipes":
    """Return what opens the recipes that a side's rows name."""

    def recipe(name: str, where: str) -> Document:
        path = sources.recipe(name, side.files)
        if path is None:
            roots = ", ".join(sources.roots) or "no folder"
            advice = f"looked in {roots}; name one: --recipe-root"
            close = nearest(name, _names(side, sources))
            meant = close if close.startswith("did") else advice
            raise InputError(Problem(f"there is no recipe {name}", where, meant))
        return side.document(path)

    return recipe


def _names(side: Snapshot, sources: Sources) -> list[str]:
    """Return every file below the roots, as a row would name it."""
    roots = [f"{root}/" for root in sources.roots]
    return [
        path.removeprefix(root) for root in roots for path in side.files if path.startswith(root)
    ]
