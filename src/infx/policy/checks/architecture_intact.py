"""The model that is measured computes all that its checkpoint asks for.

What
    Reads each key of the model's configuration that a launch overrides, and each setting with which
    an engine accepts or computes less, beside the checkpoint's own value. Scripts that rewrite a
    `config.json` are found among their effects.

Why
    Skipping layers, experts or an indexer makes a benchmark fast and a model worse. Doing the same
    computation faster is fine, and so is a lower precision of the target that its evals bear out.

Fails
    A key that is denied has another value than the checkpoint's own. A number is on the wrong side
    of the own one, or is compared with an own one that nobody knows. A key is in no registry. A
    script rewrites a `config.json`. Nobody read what an entry launches, or with which arguments.

Passes
    Nothing is overridden, or only with the checkpoint's own values, with values that compute as
    much, and with keys that change no computation.

Fix
    Remove the override. For a key that no registry has, a core maintainer decides; then it becomes
    a row.

Evidence
    Affected entries (`configs`), what they launch (`recipes`), overrides with the rule of each key
    (`overrides`), and what scripts do to files (`patches`).
"""

import json
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from infx.model.config_facts import Config, Override
from infx.model.shell_effects import Effect
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.context import Context
from infx.policy.findings import failed, passed
from infx.policy.scope import affected
from infx.policy.unsettled import unread

_REMEDY = "remove the override, and measure again"

NEEDS = ("configs", "overrides", "patches")

CONFIGURATION = "config.json"
_WRITES = frozenset({"write", "edit", "remove", "copy", "link", "patch", "download", "mount"})
_OWN_FILES = frozenset({"client", "generated", "workspace"})
_ASK = "does the model compute less with {key}={value} than its checkpoint asks for?"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield what each override does, and each script that rewrites a model's configuration."""
    configs = affected(submission)
    if not configs:
        yield Finding(status="N/A", message="no entry is affected")
        return
    keys = {one.key for one in configs}
    found = [_override(one) for one in submission.overrides or () if one.config in keys]
    found += _rewrites(submission, keys)
    found += [finding for config in configs for finding in unread(config, submission)]
    found += _unread(configs, submission)
    if not found:
        message = "no launch overrides the configuration of its model"
        found.append(Finding(status="PASS", message=message))
    yield from found


def _unread(configs: Iterable[Config], submission: Submission) -> Iterator[Finding]:
    """Yield the entries whose launches are not among those that were read."""
    if submission.recipes is not None:
        read = {one.config for one in submission.recipes}
        for config in configs:
            if config.key not in read:
                message = f"could not be verified: nobody read what {config.key} launches"
                yield failed(
                    config.key, message, config.cite, remedy="collect its recipe or script"
                )


def _override(one: Override) -> Finding:
    stated = f"{one.key}={_text(one.value)}"
    own = f"its own value is {_text(one.native)}" if one.native_known else "its own is unknown"
    cite = Cite(path=one.cite.path, line=one.cite.line, value=stated, at=one.cite.at)
    about = f"{one.config} {one.variant}"
    if one.native_known and _text(one.value) == _text(one.native):
        return passed(about, f"{stated} is the checkpoint's own value", cite)
    because = f": {one.because}" if one.because else ""
    if one.standing == "allow":
        return passed(about, f"{stated} changes no computation{because}", cite)
    if one.standing == "unlisted":
        message = f"{stated} needs review: no registry has this key; {own}"
        return failed(
            about,
            message,
            cite,
            remedy=_REMEDY,
            question=Question(asks=_asks(one), of="a core maintainer"),
        )
    if one.standing == "deny":
        return failed(
            about, f"{stated} may not be overridden{because}; {own}", cite, remedy=_REMEDY
        )
    value, native = _number(one.value), _number(one.native)
    if not one.native_known or value is None or native is None:
        message = f"could not be verified: {stated} has to be compared, and {own}"
        return failed(about, message, cite, remedy=_REMEDY)
    if value >= native if one.standing == "compare-lower" else value <= native:
        return passed(about, f"{stated} computes no less; {own}", cite)
    return failed(about, f"{stated} computes less{because}; {own}", cite, remedy=_REMEDY)


def _number(value: JsonValue) -> int | float | None:
    """Return a number, None for what is none; a boolean is none."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _asks(one: Override) -> str:
    return _ASK.format(key=one.key, value=_text(one.value))


def _text(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


def _rewrites(submission: Submission, keys: set[str]) -> Iterator[Finding]:
    for patches in submission.patches or ():
        for effect in patches.report.effects if patches.config in keys else ():
            if _rewrites_a_model(effect):
                words = " ".join(effect.words)
                message = f"{effect.file} rewrites a model's configuration: {effect.target}"
                yield failed(
                    patches.config,
                    message,
                    Cite(path=effect.file, line=effect.line, value=words),
                    remedy=_REMEDY,
                )


def _rewrites_a_model(effect: Effect) -> bool:
    """Say whether an effect changes a `config.json`, or makes one from another."""
    if effect.kind not in _WRITES or not _is_configuration(effect.target):
        return False
    of_another = effect.kind == "edit" or any(map(_is_configuration, effect.inputs))
    return effect.place not in _OWN_FILES or (of_another and effect.place != "client")


def _is_configuration(path: str) -> bool:
    return path.rpartition("/")[2] == CONFIGURATION
