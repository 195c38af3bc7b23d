"""Judge a submission by a policy set: its checks in their order, and what each comes to.

A part of the facts that a check needs and nobody gathered never passes. A check that breaks is a
defect of ours, told with its traceback, and no finding: such a judgement has no verdict.
"""

import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from infx.model.policy_set import CheckRow
from infx.model.submission import Submission
from infx.model.verdict import Crash, Finding, Judgement, Result, Status
from infx.policy.checks import CHECKS
from infx.policy.context import Check, Context

_REASONS = 3
"""Messages that a result's reason has in full; the others are counted."""

_WORDS = {"pull": "facts of the pull request", "others": "the configs beside it"}
"""What parts of a submission are called where their own name says too little."""

_FLAGS = {
    "--pull": ("pull", "comments", "owners", "template", "published", "overview", "claims"),
    "--measured": ("expected_jobs",),
    "--artifacts": ("evals",),
    "--artifacts or --run": ("runs", "curves", "clients"),
    "--run": ("workloads", "measurements", "outputs"),
}
"""Flags of `infx evidence collect` that give the parts which a repository does not have."""


class BrokenCheckError(Exception):
    """A check broke its contract, which is a defect of the check."""


@dataclass(frozen=True, slots=True)
class Judge:
    """The rows of the registry of checks, and the modules that the checks are."""

    rows: Sequence[CheckRow]
    modules: Mapping[str, str]

    def judge(self, submission: Submission, context: Context) -> Judgement:
        """Return what every check of the context's policy set says, in the set's order."""
        results: list[Result] = []
        crashes: list[Crash] = []
        for name in context.policy.checks:
            try:
                results.append(self.result(name, submission, context))
            except Exception as error:  # noqa: BLE001 - the border where a check's defect is told
                trace = "".join(traceback.format_exception(error))
                crashes.append(Crash(check=name, error=repr(error), trace=trace))
        return Judgement(
            policy_set=context.policy.id,
            assessed=submission.head,
            evidence=submission.evidence,
            day=submission.day.isoformat(),
            results=tuple(results),
            crashes=tuple(crashes),
        )

    def result(self, name: str, submission: Submission, context: Context) -> Result:
        """Return what one check comes to; raises whatever the check raises."""
        row = next(row for row in self.rows if row.id == name)
        gating = name not in context.policy.advisory
        check = cast("Check", import_module(self.modules[name]))
        missing = tuple(part for part in check.NEEDS if getattr(submission, part) is None)
        found = (
            list(_unverified(missing, submission))
            if missing
            else list(check.check(submission, context))
        )
        findings = tuple(_weighed(finding, gating=gating) for finding in found)
        status = _status(name, [finding.status for finding in findings])
        return Result(
            check=name,
            number=row.number,
            name=row.name,
            gating=gating,
            status=status,
            reason=_reason(findings, status),
            findings=findings,
            missing=missing,
            inferred=row.inferred,
        )


def judge(submission: Submission, context: Context, rows: Sequence[CheckRow]) -> Judgement:
    """Judge a submission by the checks of infx; `rows` are those of the registry of checks."""
    return Judge(rows, CHECKS).judge(submission, context)


def _unverified(missing: Sequence[str], submission: Submission) -> Iterator[Finding]:
    """Yield what is missing, together where it is missing for the same reason."""
    reasons: dict[str, list[str]] = {}
    for part in missing:
        why = submission.unknown.get(part) or f"the evidence has no {_words(part)}"
        reasons.setdefault(why, []).append(part)
    for why, parts in reasons.items():
        named = [_words(part) for part in parts]
        *most, last = named
        flags = [flag for flag, given in _FLAGS.items() if not set(given).isdisjoint(parts)]
        by = f" ({', '.join(flags)})" if flags else ""
        yield Finding(
            status="FAIL",
            message=f"could not be verified: {why}",
            about=", ".join(parts),
            remedy=f"gather the evidence with {', '.join(most)}{' and ' * bool(most)}{last}{by}",
        )


def _words(part: str) -> str:
    return _WORDS.get(part, part.replace("_", " "))


def _weighed(finding: Finding, *, gating: bool) -> Finding:
    """Return a finding as this policy set weighs it: a broken advisory rule warns."""
    if gating and finding.status == "WARN":
        raise BrokenCheckError(f"a check says FAIL of a broken rule, not WARN: {finding.message}")
    if not gating and finding.status == "FAIL":
        return finding.model_copy(update={"status": "WARN"})
    return finding


def _status(name: str, found: Sequence[Status]) -> Status:
    if not found:
        raise BrokenCheckError(f"{name} found nothing, good or bad")
    order: tuple[Status, ...] = ("FAIL", "WARN", "PASS", "N/A")
    return min(found, key=order.index)


def _reason(findings: Sequence[Finding], status: Status) -> str:
    """Return what decides a result, in a sentence or a few."""
    messages = list(dict.fromkeys(_messages(findings, status)))
    more = len(messages) - _REASONS
    shown = "; ".join(messages[:_REASONS])
    return f"{shown}; and {more} more" if more > 0 else shown


def _messages(findings: Sequence[Finding], status: Status) -> Iterator[str]:
    return (finding.message for finding in findings if finding.status == status)
