"""An administrator's word that a curve may stand although it is thinner than the rule asks.

It is a comment with a line `Bypass for CURVE at COMMIT: why`; `Exception` says the same. The reason
may go on below that line.
"""

import re
from collections.abc import Iterable, Sequence

from infx.model.comment import Comment
from infx.policy.checklist import words
from infx.policy.lines import said

LEAST_SHA = 8
"""Characters of a commit's id that name it."""

LEAST_REASON = 3
"""Words beside the curve and the commit that are a reason."""

_OPENS = (["bypass", "for"], ["exception", "for"])
_COMMIT = re.compile(rf"[0-9a-f]{{{LEAST_SHA},40}}")


def bypass(comments: Iterable[Comment], *, commit: str, curve: str) -> Comment | None:
    """Return the newest comment that lets a curve stand at a commit, None where nobody did.

    Only people who have both the permission and the role of an administrator can. What a comment
    quotes, fences or hides is not its word.
    """
    found = [one for one in comments if _is_admin(one) and _allows(one.body, commit, words(curve))]
    return max(found, key=lambda one: one.created, default=None)


def _is_admin(comment: Comment) -> bool:
    is_person = comment.author_type == "user" and not comment.author.endswith("[bot]")
    return is_person and comment.permission == comment.role == "admin"


def _allows(body: str, commit: str, curve: Sequence[str]) -> bool:
    lines = [words(line.text) for line in said(body)]
    for at, line in enumerate(lines):
        named = line[2 : 2 + len(curve)]
        if line[:2] not in _OPENS or not curve or named != curve:
            continue
        rest = [*line[2 + len(curve) :], *(word for below in lines[at + 1 :] for word in below)]
        commits = [word for word in rest if _COMMIT.fullmatch(word)]
        is_same = any(commit.startswith(word) for word in commits)
        if is_same and len(rest) - len(commits) >= LEAST_REASON + 1:  # the word `at` is no reason
            return True
    return False
