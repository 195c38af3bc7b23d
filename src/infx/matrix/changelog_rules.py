"""What new entries of the changelog must say: links, keys, modes, and exactly what changed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from infx.errors import Problem, nearest
from infx.matrix.affected import KeyChange, Side
from infx.matrix.append_only import appends
from infx.matrix.changelog import Delta, Links
from infx.model.catalog import ConfigKey
from infx.model.changelog import Entry, Scenario
from infx.model.document import Document

SELECTORS = ("all-evals", "evals-only", "eval-min-prefill-ep")
"""What chooses evals: of no use beside no-evals and append-only, which run none."""

_EVAL_LABELS = ("all-evals", "evals-only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The catalog before and after: names of all keys, points and entries of those that differ."""

    base_names: Sequence[str]
    head_names: Sequence[str]
    base: Side
    head: Side
    base_keys: Mapping[str, ConfigKey] = field(default_factory=dict)
    head_keys: Mapping[str, ConfigKey] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Additions:
    """The entries that a change adds, with the lines they stand on."""

    document: Document
    entries: tuple[Entry, ...]

    def where(self, index: int, *path: str | int) -> str:
        """Name a part of an entry as `file:line`."""
        return self.document.where(index, *path)


def violations(
    delta: Delta,
    additions: Additions | None,
    changes: Sequence[KeyChange],
    sides: Sides,
    *,
    links: Links = Links(),  # noqa: B008 - a frozen value
    labels: Sequence[str] = (),
) -> Iterator[Problem]:
    """Yield everything that is wrong with what a change adds, whose bytes were judged before."""
    if additions is not None:
        yield from _count(delta, additions)
        for index, entry in enumerate(additions.entries):
            link = links.problem(entry.pr_link, additions.where(index, "pr-link"))
            yield from [link] if link else []
            yield from _keys(additions, index, entry, sides.head_names)
            yield from _selectors(additions, index, entry)
        yield from _modes(additions, labels)
    yield from _coverage(delta, additions, changes, sides)
    if additions is not None:
        for index, entry in enumerate(additions.entries):
            if entry.append_only:
                keys = selected(entry, sides.head_names)
                where = additions.where(index, "append-only")
                yield from appends(entry, keys, changes, sides, where)


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


def _count(delta: Delta, additions: Additions) -> Iterator[Problem]:
    starts = sum(line.startswith(b"- config-keys:") for line in delta.tail.split(b"\n"))
    if starts != len(additions.entries):
        what = f"{starts} lines begin with - config-keys:, but there are {len(additions.entries)}"
        where = f"{delta.file}:{delta.line}"
        yield Problem(f"{what} entries", where, "begin each entry with - config-keys: at its dash")


def _keys(
    additions: Additions, index: int, entry: Entry, names: Sequence[str]
) -> Iterator[Problem]:
    for number, pattern in enumerate(entry.config_keys):
        if matching(pattern, names):
            continue
        where = additions.where(index, "config-keys", number)
        if "*" in pattern:
            what = f"{pattern} matches no config key"
            yield Problem(what, where, "list the config keys by name")
        else:
            yield Problem(f"{pattern} is no config key", where, _nearest(pattern, names))


def _selectors(additions: Additions, index: int, entry: Entry) -> Iterator[Problem]:
    chosen = [name for name in SELECTORS if getattr(entry, name.replace("-", "_"))]
    for mode in ("no-evals", "append-only"):
        if chosen and getattr(entry, mode.replace("-", "_")):
            where = additions.where(index, chosen[0])
            line = additions.document.at((index, mode)).line
            what = f"{chosen[0]} selects evals, and {mode} on line {line} runs none"
            yield Problem(what, where, "keep one of the two")


def _modes(additions: Additions, labels: Sequence[str]) -> Iterator[Problem]:
    """Entries that run together must agree: an append-only sweep runs nothing else."""
    entries = additions.entries
    appending = [index for index, entry in enumerate(entries) if entry.append_only]
    if appending and len(appending) < len(entries):
        other = next(index for index, entry in enumerate(entries) if not entry.append_only)
        line = additions.document.at((appending[0],)).line
        what = f"this entry measures whole curves, and the one on line {line} is append-only"
        yield Problem(what, additions.where(other), "make two changes of them")
    for index, entry in enumerate(entries):
        for mode in ("no-evals", "append-only"):
            if not getattr(entry, mode.replace("-", "_")):
                continue
            for label in _EVAL_LABELS:
                if label in labels:
                    what = f"the label {label} asks for evals, and {mode} runs none"
                    yield Problem(what, additions.where(index, mode), f"remove the label {label}")


def _coverage(
    delta: Delta, additions: Additions | None, changes: Sequence[KeyChange], sides: Sides
) -> Iterator[Problem]:
    """The entries name every key that changed and still exists, and no other one."""
    entries = additions.entries if additions else ()
    missing = uncovered(entries, changes, sides.head_names)
    last = len(entries) - 1
    where = f"{delta.file}:{delta.line}" if last < 0 else additions.where(last) if additions else ""
    named = {key for entry in entries for key in selected(entry, sides.head_names)}
    for change in missing:
        if change.key in named:
            scenarios = ", ".join(sorted(change.scenarios))
            what = f"{change.key} changed in {scenarios}, which scenario-type leaves out"
            yield Problem(what, where, "add the scenario, or leave scenario-type out")
        else:
            remedy = "add it to config-keys" if entries else "infx changelog add writes the entry"
            yield Problem(f"{change.key} changed, and no new entry names it", where, remedy)
    if additions is not None:
        for index, entry in enumerate(entries):
            yield from _superfluous(additions, index, entry, (changes, missing, sides.head_names))


def _superfluous(
    additions: Additions,
    index: int,
    entry: Entry,
    facts: tuple[Sequence[KeyChange], Sequence[KeyChange], Sequence[str]],
) -> Iterator[Problem]:
    changes, missing, names = facts
    asked = set(entry.scenarios)
    changed = {change.key for change in changes if not change.scenarios.isdisjoint(asked)}
    wanted = [change.key for change in missing]
    for number, pattern in enumerate(entry.config_keys):
        idle = [key for key in matching(pattern, names) if key not in changed]
        if not idle:
            continue
        where = additions.where(index, "config-keys", number)
        which = idle[0] if pattern == idle[0] else f"{', '.join(idle)} (by {pattern})"
        close = nearest(idle[0], wanted) if wanted else ""
        remedy = close if close.startswith("did") else "remove it: nothing of it would run anew"
        yield Problem(f"{which} did not change", where, remedy)


def _nearest(name: str, names: Sequence[str]) -> str:
    advice = nearest(name, names) if names else ""
    return advice if advice.startswith("did") else "infx matrix changed lists what changed"
