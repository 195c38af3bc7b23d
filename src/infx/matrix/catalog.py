"""Files of a catalog to what may be run: all problems of all files at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from infx.errors import InputError, Problem, nearest
from infx.matrix import invariants, inventory
from infx.model.catalog import CLUSTER, ConfigKey, Hardware, HardwareRunners, Runners
from infx.model.document import Document
from infx.model.validation import checked


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every config key in the order of the files, and the machines that may run them.

    `where` is each key's `file:line`. `warnings` are what the reader should see although the
    catalog can be used.
    """

    keys: Mapping[str, ConfigKey]
    where: Mapping[str, str]
    runners: Runners
    warnings: tuple[Problem, ...] = ()


def catalog(masters: Sequence[Document], runners: Document) -> Catalog:
    """Return what the master configurations and the runner file say together.

    Raises InputError with every problem of every file: wrong fields, rules over several fields,
    keys that stand in two files, and labels that nobody declares.
    """
    problems: list[Problem] = []
    warnings = [warning for document in (*masters, runners) for warning in document.warnings]
    found: Runners | None = None
    try:
        found = inventory.runners(runners)
    except InputError as error:
        problems += error.problems
    keys: dict[str, ConfigKey] = {}
    where: dict[str, str] = {}
    adapter = TypeAdapter(ConfigKey)
    for document in masters:
        for name, entry in _entries(document, adapter, problems):
            place = document.where(name)
            if name in where:
                what = f"the key {name} stands here and at {where[name]}"
                problems.append(Problem(what, place, "rename one of the two"))
                continue
            where[name] = place
            if entry is not None:
                keys[name] = entry
                problems += _judged(document, name, entry, found)
                warnings += _undeclared(document, name, entry, found)
    if problems or found is None:
        raise InputError(*problems)
    return Catalog(keys, where, found, tuple(warnings))


def _entries(
    document: Document, adapter: TypeAdapter[ConfigKey], problems: list[Problem]
) -> Iterator[tuple[str, ConfigKey | None]]:
    """Yield the entries of one file; None for an entry whose fields are wrong."""
    value = document.value
    if not isinstance(value, dict):
        what = "a master configuration maps keys to entries"
        problems.append(Problem(what, document.where(), "begin each entry with its key"))
        return
    for name, entry in value.items():
        if "*" in name or "?" in name:
            what = f"the key {name} has a character of patterns"
            problems.append(Problem(what, document.where(name), "rename it"))
        try:
            yield name, checked(document, entry, adapter, (name,))
        except InputError as error:
            problems += error.problems
            yield name, None


def _judged(
    document: Document, name: str, entry: ConfigKey, runners: Runners | None
) -> Iterator[Problem]:
    node = None if runners is None else _node(entry.runner, runners)
    for fault in invariants.faults(entry, node):
        yield fault.problem(document, (name,))
    if runners is not None and not isinstance(runners, HardwareRunners):
        yield from _unknown_label(document, name, entry, runners)


def _undeclared(
    document: Document, name: str, entry: ConfigKey, runners: Runners | None
) -> Iterator[Problem]:
    """Yield labels that the form of August lets pass: six of its own entries leave out a prefix."""
    if isinstance(runners, HardwareRunners):
        yield from _unknown_label(document, name, entry, runners)


def _unknown_label(
    document: Document, name: str, entry: ConfigKey, runners: Runners
) -> Iterator[Problem]:
    if entry.runner not in runners.labels:
        what = f"{name}.runner: no runner has the label {entry.runner}"
        advice = nearest(entry.runner, runners.labels)
        yield Problem(what, document.where(name, "runner"), advice)


def _node(label: str, runners: Runners) -> Hardware | None:
    """Return the facts of a label's nodes; an old label may be a cluster's without its prefix."""
    return runners.node(label) or runners.node(CLUSTER + label)
