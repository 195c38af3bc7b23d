"""Commands that people write into comments: whole lines of a fixed grammar, and numbers only.

A run id is ASCII digits, at most nineteen of them: what a signed 64-bit number holds.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from infx.model.comment import Comment
from infx.policy.lines import said

TRUSTED = ("OWNER", "MEMBER", "COLLABORATOR")
"""The associations whose word binds: the forge's own names."""

_ID = "(?P<id>[1-9][0-9]{0,18})"
_REUSE = re.compile(
    rf"[ \t]*(?:/use[ \t]+{_ID}|/reuse-sweep-run(?:[ \t]+(?P<legacy>[1-9][0-9]{{0,18}}))?)[ \t]*"
)
_STAGE = re.compile(rf"/stage-results(?:[ \t]+{_ID})?")


@dataclass(frozen=True, slots=True)
class Reuse:
    """An order to take the results of a run; `run` is null for the newest one that succeeded."""

    run: int | None
    line: int


@dataclass(frozen=True, slots=True)
class Stage:
    """An order to stage the results of a run; `run` is null for the newest one that succeeded."""

    run: int | None


def reuse(body: str) -> Reuse | None:
    """Return the last `/use ID` or `/reuse-sweep-run [ID]` of a comment that fills its line.

    A bare `/use` is none; neither is one in a quotation, in code or in a hidden part.
    """
    found = None
    for line in said(body):
        if match := _REUSE.fullmatch(line.text):
            digits = match["id"] or match["legacy"]
            found = Reuse(int(digits) if digits else None, line.number)
    return found


def stage(body: str) -> Stage | None:
    """Return the `/stage-results [ID]` of a comment that has nothing else in it but space."""
    match = _STAGE.fullmatch(body.strip()) if len(body) < 1000 else None
    if match is None:
        return None
    return Stage(int(match["id"]) if match["id"] else None)


def is_trusted(comment: Comment) -> bool:
    """Return whether the author of a comment is a person whose word binds."""
    is_person = comment.author_type == "user" and not comment.author.endswith("[bot]")
    return is_person and comment.association in TRUSTED


def newest_reuse(comments: Iterable[Comment]) -> tuple[Comment, Reuse] | None:
    """Return the order that holds: of the trusted comments with one, that of the newest.

    A comment is as new as its creation: an edit changes what it says, not its turn.
    """
    orders = [
        (comment, order)
        for comment in comments
        if is_trusted(comment) and (order := reuse(comment.body)) is not None
    ]
    return max(orders, key=lambda pair: pair[0].created, default=None)
