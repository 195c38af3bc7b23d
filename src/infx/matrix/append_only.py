"""The rules of an append-only entry: curves gain points, and nothing else changes.

Only what is new is measured then, and joins curves that were measured before. So everything that
those curves rest on has to be as it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from infx.errors import Problem
from infx.matrix.affected import KeyChange, Planned, Shape, Sides
from infx.model.changelog import Entry, Scenario

if TYPE_CHECKING:
    from infx.model.catalog import ConfigKey


def appends(
    entry: Entry,
    keys: Sequence[str],
    changes: Sequence[KeyChange],
    sides: Sides,
    *,
    where: str,
) -> Iterator[Problem]:
    """Yield what an append-only entry for `keys` may not do; its place is `where`."""
    by_key = {change.key: change for change in changes}
    for key in keys:
        if key not in sides.base_names:
            what = f"append-only: {key} is new, it has no curve to append to"
            yield Problem(what, where, "leave append-only out")
            continue
        was, now = sides.base_keys.get(key), sides.head_keys.get(key)
        if was is not None and now is not None:
            yield from _fields(key, entry, was=was, now=now, where=where)
        yield from _points(key, by_key.get(key), sides, where)
    for name in dict.fromkeys((*sides.base_keys, *sides.head_keys)):
        if name not in keys and sides.base_keys.get(name) != sides.head_keys.get(name):
            what = f"append-only: {name} is edited too"
            yield Problem(what, where, "make two changes of it, or leave append-only out")


def _fields(
    key: str, entry: Entry, *, was: "ConfigKey", now: "ConfigKey", where: str
) -> Iterator[Problem]:
    before, after = scenarios(was), scenarios(now)
    if before != after:
        what = f"append-only: the scenarios of {key} change from {_list(before)} to {_list(after)}"
        yield Problem(what, where, "leave append-only out")
    if set(after) <= set(entry.scenarios):
        return
    for name in type(now).model_fields:
        if name != "scenarios" and getattr(was, name) != getattr(now, name):
            what = f"append-only: {name.replace('_', '-')} of {key} changes for scenarios left out"
            yield Problem(what, where, "select all scenarios, or leave append-only out")


def scenarios(key: "ConfigKey") -> tuple[Scenario, ...]:
    """Return the scenarios that a config key has."""
    found: list[Scenario] = ["fixed-seq-len"] if key.scenarios.fixed_seq_len else []
    return (*found, "agentic-coding") if key.scenarios.agentic_coding else tuple(found)


def _points(key: str, change: KeyChange | None, sides: Sides, where: str) -> Iterator[Problem]:
    if change is None or not change.added:
        yield Problem(f"append-only: {key} gains no point", where, "leave append-only out")
        return
    for point in change.removed:
        what = f"append-only: {key} loses {_name(point)}"
        yield Problem(what, where, "keep every point that was there, or leave append-only out")
    before, after = images(sides.base.get(key, ())), images(sides.head.get(key, ()))
    for point in change.added:
        was, now = before.get(point.series), after[point.series]
        if was is None:
            what = f"append-only: {_name(point)} of {key} belongs to no curve that was there"
            yield Problem(what, where, "leave append-only out")
        elif was != now or len(was) != 1 or None in was:
            shown = ", ".join(sorted(map(str, was | now)))
            what = f"append-only: the curve of {_name(point)} of {key} has several images: {shown}"
            yield Problem(what, where, "a curve has one image; leave append-only out")


def images(points: Sequence[Planned]) -> Mapping[Shape, frozenset[str | None]]:
    """Return the images that the points of each curve run."""
    found: dict[Shape, set[str | None]] = {}
    for point in points:
        found.setdefault(point.series, set()).add(point.image)
    return {series: frozenset(seen) for series, seen in found.items()}


def _name(point: Planned) -> str:
    return f"{point.name} {point.shape} at concurrency {point.concurrency}"


def _list(words: Sequence[str]) -> str:
    return ", ".join(words) or "none"
