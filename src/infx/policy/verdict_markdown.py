"""A verdict as a comment of a pull request, in the layout of the public verifier.

A hidden marker, one of three headers, failing rows before warning ones with their findings, one
collapsed block of all others, and the assessed commit. Nothing that a stranger wrote is markup.
"""

import re
from collections.abc import Iterator
from types import MappingProxyType

from infx.model.verdict import Cite, Finding, Result, Verdict
from infx.policy.quoting import code, markdown
from infx.policy.verdict_text import BLOCKING, parted, unsaid

MARKER = "<!-- infx-verdict -->"
"""The first line, by which a publisher finds its own comment."""

MAX_CHARACTERS = 65_000
"""GitHub refuses a comment above 65,536 characters."""

HEADERS = MappingProxyType(
    {
        "PASS": "## ✅✅✅ **Verdict: PASS** ✅✅✅",
        "WARN": "## ⚠️ **Verdict: WARN** ⚠️",
        "REJECTED": "## ❌❌❌ **REJECTED** ❌❌❌",
    }
)
SIGNS = MappingProxyType({"PASS": "✅", "FAIL": "❌", "N/A": "➖", "WARN": "⚠️"})

_CITES = 3
_SIZES = ((20, 600), (5, 600), (1, 300), (0, 300), (0, 60))
"""Findings of a check, and characters of a reason, from what is wanted to what always fits."""

_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def comment(verdict: Verdict, *, signer: str | None = None) -> str:
    """Return the whole comment. `signer` is mentioned where the submission is rejected.

    Findings are left out, and counted, as far as the comment would be too long for GitHub.
    """
    for most, long in _SIZES:
        written = _comment(verdict, signer, most, long)
        if len(written) <= MAX_CHARACTERS:
            break
    return written


def _comment(verdict: Verdict, signer: str | None, most: int, long: int) -> str:
    first, rest = parted(verdict.results)
    blocks = [MARKER, HEADERS[verdict.status]]
    if verdict.status == "REJECTED":
        failing = ", ".join(_name(one) for one in first if one.status == "FAIL")
        blocks.append(f"{_mention(signer)}these checks block: {failing}.")
    blocks += ["\n".join(_block(result, most, long)) for result in first]
    if rest:
        rows = "\n\n".join(_row(result, long) for result in rest)
        summary = "<summary>Passed and not applicable checks</summary>"
        blocks.append(f"<details>\n{summary}\n\n{rows}\n\n</details>")
    blocks.append(f"Policy set {code(verdict.policy_set)}, evidence {code(verdict.evidence)}.")
    blocks.append(f"Assessed commit: {_commit(verdict.assessed)}.")
    return "\n\n".join(blocks)


def _mention(signer: str | None) -> str:
    if signer is None:
        return "Nobody has signed this; "
    return f"@{signer}: " if _LOGIN.fullmatch(signer) else f"{markdown(signer)}: "


def _commit(sha: str) -> str:
    return f"`{sha}`" if _COMMIT.fullmatch(sha) else code(sha)


def _name(result: Result) -> str:
    number = result.check if result.number is None else result.number
    return f"Check {number} ({markdown(result.name)})"


def _row(result: Result, long: int) -> str:
    reason = markdown(result.reason, limit=long)
    return f"{SIGNS[result.status]} {_name(result)}: {result.status} — {reason}"


def _block(result: Result, most: int, long: int) -> Iterator[str]:
    """Yield the row of a check that fails or warns, and its findings as a list."""
    yield _row(result, long)
    found = [one for one in result.findings if one.status in BLOCKING]
    if found and most:
        yield ""
    for finding in found[:most]:
        yield from _finding(finding)
    if most and len(found) > most:
        yield f"- and {len(found) - most} more"


def _finding(finding: Finding) -> Iterator[str]:
    about = f"{code(name)}: " if (name := unsaid(finding)) else ""
    trust = "" if finding.confidence == "certain" else f" ({finding.confidence})"
    yield f"- {about}{markdown(finding.message)}{trust}"
    yield from (f"  - {_cite(cite)}" for cite in finding.cites[:_CITES])
    if len(finding.cites) > _CITES:
        yield f"  - and {len(finding.cites) - _CITES} more"
    if finding.remedy:
        yield f"  - Fix: {markdown(finding.remedy)}"
    if finding.question:
        asked = finding.question
        yield f"  - A question for {markdown(asked.of)}: {markdown(asked.asks)}"


def _cite(cite: Cite) -> str:
    at = f" at {code(cite.at)}" if cite.at else ""
    return f"{code(cite.where)}{at}" + ("" if cite.value is None else f": {code(cite.value)}")
