"""A verdict as workflow commands of GitHub, which show each finding at its file and line."""

import re
from collections.abc import Iterator
from types import MappingProxyType

from infx.model.verdict import Cite, Finding, Result, Verdict
from infx.policy.verdict_text import BLOCKING, counts, parted, place, shown, unsaid

LEVELS = MappingProxyType({"FAIL": "error", "WARN": "warning"})
_FILE = re.compile(r"(?!\.{1,2}/)[\w.@+-]+(?:/(?!\.{1,2}/)[\w.@+-]+)*", re.ASCII)


def annotations(verdict: Verdict) -> str:
    """Return a command for each finding that fails or warns, and one that sums up."""
    first, _ = parted(verdict.results)
    lines = [line for result in first for line in _commands(result)]
    said = f"{verdict.status} under {shown(verdict.policy_set)}: {counts(verdict)}"
    title = f"infx verify {shown(verdict.assessed, limit=40)}"
    return "\n".join([*lines, _command("notice", {"title": title}, said)])


def _commands(result: Result) -> Iterator[str]:
    for finding in result.findings:
        if finding.status in BLOCKING:
            properties = {**_place(finding.cites), "title": f"infx {result.check}"}
            yield _command(LEVELS[finding.status], properties, _message(finding))


def _message(finding: Finding) -> str:
    about = f"{shown(name)}: " if (name := unsaid(finding)) else ""
    lines = [about + shown(finding.message)]
    lines += [f"at {shown(place(cite))}" for cite in finding.cites]
    if finding.remedy:
        lines.append(f"fix: {shown(finding.remedy)}")
    if finding.question:
        lines.append(f"for {shown(finding.question.of)} to say: {shown(finding.question.asks)}")
    return "\n".join(lines)


def _place(cites: tuple[Cite, ...]) -> dict[str, str]:
    """Return file and line of the first cite that is a line of a file of the repository."""
    for cite in cites:
        is_file = _FILE.fullmatch(cite.path) and ("/" in cite.path or "." in cite.path)
        if cite.line is not None and is_file:
            return {"file": cite.path, "line": str(cite.line)}
    return {}


def _command(level: str, properties: dict[str, str], message: str) -> str:
    stated = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {stated}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
