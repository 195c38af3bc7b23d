"""What new entries of the changelog must say: links, keys, modes, and exactly what changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from infx.errors import Problem, nearest
from infx.matrix.affected import KeyChange, Sides
from infx.matrix.append_only import appends
from infx.matrix.changelog import BEGIN, Delta, Links
from infx.model.changelog import Entry, Scenario
from infx.model.document import Document

SELECTORS = ("all-evals", "evals-only", "eval-min-prefill-ep")
"""What chooses evals: of no use beside no-evals and append-only, which run none."""

NO_EVALS = ("no-evals", "append-only")
"""Modes that run no evals."""

EVAL_LABELS = ("all-evals", "evals-only")
"""Labels of a pull request that ask for evals."""


@dataclass(frozen=True, slots=True)
class Additions:
    """The entries that a change adds, with the lines they stand on."""

    document: Document
    entries: tuple[Entry, ...]

    def where(self, index: int, *path: str | int) -> str:
        """Name a part of an entry as `file:line`."""
        return self.document.where(index, *path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What the entries are judged by: the bytes that were added, and what really changed.

    `additions` is None where nothing was added; `labels` are those of the pull request.
    """

    delta: Delta
    additions: Additions | None
    changes: Sequence[KeyChange]
    sides: Sides
    links: Links
    labels: Sequence[str] = ()

    @property
    def names(self) -> Sequence[str]:
        """The config keys that an entry may name."""
        return self.sides.head_names

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries that were added."""
        return self.additions.entries if self.additions else ()


def violations(case: Case) -> Iterator[Problem]:
    """Yield everything that is wrong with new entries, whose bytes were judged before."""
    yield from _missing(case)
    if case.additions is None:
        return
    yield from _count(case, case.additions)
    yield from _modes(case, case.additions)
    for index in range(len(case.entries)):
        yield from _entry(case, case.additions, index)


def _entry(case: Case, additions: Additions, index: int) -> Iterator[Problem]:
    entry = additions.entries[index]
    link = case.links.problem(entry.pr_link, additions.where(index, "pr-link"))
    yield from [link] if link else []
    yield from _keys(case, additions, index)
    yield from _selectors(additions, index)
    if entry.append_only:
        where = additions.where(index, "append-only")
        keys = selected(entry, case.names)
        yield from appends(entry, keys, case.changes, case.sides, where=where)


def selected(entry: Entry, names: Sequence[str]) -> tuple[str, ...]:
    """Return the config keys that an entry names; `*` stands for any text."""
    found: dict[str, None] = {}
    for pattern in entry.config_keys:
        found |= dict.fromkeys(matching(pattern, names))
    return tuple(found)


def matching(pattern: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that a pattern stands for."""
    if "*" not in pattern:
        return (pattern,) if pattern in names else ()
    form = re.compile(".*".join(map(re.escape, pattern.split("*"))))
    return tuple(name for name in names if form.fullmatch(name))


def uncovered(
    entries: Sequence[Entry], changes: Sequence[KeyChange], names: Sequence[str]
) -> tuple[KeyChange, ...]:
    """Return the changed keys that can run and that no entry asks for, in all they changed."""
    covered: dict[str, set[Scenario]] = {}
    for entry in entries:
        for key in selected(entry, names):
            covered.setdefault(key, set()).update(entry.scenarios)
    known = set(names)
    return tuple(
        change
        for change in changes
        if change.key in known and not _is_covered(change, covered.get(change.key))
    )


def _is_covered(change: KeyChange, scenarios: set[Scenario] | None) -> bool:
    return scenarios is not None and change.scenarios <= scenarios


def _count(case: Case, additions: Additions) -> Iterator[Problem]:
    starts = sum(line.startswith(BEGIN) for line in case.delta.tail.split(b"\n"))
    if starts != len(additions.entries):
        what = f"{starts} lines begin with - config-keys:, but there are {len(additions.entries)}"
        where = f"{case.delta.file}:{case.delta.line}"
        yield Problem(f"{what} entries", where, "begin each entry with - config-keys: at its dash")


def _keys(case: Case, additions: Additions, index: int) -> Iterator[Problem]:
    """Yield the keys of an entry that nothing has, and those that did not change."""
    entry = additions.entries[index]
    asked = set(entry.scenarios)
    changed = {one.key for one in case.changes if not one.scenarios.isdisjoint(asked)}
    wanted = [one.key for one in uncovered(case.entries, case.changes, case.names)]
    for number, pattern in enumerate(entry.config_keys):
        where = additions.where(index, "config-keys", number)
        found = matching(pattern, case.names)
        idle = [key for key in found if key not in changed and key not in wanted]
        if not found and "*" in pattern:
            what = f"{pattern} matches no config key"
            yield Problem(what, where, "list the config keys by name")
        elif not found:
            advice = _meant(pattern, case.names) or "infx matrix changed lists what changed"
            yield Problem(f"{pattern} is no config key", where, advice)
        elif idle:
            which = pattern if pattern == idle[0] else f"{', '.join(idle)} (by {pattern})"
            remedy = _meant(idle[0], wanted) or "remove it: nothing of it would run anew"
            scope = f" in {', '.join(entry.scenario_type)}" if entry.scenario_type else ""
            yield Problem(f"{which} did not change{scope}", where, remedy)


def _selectors(additions: Additions, index: int) -> Iterator[Problem]:
    entry = additions.entries[index]
    chosen = [name for name in SELECTORS if getattr(entry, name.replace("-", "_"))]
    for mode in NO_EVALS:
        if chosen and getattr(entry, mode.replace("-", "_")):
            where = additions.where(index, chosen[0])
            line = additions.document.at((index, mode)).line
            what = f"{chosen[0]} selects evals, and {mode} on line {line} runs none"
            yield Problem(what, where, "keep one of the two")


def _modes(case: Case, additions: Additions) -> Iterator[Problem]:
    """Entries that run together must agree: an append-only sweep runs nothing else."""
    entries = additions.entries
    appending = [index for index, entry in enumerate(entries) if entry.append_only]
    if appending and len(appending) < len(entries):
        other = next(index for index, entry in enumerate(entries) if not entry.append_only)
        line = additions.document.at((appending[0],)).line
        what = f"this entry measures whole curves, and the one on line {line} is append-only"
        yield Problem(what, additions.where(other), "make two changes of them")
    for index, entry in enumerate(entries):
        for mode in NO_EVALS:
            for label in EVAL_LABELS if getattr(entry, mode.replace("-", "_")) else ():
                if label in case.labels:
                    what = f"the label {label} asks for evals, and {mode} runs none"
                    yield Problem(what, additions.where(index, mode), f"remove the label {label}")


def _missing(case: Case) -> Iterator[Problem]:
    """Yield every key that changed, still exists, and is named by no entry in all it changed."""
    entries, additions = case.entries, case.additions
    where = f"{case.delta.file}:{case.delta.line}"
    if additions is not None and entries:
        where = additions.where(len(entries) - 1)
    named = {key for entry in entries for key in selected(entry, case.names)}
    for change in uncovered(entries, case.changes, case.names):
        if change.key in named:
            scenarios = ", ".join(sorted(change.scenarios))
            what = f"{change.key} changed in {scenarios}, which scenario-type leaves out"
            yield Problem(what, where, "add the scenario, or leave scenario-type out")
        else:
            remedy = "add it to config-keys" if entries else "infx changelog add writes the entry"
            yield Problem(f"{change.key} changed, and no new entry names it", where, remedy)


def _meant(name: str, names: Sequence[str]) -> str | None:
    """Return the nearest of some names as advice, None where none is near."""
    advice = nearest(name, names) if names else ""
    return advice if advice.startswith("did") else None
