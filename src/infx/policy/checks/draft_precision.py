"""A draft is served no cheaper than it ships.

What
    For each draft of each affected entry: the formats of its weights, activations and KV cache as
    they are served, beside those that are stored and those that the pinned image would choose. Also
    whether the draft is one that the registry of models lists, at the revision that it has, and
    whether a banned variable is on anywhere in the effective environment.

Why
    Acceptance is simulated, so a cheaper draft would be faster without guessing any worse. Evals do
    not see it either, as the target corrects what the draft gets wrong.

Fails
    Weights or activations are cheaper than stored, or the KV cache cheaper than it would be without
    a setting of its own. A banned variable has any value that is not plainly off, whoever set it
    and whatever an upstream recipe says, in entries without a draft too. The draft is not the
    registered one, or at another revision or none. What ships or what is served cannot be told, or
    a setting changes it in a way that nobody follows. Neither evals nor acceptance nor a waiver
    excuses any of this.

Passes
    Every part is at least what ships. A KV cache that the draft inherits from its target is the
    image's own handling: it passes, and the finding says which format it is. Where no affected
    entry speculates and no banned variable is on, there is nothing to judge.

Fix
    Remove the setting that lowers the draft, name the registered draft at its revision, and collect
    the checkpoint's metadata or the server's log where something could not be told.

Evidence
    Affected entries (`configs`), their effective environment (`recipes`), and how their drafts are
    served and ship (`drafts`).
"""

import re
from collections.abc import Iterable, Iterator

from infx.model.config_facts import Draft, Effective, Side
from infx.model.precision import RANK, Precision, cheaper
from infx.model.submission import Submission
from infx.model.verdict import Finding, Question
from infx.policy.context import Context
from infx.policy.findings import failed, observed
from infx.policy.scope import affected, speculating
from infx.policy.unsettled import unread

NEEDS = ("configs", "drafts")

_OFF = frozenset({"0", "false", "no", "n", "off"})
_ON = frozenset({"1", "true", "yes", "y", "on"})
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_HOW = {
    "stated": "as it is stated",
    "forced": "as the engine forces it",
    "inherited": "inherited from the target",
    "checkpoint": "as its checkpoint says",
    "observed": "as the server's log shows",
}
_HANDLED = frozenset({"forced", "inherited", "checkpoint"})
_NAMED = 3
"""Variants that a finding names; the others are counted."""

_LOWERED = "remove what lowers it, and measure again"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each draft how it is served beside how it ships, and each banned variable."""
    keys = {one.key for one in affected(submission)}
    drafts = [one for one in submission.drafts or () if one.config in keys]
    known = {one.config for one in drafts}
    speculate = speculating(submission)
    recipes = [one for one in submission.recipes or () if one.config in keys]
    on = [finding for recipe in recipes for finding in _banned(recipe)]
    if not speculate and not on:
        yield Finding(status="N/A", message="no affected entry speculates")
    yield from on
    read = {one.config for one in recipes}
    for config in speculate:
        if config.key not in known:
            message = f"could not be verified: nobody knows the draft of {config.key}"
            remedy = "collect its effective recipe and the checkpoint's metadata"
            yield failed(config.key, message, config.cite, remedy=remedy)
        yield from unread(config, submission)
        if config.key not in read:
            message = f"could not be verified: nobody read the environment of {config.key}"
            remedy = "collect its effective recipe"
            yield failed(config.key, message, config.cite, remedy=remedy)
    for draft in _alike(drafts):
        found = [*_leads(draft), *_identity(draft), *_precision(draft)]
        yield from found or [_good(draft)]


def _banned(recipe: Effective) -> Iterator[Finding]:
    """Yield banned variables that are not plainly off."""
    for one in recipe.banned:
        word = one.value.strip().lower()
        if word not in _OFF:
            said = "is on" if word in _ON else "is neither on nor off"
            message = f"{one.name}={one.value} {said}, and is banned"
            yield failed(recipe.config, message, observed(one), remedy="remove the variable")


def _alike(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Yield drafts once that differ in nothing but their variants, with the names of all."""
    known: dict[str, list[Draft]] = {}
    for draft in drafts:
        known.setdefault(draft.model_copy(update={"variant": ""}).model_dump_json(), []).append(
            draft
        )
    for mine in known.values():
        names = [draft.variant for draft in mine]
        left = len(names) - _NAMED
        more = f" and {left} more" if left > 0 else ""
        yield mine[0].model_copy(update={"variant": f"{', '.join(names[:_NAMED])}{more}"})


def _leads(draft: Draft) -> Iterator[Finding]:
    """Yield settings of a draft whose effect is not known."""
    for one in draft.leads:
        if one.value.strip().lower() not in _OFF:
            message = f"could not be verified: what {one.name}={one.value} does to the draft"
            asks = f"does {one.name} lower the precision of {_name(draft)}?"
            question = Question(asks=asks, of="a core maintainer")
            yield failed(
                draft.config, message, observed(one), remedy="remove the setting", question=question
            )


def _identity(draft: Draft) -> Iterator[Finding]:
    """Yield why a draft is not the one that the registry of models lists."""
    cites = () if draft.shipped is None else draft.shipped.cites
    if draft.allowed is False:
        message = f"{_name(draft)} is no draft that the registry of models lists"
        yield failed(draft.config, message, *cites, remedy="serve a registered draft")
    if draft.native:
        return
    if draft.allowed is None:
        message = f"could not be verified: no registry says which drafts {draft.config} may have"
        yield failed(draft.config, message, *cites, remedy="register the draft first")
    mine, theirs = (draft.revision or "").lower(), (draft.registered or "").lower()
    if not _COMMIT.fullmatch(mine):
        shown = draft.revision or "no revision"
        message = f"could not be verified: {_name(draft)} is loaded at {shown}, which is no commit"
        yield failed(draft.config, message, *cites, remedy="pin its revision by commit")
    elif theirs and not (mine.startswith(theirs) or theirs.startswith(mine)):
        message = f"{_name(draft)} is at {draft.revision}, and {draft.registered} is registered"
        question = Question(asks=f"may {draft.revision} be served?", of="a core maintainer")
        yield failed(
            draft.config, message, *cites, remedy="serve the registered revision", question=question
        )


def _precision(draft: Draft) -> Iterator[Finding]:
    """Yield each part of a draft that is cheaper than it ships, or cannot be told."""
    shipped, served = _sides(draft)
    cites = (*shipped.cites, *served.cites)
    for what, side in (("ships", shipped), ("is served", served)):
        if _read(side.weights) is None:
            shown = f" ({side.weights})" if side.weights else ""
            why = f": {draft.why_unknown}" if draft.why_unknown else ""
            message = f"could not be verified: how {_name(draft)} {what}{shown}{why}"
            yield failed(
                draft.config,
                message,
                *cites,
                remedy="collect its checkpoint (--checkpoint) or its load log (--log)",
            )
    stored = shipped.activations or shipped.weights
    pairs = (
        ("weights", served.weights, shipped.weights),
        ("activations", served.activations, stored),
        ("KV cache", served.kv, _default(draft)),
    )
    for part, mine, theirs in pairs:
        one, other = _read(mine), _read(theirs)
        if one is not None and other is not None and cheaper(one, other):
            steps = "; ".join(("", *draft.steps))
            message = f"{_name(draft)}: {part} in {mine}, cheaper than {theirs}{steps}"
            yield failed(draft.config, message, *cites, remedy=_LOWERED)
    if _read(served.kv) is None or (_read(_default(draft)) is None and not _is_handled(draft)):
        message = f"could not be verified: the KV cache of {_name(draft)}"
        yield failed(
            draft.config, message, *cites, remedy="state the default that the pinned image has"
        )


def _default(draft: Draft) -> str | None:
    """Return what the KV cache would be by default, None where the image's handling decides it."""
    if draft.kv_default is not None or _is_handled(draft):
        return draft.kv_default
    return _sides(draft)[0].kv


def _is_handled(draft: Draft) -> bool:
    """Say whether the image alone decides the format of the KV cache."""
    return draft.kv_how in _HANDLED


def _sides(draft: Draft) -> tuple[Side, Side]:
    nobody = Side(weights=None)
    return draft.shipped or nobody, draft.effective or nobody


def _read(word: str | None) -> Precision | None:
    return next((one for one in RANK if one == word), None)


def _good(draft: Draft) -> Finding:
    shipped, served = _sides(draft)
    how = _HOW.get(draft.kv_how or "", "no lower than by default")
    which = draft.repository or "the native draft"
    message = f"{which} ships as {shipped.weights} and {draft.role} serves it as {served.weights};"
    return Finding(
        status="PASS",
        message=f"{message} its KV cache is {served.kv}, {how}",
        cites=(*shipped.cites, *served.cites),
        about=draft.config,
    )


def _name(draft: Draft) -> str:
    return f"{draft.repository or 'the native draft'} ({draft.variant}, {draft.role})"
