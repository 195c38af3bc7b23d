"""Signed reviews: who signed what, read from a comment by a grammar and by nothing else."""

import re
from dataclasses import dataclass
from typing import Literal

from infx.model.comment import Comment
from infx.policy.lines import Bullet, Line, bullets, said

TRIGGER = "As a PR reviewer and CODEOWNER"
"""The words that make a comment a signed review; they are never translated."""

_DETAILS = re.compile(r"\W*additional detail section\W*", re.IGNORECASE)
_SIGNED = re.compile(r"[*_\s]*signed[*_]*:[*_\s]*`?@?([A-Za-z0-9_-]{1,80})`?[*_\s]*", re.IGNORECASE)
_HEADER = re.compile(r"[#\s]*(✅|❌|⚠️?)+\ufe0f?\s*\**(Verdict:\s*(PASS|WARN)|REJECTED)\b.*")
_ASSESSED = re.compile(r"\s*Assessed commit:\s*`?[0-9a-f]{40}`?\.?\s*")

Excuse = Literal["no-trigger", "bot", "verdict", "not-submitted"]
"""Why a comment is no signed review.

`no-trigger`: nobody says the words in it. `bot`: no person wrote it. `verdict`: it is a verdict of
a verifier. `not-submitted`: a review that is pending or was dismissed.
"""


@dataclass(frozen=True, slots=True)
class Item:
    """One statement of the checklist part. `parent` is the place of its parent among the items."""

    bullet: Bullet
    checked: bool
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class SignOff:
    """What a signed review says. `signatures` are the logins of its `Signed:` lines."""

    items: tuple[Item, ...]
    details: tuple[Bullet, ...]
    signatures: tuple[str, ...]
    has_details: bool = False

    def is_signed_by(self, login: str) -> bool:
        """Return whether it is signed, by this login and no other."""
        return login.isascii() and {one.casefold() for one in self.signatures} == {login.casefold()}


def excuse(comment: Comment, *, markers: tuple[str, ...] = ()) -> Excuse | None:
    """Return why a comment is no signed review, None for one that is.

    `markers` are the hidden lines by which verifiers know their own comments. A verdict that quotes
    the trigger has been taken for a signed review once, so its layout is recognised as well.
    """
    if comment.author_type != "user" or comment.author.endswith("[bot]"):
        return "bot"
    if any(marker in comment.body for marker in markers) or _is_verdict(comment.body):
        return "verdict"
    if comment.form == "review" and (comment.state or "").upper() in ("PENDING", "DISMISSED"):
        return "not-submitted"
    return None if _trigger(list(said(comment.body))) is not None else "no-trigger"


def parse(body: str) -> SignOff | None:
    """Return what a comment signs, None when the trigger is not in it.

    Statements stand between the trigger and the detail section. Their boxes are `[x]`, `[X]`,
    `[ x]` or `[x ]`. Where no statement at all has a box, as in text that lost its markup, each is
    taken as made; one without a box among others that have one is not.
    """
    lines = list(said(body))
    start = _trigger(lines)
    if start is None:
        return None
    after = lines[start + 1 :]
    signatures = tuple(match[1] for line in after if (match := _SIGNED.fullmatch(line.text)))
    after = [line for line in after if not _SIGNED.fullmatch(line.text)]
    at = next((at for at, line in enumerate(after) if _DETAILS.fullmatch(line.text)), None)
    stated = bullets(after if at is None else after[:at])
    return SignOff(
        items=_items(stated),
        details=() if at is None else bullets(after[at + 1 :]),
        signatures=signatures,
        has_details=at is not None,
    )


def _trigger(lines: list[Line]) -> int | None:
    return next((at for at, line in enumerate(lines) if TRIGGER in line.text), None)


def _is_verdict(body: str) -> bool:
    lines = list(said(body))
    headed = any(_HEADER.fullmatch(line.text) for line in lines)
    return headed or (bool(lines) and any(_ASSESSED.fullmatch(line.text) for line in lines[-3:]))


def _items(stated: tuple[Bullet, ...]) -> tuple[Item, ...]:
    boxed = any(bullet.box != "none" for bullet in stated)
    open_items: list[int] = []
    found: list[Item] = []
    for at, bullet in enumerate(stated):
        del open_items[bullet.depth :]
        checked = bullet.box == "checked" if boxed else True
        found.append(Item(bullet, checked, open_items[-1] if open_items else None))
        open_items.append(at)
    return tuple(found)
