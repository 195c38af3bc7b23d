"""Facts of a submission's review: the change as the forge has it, and what people wrote of it."""

from typing import Literal

from pydantic import Field

from infx.model.value import Value
from infx.model.verdict import Cite
from infx.model.waiver import Waiver


class ChangedFile(Value):
    """A path that the change touches; `previous` is its old path when it was renamed."""

    path: str
    change: Literal["added", "modified", "removed", "renamed"]
    previous: str | None = None


class PullRequest(Value):
    """The change as the forge states it. `commits` are those that are in it now, oldest first.

    `files_complete` is false where the forge cut its list of files. Title and body are untrusted.
    """

    number: int
    title: str
    body: str
    author: str
    head: str
    base: str
    commits: tuple[str, ...]
    labels: tuple[str, ...] = ()
    draft: bool = False
    files: tuple[ChangedFile, ...] = ()
    files_complete: bool = True


class Owners(Value):
    """CODEOWNERS at the target branch's tip, and who is in its teams.

    `teams` maps `@org/team` to logins, None for a team that could not be read. `admins` are logins
    with permission and role `admin`, and members of the core team.
    """

    path: str
    text: str
    at: str
    teams: dict[str, tuple[str, ...] | None] = Field(default_factory=dict)
    admins: tuple[str, ...] = ()


class Template(Value):
    """The checklist that the default branch asks for, by the id of our registry of checklists."""

    checklist: str
    at: str


class WaiverPage(Value):
    """A waiver's page: its path and text; whether this change brings it, and a sign-off links it.

    `waiver` is its front matter; None where that is no waiver, and `unreadable` then says why.
    """

    path: str
    text: str
    waiver: Waiver | None = None
    unreadable: str | None = None
    brought: bool
    linked: bool


class ChangelogEntry(Value):
    """An entry that the change adds, with its flags."""

    keys: tuple[str, ...]
    append_only: bool
    evals: Literal["default", "no-evals", "evals-only", "all-evals"]
    cite: Cite


class Changelog(Value):
    """The added entries; `violations` are what the strict gate says, each with its line."""

    entries: tuple[ChangelogEntry, ...]
    violations: tuple[Cite, ...] = ()


class Claim(Value):
    """A technical claim in the pull request's text, and what the facts have in its place.

    `actual` is None where the claim could not be compared; `equal` is the comparison.
    """

    text: str
    subject: str
    stated: str
    actual: str | None
    equal: bool | None
    cite: Cite
