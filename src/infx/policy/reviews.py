"""Whose signed review holds, whether it binds, and whether the change needs one at all."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from infx.model.comment import Comment
from infx.model.review_facts import Owners, PullRequest
from infx.model.submission import Submission
from infx.model.verdict import Cite
from infx.policy.commands import TRUSTED
from infx.policy.lines import Line, said
from infx.policy.owners import Codeowners, Rule, changed_paths, parse
from infx.policy.signoff import Excuse, SignOff, excuse
from infx.policy.signoff import parse as parse_signoff
from infx.policy.verdict_markdown import MARKER

MAY_WRITE = ("admin", "write")
"""Permissions that let their holder sign; the forge's own names, as are those of roles."""

ROLES = ("admin", "maintain", "write")
"""Roles that let their holder sign."""


@dataclass(frozen=True, slots=True)
class Review:
    """A comment that is a signed review, what it says, and why it does not bind."""

    comment: Comment
    signoff: SignOff
    faults: tuple[str, ...]

    def details(self) -> tuple[Line, ...]:
        """Return the lines after the statements: what the reviewer says in their own words."""
        last = max((item.bullet.line for item in self.signoff.items), default=0)
        return tuple(line for line in said(self.comment.body) if line.number > last)


def cite(comment: Comment, *, line: int | None = None, value: str | None = None) -> Cite:
    """Return a place in a comment: a line of its text, at its address."""
    return Cite(path="comment", line=line, value=value, at=comment.url)


def authority(comment: Comment) -> str | None:
    """Return why the author's word does not bind, None when it does.

    What was looked up decides: permission and role, both. Where neither was, the association does,
    though it is COLLABORATOR for people who may only read.
    """
    if comment.permission is None and comment.role is None:
        if comment.association in TRUSTED:
            return None
        return f"@{comment.author} is {comment.association or 'nothing known'} to the repository"
    if comment.permission in MAY_WRITE and comment.role in ROLES:
        return None
    held = f"permission {comment.permission or 'unknown'} and role {comment.role or 'unknown'}"
    return f"@{comment.author} has {held} in the repository"


def reviews(comments: Iterable[Comment]) -> tuple[Review, ...]:
    """Return the signed reviews, newest first."""
    found = []
    for comment in comments:
        signoff = parse_signoff(comment.body) if _excuse(comment) is None else None
        if signoff is not None:
            found.append(Review(comment, signoff, tuple(_faults(comment, signoff))))
    return tuple(sorted(found, key=lambda one: one.comment.created, reverse=True))


def review(submission: Submission) -> Review | None:
    """Return the signed review that holds, None where nobody signed.

    Of several it is the newest that binds and is an owner's: nobody undoes an owner's review by
    signing after them.
    """
    owners = submission.owners
    codeowners = None if owners is None else parse(owners.text, file=owners.path)

    def worth(one: Review) -> tuple[bool, bool]:
        login = one.comment.author
        known = owners is not None and codeowners is not None
        return not one.faults, known and is_owner(login, codeowners, owners)

    return max(reviews(submission.comments or ()), key=worth, default=None)


def excused(comments: Iterable[Comment]) -> Iterator[tuple[Comment, Excuse]]:
    """Yield the comments that have the words of a signed review and are none, with the reason."""
    for comment in comments:
        why = _excuse(comment)
        if why not in (None, "no-trigger") and parse_signoff(comment.body) is not None:
            yield comment, why


def is_owner(login: str, codeowners: Codeowners | None, owners: Owners | None) -> bool:
    """Return whether any line of CODEOWNERS names somebody, or a team of theirs."""
    if codeowners is None or owners is None:
        return False
    mine = set(teams_of(login, owners))
    return codeowners.names(login) or bool(mine & {one.casefold() for one in codeowners.teams()})


def teams_of(login: str, owners: Owners) -> tuple[str, ...]:
    """Return the teams that somebody is known to belong to, in lower case."""
    return tuple(
        team.casefold()
        for team, members in owners.teams.items()
        if members is not None and _is_among(login, members)
    )


def unknown_teams(codeowners: Codeowners, owners: Owners) -> tuple[str, ...]:
    """Return the teams of the file whose members nobody could read."""
    known = {team.casefold() for team, members in owners.teams.items() if members is not None}
    return tuple(team for team in codeowners.teams() if team.casefold() not in known)


def is_exempt(pull: PullRequest, owners: Owners) -> bool:
    """Return whether every owner of the changed paths is an administrator or of the core team.

    What could not be read exempts nobody: a cut list of files, a broken or empty CODEOWNERS, a team
    without known members.
    """
    codeowners = parse(owners.text, file=owners.path)
    paths = paths_of(pull)
    if codeowners.problems or not pull.files_complete or not paths:
        return False
    return not any(_needs_owner(codeowners.rule(path), owners) for path in paths)


def paths_of(pull: PullRequest) -> tuple[str, ...]:
    """Return the paths that a change touches, the old ones of renamed files too."""
    return changed_paths((file.path, file.previous) for file in pull.files)


def _excuse(comment: Comment) -> Excuse | None:
    return excuse(comment, markers=(MARKER,))


def _needs_owner(rule: Rule | None, owners: Owners) -> bool:
    return rule is not None and not all(_is_admin(owner, owners) for owner in rule.owners)


def _is_admin(owner: str, owners: Owners) -> bool:
    if owner.startswith("@") and "/" not in owner:
        return _is_among(owner[1:], owners.admins)
    teams = {team.casefold(): members for team, members in owners.teams.items()}
    members = teams.get(owner.casefold())
    return bool(members) and all(_is_among(one, owners.admins) for one in members or ())


def _is_among(login: str, logins: Sequence[str]) -> bool:
    folded = {one.removeprefix("@").casefold() for one in logins}
    return login.isascii() and login.casefold() in folded


def _faults(comment: Comment, signoff: SignOff) -> Iterator[str]:
    if not signoff.signatures:
        yield "the review has no `Signed:` line"
    elif not signoff.is_signed_by(comment.author):
        signed = ", ".join(f"@{login}" for login in signoff.signatures)
        yield f"the review is signed by {signed} and was written by @{comment.author}"
    if why := authority(comment):
        yield f"{why}, which lets nobody sign"
