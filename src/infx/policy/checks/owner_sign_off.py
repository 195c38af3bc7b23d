"""Whoever signed the review owns every path that the change touches.

What
    Reads CODEOWNERS at the tip of the target branch and the signed review that holds. The last
    pattern that matches a path decides, and owners do not add up. A path that only a catch-all
    matches is anybody's who owns something. Of a renamed file both paths count.

Why
    A signature of somebody who does not look after the changed files is no review of them.

Fails
    Nobody signed, or only a bot, a verdict or a dismissed review has the words. The signer is not
    who wrote the comment, may not write to the repository, or is no owner of a changed path. The
    list of files is cut, or CODEOWNERS has an error: then nothing is exempt and nothing passes.
    Members of a team are not known, and no line that decides on a changed path names the signer.

Passes
    Every changed path has the signer among the owners that its line names. Where all these owners
    are administrators or members of the core team, the check does not apply.

Fix
    Ask one owner of all the changed paths to sign the newest checklist, or to correct the signed
    comment by editing it.

Evidence
    The pull request with its files (`pull`), its comments with what their authors may do
    (`comments`), and CODEOWNERS with its teams and the administrators (`owners`).
"""

from collections.abc import Iterator
from typing import cast

from infx.model.review_facts import Owners, PullRequest
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding
from infx.policy.context import Context
from infx.policy.owners import Codeowners, Ownership, ownership, parse
from infx.policy.reviews import (
    Review,
    cite,
    excused,
    is_exempt,
    paths_of,
    review,
    teams_of,
    unknown_teams,
)

NEEDS = ("pull", "comments", "owners")

_SHOWN = 5
"""Paths that a message names; the others are counted."""

_EXCUSES = {
    "bot": "no person wrote it",
    "verdict": "it is a verdict",
    "not-submitted": "the review is pending or was dismissed",
}


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield whether the signer owns what changed."""
    pull, owners = cast("PullRequest", submission.pull), cast("Owners", submission.owners)
    codeowners = parse(owners.text, file=owners.path)
    unreadable = tuple(_unreadable(pull, owners, codeowners))
    if unreadable:
        yield from unreadable
    elif is_exempt(pull, owners):
        what = "every owner of the changed paths is an administrator or of the core team"
        yield Finding(status="N/A", message=what)
    elif (found := review(submission)) is None:
        yield _unsigned(submission)
    else:
        faults = [*_unbound(found), *_unowned(found, pull, owners, codeowners)]
        yield from faults or [_owned(found, pull, owners, codeowners)]


def _unreadable(pull: PullRequest, owners: Owners, codeowners: Codeowners) -> Iterator[Finding]:
    where = f"pull request {pull.number}"
    if not pull.files_complete or not pull.files:
        listed = f"only {len(pull.files)}" if pull.files else "none"
        yield Finding(
            status="FAIL",
            message=f"could not be verified: of the changed files {listed} are listed",
            cites=(Cite(path=where, value=f"{len(pull.files)} files", at=pull.head),),
            remedy="gather the files from the repository itself, or split the change",
        )
    for problem in codeowners.problems:
        file, _, line = (problem.where or owners.path).rpartition(":")
        place = (file, int(line)) if line.isdigit() and file else (owners.path, None)
        yield Finding(
            status="FAIL",
            message=f"could not be verified: {owners.path} cannot be read: {problem.what}",
            cites=(Cite(path=place[0], line=place[1], at=owners.at),),
            remedy=f"correct {owners.path} on the target branch",
        )


def _unsigned(submission: Submission) -> Finding:
    close = list(excused(submission.comments or ()))
    why = "".join(
        f"; @{comment.author}'s comment does not count: {_EXCUSES[reason]}"
        for comment, reason in close
    )
    return Finding(
        status="FAIL",
        message=f"nobody signed the checklist{why}",
        cites=tuple(cite(comment, value=comment.author_type) for comment, _ in close),
        remedy="ask an owner of the changed paths to sign the newest checklist",
    )


def _unbound(found: Review) -> Iterator[Finding]:
    for fault in found.faults:
        yield Finding(
            status="FAIL",
            message=fault,
            cites=(cite(found.comment, value=found.comment.author),),
            remedy="an owner who may write to the repository signs with their own login",
        )


def _standings(
    found: Review, pull: PullRequest, owners: Owners, codeowners: Codeowners
) -> list[Ownership]:
    login = found.comment.author
    mine = teams_of(login, owners)
    unknown = unknown_teams(codeowners, owners)
    return [
        ownership(codeowners, path, login, teams=mine, unknown_teams=unknown)
        for path in paths_of(pull)
    ]


def _unowned(
    found: Review, pull: PullRequest, owners: Owners, codeowners: Codeowners
) -> Iterator[Finding]:
    """Yield one finding for each line of CODEOWNERS that decides against the signer."""
    standings = _standings(found, pull, owners, codeowners)
    is_named = any(one.standing in ("named", "through-team") for one in standings)
    bad = ("not-owner",) if is_named else ("not-owner", "team-unknown")
    groups: dict[tuple[int, str], list[Ownership]] = {}
    for one in standings:
        if one.standing in bad:
            line = one.rule.line if one.rule is not None else 0
            groups.setdefault((line, one.standing), []).append(one)
    for members in groups.values():
        yield _not_owner(found.comment.author, members, owners)


def _not_owner(login: str, members: list[Ownership], owners: Owners) -> Finding:
    rule = members[0].rule
    named = "anybody who owns something" if rule is None else " ".join(rule.owners)
    paths = _shown([one.path for one in members])
    if members[0].standing == "team-unknown":
        what = f"could not be verified: nobody could read whether @{login} is in {named} for"
    else:
        what = f"@{login} is no owner of"
    line = None if rule is None else rule.line
    return Finding(
        status="FAIL",
        message=f"{what} {paths}; owners are {named}",
        cites=(Cite(path=owners.path, line=line, value=named, at=owners.at),),
        about=members[0].path,
        remedy=f"ask {named} to sign",
    )


def _owned(found: Review, pull: PullRequest, owners: Owners, codeowners: Codeowners) -> Finding:
    login = found.comment.author
    standings = _standings(found, pull, owners, codeowners)
    own = {one.rule.line: one.rule for one in standings if one.rule and one.standing == "named"}
    by_team = any(one.standing in ("through-team", "team-unknown") for one in standings)
    kinds = [f"{sum(one.standing != 'any-owner' for one in standings)} of them by name"]
    kinds += ["some through a team"] if by_team else []
    kinds += ["and wrote the change"] if login.casefold() == pull.author.casefold() else []
    lines = (
        Cite(path=owners.path, line=line, value=" ".join(rule.owners), at=owners.at)
        for line, rule in sorted(own.items())
    )
    return Finding(
        status="PASS",
        message=f"@{login} owns all {len(standings)} changed paths, {', '.join(kinds)}",
        cites=(cite(found.comment, value=login), *lines),
        confidence="inferred" if by_team else "certain",
    )


def _shown(paths: list[str]) -> str:
    more = len(paths) - _SHOWN
    text = ", ".join(paths[:_SHOWN])
    return f"{text} and {more} more" if more > 0 else text
