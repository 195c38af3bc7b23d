"""Files of a catalog to what may be run: all problems of all files at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from infx.errors import InputError, Problem, nearest
from infx.matrix import invariants, inventory
from infx.matrix.options import Edition
from infx.model.catalog import CLUSTER, ConfigKey, HardwareRunners, Runners
from infx.model.document import Document
from infx.model.validation import checked

if TYPE_CHECKING:
    from infx.matrix.completion import Recipes


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every config key in the order of the files, and the machines that may run them.

    `where` is each key's `file:line`, and `documents` the file that it stands in. `warnings` are
    what the reader should see although the catalog can be used.
    """

    keys: Mapping[str, ConfigKey]
    where: Mapping[str, str]
    runners: Runners
    warnings: tuple[Problem, ...] = ()
    documents: Mapping[str, Document] = field(default_factory=dict)

    @property
    def edition(self) -> Edition:
        """The state of the public rules that the form of the runner file belongs to."""
        return "2026-08" if isinstance(self.runners, HardwareRunners) else "2026-10"


def catalog(
    masters: Sequence[Document], runners: Document, recipes: "Recipes | None" = None
) -> Catalog:
    """Return what the master configurations and the runner file say together.

    Rows that leave their topology to a recipe get it from there. Raises InputError with every
    problem of every file: wrong fields, rules over several fields, keys that stand in two files,
    labels that nobody declares, and what keeps a topology unknown.
    """
    problems: list[Problem] = []
    found: Runners | None = None
    try:
        found = inventory.runners(runners)
    except InputError as error:
        problems += error.problems
    nodes = inventory.nodes(found) if found else {}
    keys: dict[str, ConfigKey] = {}
    where: dict[str, str] = {}
    files: dict[str, Document] = {}
    labels: list[Problem] = []
    for document in masters:
        for name, entry in _entries(document, problems, recipes):
            place = document.where(name)
            if name in where:
                what = f"the key {name} stands here and at {where[name]}"
                problems.append(Problem(what, place, "rename one of the two"))
                continue
            where[name] = place
            if entry is None:
                continue
            keys[name], files[name] = entry, document
            faults = invariants.faults(entry, nodes.get(entry.runner))
            problems += (fault.problem(document, (name,)) for fault in faults)
            if found and entry.runner not in found.labels:
                labels.append(_unknown_label(document, name, entry.runner, found.labels))
    # The form of August lets them pass: eight of its own entries have such labels.
    strict = not isinstance(found, HardwareRunners)
    if found is None or problems or (strict and labels):
        raise InputError(*problems, *(labels if strict else ()))
    read = [warning for document in (*masters, runners) for warning in document.warnings]
    return Catalog(keys, where, found, (*read, *labels), files)


def _entries(
    document: Document, problems: list[Problem], recipes: "Recipes | None"
) -> Iterator[tuple[str, ConfigKey | None]]:
    """Yield the entries of one file; None for an entry whose fields are wrong."""
    value = document.value
    if not isinstance(value, dict):
        what = "a master configuration maps keys to entries"
        problems.append(Problem(what, document.where(), "begin each entry with its key"))
        return
    adapter = TypeAdapter(ConfigKey)
    for name, entry in value.items():
        if "*" in name or "?" in name:
            what = f"the key {name} has a character of patterns"
            problems.append(Problem(what, document.where(name), "rename it"))
        try:
            found = checked(document, entry, adapter, (name,))
            yield name, _completed(found, document, name, recipes)
        except InputError as error:
            problems += error.problems
            yield name, None


def _completed(
    entry: ConfigKey, document: Document, name: str, recipes: "Recipes | None"
) -> ConfigKey:
    if recipes is None or not any(row.leaves_topology for _, row in invariants.rows(entry)):
        return entry
    # Imported here: catalogs that state every topology open no recipe.
    from infx.matrix.completion import complete

    return complete(entry, document, name, recipes)


def _unknown_label(
    document: Document, name: str, label: str, known: Mapping[str, object]
) -> Problem:
    what = f"{name}.runner: no runner has the label {label}"
    whole = CLUSTER + label
    advice = f"did you mean {whole}?" if whole in known else nearest(label, known)
    return Problem(what, document.where(name, "runner"), advice)
