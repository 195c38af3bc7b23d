"""The pinned image runs as it was shipped.

What
    Looks at what the recipes and scripts of each affected entry change in their container, in all
    that they run and not only in what was added. Each effect is judged by what its target is; a
    registry has the packages that serving is made of. Entries count too whose rows and recipes are
    as they were, and that rest on a script that changed.

Why
    A result should be one that others get from the same image. A patched engine is an engine that
    nobody else can run.

Fails
    An effect changes code of an engine or of its serving stack, a package of that set, another file
    or package of the image, or what a server loads by its environment. Nobody can tell what an
    effect changes, or a script could not be read. A waiver does not help when it is for another
    state of the file, another image or another entry, when it expired, when no sign-off links it,
    or when a new patch comes without its page.

Passes
    Effects only touch files of the run, the work tree, or environments of the client. A setup
    script is judged by what it does. The router is no engine: a published version of Dynamo that
    the recipe declares may be installed, a build of a commit may not. A patch passes that a valid
    waiver has by its hash; whether it is needed to run at all stays a question to a maintainer.

Fix
    Remove the patch and wait for an image that has the change. Where no image can run the
    benchmark, file a waiver in the same pull request and link it in the sign-off.

Evidence
    Affected entries (`configs`), effects and what could not be read (`patches`), pages of waivers
    (`waivers`).
"""

from collections.abc import Iterable, Iterator

from infx.model.config_facts import Patches
from infx.model.shell_effects import Effect, Gap
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.context import Context
from infx.policy.findings import failed
from infx.policy.leave import leave_for, leave_to_skip
from infx.policy.scope import reached

NEEDS = ("configs", "patches")

_WHY = {
    "engine": "it changes the engine or its serving stack",
    "image": "it changes a file or package of the image",
    "server": "it changes what a server loads or is told",
    "unresolved": "nobody can tell what it changes",
}
_REMEDY = "remove the patch, or file a waiver for exactly it and link it in the sign-off"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield what changes the images of affected entries; equal findings are told once."""
    configs = reached(submission)
    if not configs:
        yield Finding(status="N/A", message="no entry is affected")
    found: list[Finding] = []
    for config in configs:
        patches = [one for one in submission.patches or () if one.config == config.key]
        if not patches:
            message = f"could not be verified: nobody read the scripts of {config.key}"
            remedy = "collect its recipes and scripts"
            found.append(failed(config.key, message, config.cite, remedy=remedy))
        for one in patches:
            found += _entry(one, submission)
    yield from _shared(found)


def _entry(patches: Patches, submission: Submission) -> Iterator[Finding]:
    report = patches.report
    needing = [effect for effect in report.effects if _needs_leave(effect, patches)]
    for effect in needing:
        yield _effect(effect, patches, submission)
    for gap in report.gaps:
        yield _gap(gap, patches, submission)
    if not needing and not report.gaps:
        routers = [_cite(effect) for effect in report.effects if _is_declared_router(effect)]
        but = " but the published router that it declares" if routers else ""
        yield Finding(
            status="PASS",
            message=f"{report.file} changes nothing of its image{but}",
            cites=tuple(routers) or (Cite(path=report.file),),
            about=patches.config,
        )


def _needs_leave(effect: Effect, patches: Patches) -> bool:
    is_read_setup = effect.kind == "setup" and effect.target in patches.report.sha256
    return effect.place in _WHY and not is_read_setup and not _is_declared_router(effect)


def _is_declared_router(effect: Effect) -> bool:
    """Say whether an effect is that of a key of the recipe that names a published Dynamo."""
    is_declared = effect.words[:1] and effect.words[0].startswith("dynamo.")
    router = (effect.kind, effect.target, effect.place) == ("install", "ai-dynamo", "image")
    return router and bool(is_declared)


def _effect(effect: Effect, patches: Patches, submission: Submission) -> Finding:
    cite = _cite(effect)
    said = f"{effect.kind} of {effect.target}: {_WHY[effect.place]}"
    leave = leave_for(effect, patches, submission)
    if leave.page is not None:
        asks = f"is it needed to run at all, and not for speed: {effect.kind} of {effect.target}?"
        return Finding(
            status="PASS",
            message=f"{said}; {leave.page} gives leave",
            cites=(cite, Cite(path=leave.page)),
            about=patches.config,
            confidence="claimed",
            question=Question(asks=asks, of="a core maintainer"),
        )
    question = None
    if effect.place == "unresolved":
        question = Question(asks=f"what does `{cite.value}` change?", of="a core maintainer")
    message = "; ".join([said, *leave.refused])
    return failed(patches.config, message, cite, remedy=_REMEDY, question=question)


def _cite(effect: Effect) -> Cite:
    return Cite(path=effect.file, line=effect.line, value=" ".join(effect.words))


def _gap(gap: Gap, patches: Patches, submission: Submission) -> Finding:
    cite = Cite(path=gap.file, line=gap.line)
    page = leave_to_skip(gap.file, patches, submission)
    if page is not None:
        message = f"{gap.file} could not be read in full ({gap.what}); {page} gives leave"
        cites = (cite, Cite(path=page))
        return Finding(status="PASS", message=message, cites=cites, about=patches.config)
    message = f"could not be verified: {gap.what}"
    asks = f"what does {gap.file} do at line {gap.line}, where {gap.what}?"
    return failed(
        patches.config,
        message,
        cite,
        remedy="write it so that it can be read",
        question=Question(asks=asks, of="a core maintainer"),
    )


def _shared(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings that differ only in their entries once, about all of those entries."""
    entries: dict[Finding, list[str]] = {}
    for one in findings:
        entries.setdefault(one.model_copy(update={"about": None}), []).append(one.about or "")
    for one, about in entries.items():
        yield one.model_copy(update={"about": ", ".join(dict.fromkeys(about))})
