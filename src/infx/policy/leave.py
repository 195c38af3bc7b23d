"""Which waiver gives leave for an effect, and why the others do not."""

from collections.abc import Iterator
from dataclasses import dataclass

from infx.model.config_facts import Patches
from infx.model.review_facts import WaiverPage
from infx.model.shell_effects import Effect
from infx.model.submission import Submission
from infx.model.waiver import Waiver
from infx.policy.waivers import Patch, covers, faults


@dataclass(frozen=True, slots=True)
class Leave:
    """The page that gives leave, None without one; `refused` says why pages near it do not."""

    page: str | None
    refused: tuple[str, ...] = ()


def leave_for(effect: Effect, patches: Patches, submission: Submission) -> Leave:
    """Return the leave that an effect has in its entry, on the day of the review."""
    if submission.waivers is None:
        return Leave(None, ("waivers were not gathered",))
    patch = Patch(
        path=effect.file,
        kind=effect.kind,
        sha256=patches.report.sha256.get(effect.file, ""),
        hunk=effect.statement,
    )
    refused: list[str] = []
    for page in submission.waivers:
        waiver = page.waiver
        if waiver is None:
            if page.brought:
                refused.append(f"{page.path} is no waiver: {page.unreadable or 'it has no head'}")
        elif covers(waiver, patch):
            wrong = list(_wrong(page, waiver, patches, submission))
            if not wrong:
                return Leave(page.path)
            refused += wrong
        elif any(file.path == effect.file for file in waiver.files):
            refused.append(f"{page.path} is for another state or effect of {effect.file}")
    return Leave(None, tuple(refused))


def leave_to_skip(file: str, patches: Patches, submission: Submission) -> str | None:
    """Return the page that gives leave for a whole file, whatever in it cannot be read."""
    digest = patches.report.sha256.get(file)
    for page in submission.waivers or ():
        waiver = page.waiver
        if waiver is None or digest is None:
            continue
        named = any(one.path == file and one.sha256 == digest for one in waiver.files)
        if named and not list(_wrong(page, waiver, patches, submission)):
            return page.path
    return None


def _wrong(
    page: WaiverPage, waiver: Waiver, patches: Patches, submission: Submission
) -> Iterator[str]:
    yield from faults(
        waiver,
        page=page.path,
        image=patches.image,
        config=patches.config,
        day=submission.day,
    )
    pull = submission.pull
    if patches.new and not page.brought:
        yield f"{page.path} is older than the patch"
    elif page.brought and pull is not None and waiver.pr != pull.number:
        yield f"{page.path} is of pull request {waiver.pr}, and this is {pull.number}"
    if not page.linked:
        yield f"no sign-off links {page.path}"
