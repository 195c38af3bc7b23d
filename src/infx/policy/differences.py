"""Statements on what a change leaves as it was, beside what differs from the base."""

from pydantic import JsonValue

from infx.model.config_facts import SettingChange
from infx.model.submission import Submission
from infx.policy.scope import affected
from infx.policy.statements import Statement
from infx.policy.topics import IMAGE, means

MAX_TOLD = 8
"""Differences that one claim tells."""


def differences(
    stated: Statement, submission: Submission
) -> tuple[tuple[str, ...] | None, bool | None]:
    """Return what differs of what a statement speaks of, and whether it is so.

    `unchanged` is so where nothing of it differs, `only-changed` where nothing else does and
    something of it does. Both are None where nobody compared all launches with the base.
    """
    if stated.subject == "unchanged" and set(stated.values) == {IMAGE}:
        return _images(submission)
    found = changed(submission)
    if found is None:
        return None, None
    mine = [one for one in found if any(means(topic, one.name) for topic in stated.values)]
    if stated.subject == "unchanged":
        return _told(mine) or ("nothing of it changed",), not mine
    others = [one for one in found if one not in mine]
    return _told(others or mine) or ("nothing changed",), bool(mine) and not others


def _images(submission: Submission) -> tuple[tuple[str, ...] | None, bool | None]:
    """Return what became of the images of affected entries: these are known without recipes."""
    entries = affected(submission)
    if submission.configs is None or any(one.image_before is None for one in entries):
        return None, None
    moved = [one for one in entries if one.image_before != one.image]
    told = [f"{one.image_before} became {one.image}" for one in moved]
    return tuple(dict.fromkeys(told)) or (IMAGE,), not moved


def changed(submission: Submission) -> list[SettingChange] | None:
    """Return all differences of affected entries, None where one of them was not compared."""
    keys = {one.key for one in affected(submission)}
    rows = [one for one in submission.changes or () if one.config in keys]
    if submission.changes is None or {one.config for one in rows} != keys:
        return None
    if any(one.changes is None for one in rows):
        return None
    return [change for one in rows for change in one.changes or ()]


def _told(changes: list[SettingChange]) -> tuple[str, ...]:
    texts = dict.fromkeys(_text(one) for one in changes)
    return tuple(list(texts)[:MAX_TOLD])


def _text(one: SettingChange) -> str:
    return f"{one.name} {_shown(one.before)} became {_shown(one.after)}"


def _shown(value: JsonValue) -> str:
    return "unstated" if value is None else str(value)
