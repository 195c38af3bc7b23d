"""Entries that a change reaches by a script alone: their rows and recipes are as they were.

No matrix tells them, as a row does not say what its scripts do. What their containers are changed
by, and what their points rest on, is gathered all the same.
"""

from dataclasses import replace

from infx.flows.changed import Comparison
from infx.flows.evidence.closures import moved
from infx.flows.evidence.points import Trio
from infx.flows.evidence.scripts import Scripts
from infx.flows.evidence.states import Reader, State
from infx.matrix.affected import KeyChange
from infx.model.registry import HardwareRegistry
from infx.model.setting_registry import PackageRegistry


def reached(
    comparison: Comparison, packages: PackageRegistry, hardware: HardwareRegistry
) -> tuple[Trio, Scripts, Scripts] | None:
    """Return the sides of the entries that rest on a changed script, None where there are none.

    Entries that the change affects itself are not among them. An entry that cannot be read is left
    out: whoever changes it is told.
    """
    both = comparison.snapshots
    scripts = frozenset(moved(both.base, both.head))
    if not scripts:
        return None
    known = {change.key for change in comparison.changes}
    names = {*comparison.sides.base_names, *comparison.sides.head_names} - known
    reader = Reader(comparison, only=tuple(sorted(names)))
    head = Scripts(reader.at(both.span.head, both.head), packages, hardware)
    base = Scripts(reader.at(both.span.base, both.base), packages, hardware)
    keys = {
        point.key
        for side in (head, base)
        for point in side.state.points
        if not scripts.isdisjoint(side.closure(point).files)
    }
    if not keys:
        return None
    ends = (_only(head.state, keys), _only(base.state, keys))
    changes = tuple(_change(key, *ends) for key in sorted(keys))
    trio = Trio(
        comparison=replace(comparison, changes=changes), head=ends[0], base=ends[1], measured=None
    )
    return trio, replace(head, state=ends[0]), replace(base, state=ends[1])


def _only(state: State, keys: set[str]) -> State:
    return replace(state, points=tuple(one for one in state.points if one.key in keys))


def _change(key: str, head: State, base: State) -> KeyChange:
    return KeyChange(key, len(base.of(key)), len(head.of(key)), (), ())
