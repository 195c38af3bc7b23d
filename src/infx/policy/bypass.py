"""An administrator's word that a curve may stand although it is thinner than the rule asks.

It is a comment of its own: it names the commit, the curve, that it is a bypass, and why.
"""

import re
from collections.abc import Iterable, Sequence

from infx.model.comment import Comment
from infx.policy.checklist import words
from infx.policy.lines import said

LEAST_SHA = 8
"""Characters of a commit's id that name it."""

LEAST_REASON = 3
"""Words beside the commit, the curve and the marking word that are a reason."""

_MARKS = frozenset({"bypass", "exception"})
_COMMIT = re.compile(rf"[0-9a-f]{{{LEAST_SHA},40}}")


def bypass(comments: Iterable[Comment], *, commit: str, curve: str) -> Comment | None:
    """Return the newest comment that lets a curve stand at a commit, None where nobody did.

    Only people who have both the permission and the role of an administrator can. What a comment
    quotes, fences or hides is not its word.
    """
    found = [one for one in comments if _is_admin(one) and _allows(one.body, commit, curve)]
    return max(found, key=lambda one: one.created, default=None)


def _is_admin(comment: Comment) -> bool:
    is_person = comment.author_type == "user" and not comment.author.endswith("[bot]")
    return is_person and comment.permission == comment.role == "admin"


def _allows(body: str, commit: str, curve: str) -> bool:
    said_words = words("\n".join(line.text for line in said(body)))
    rest, named = _without(said_words, words(curve))
    commits = [word for word in rest if _COMMIT.fullmatch(word)]
    marks = [word for word in rest if word in _MARKS]
    is_same = any(commit.startswith(word) for word in commits)
    reason = len(rest) - len(commits) - len(marks)
    return named and is_same and bool(marks) and reason >= LEAST_REASON


def _without(text: Sequence[str], name: Sequence[str]) -> tuple[list[str], bool]:
    """Return words without the first place where a name stands among them, and if it does."""
    for at in range(len(text) - len(name) + 1):
        if name and text[at : at + len(name)] == name:
            return [*text[:at], *text[at + len(name) :]], True
    return list(text), False
