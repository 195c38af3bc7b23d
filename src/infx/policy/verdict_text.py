"""A verdict as lines for a terminal: what fails first, with its evidence and what to do."""

from collections.abc import Iterator, Sequence

from infx.model.verdict import Cite, Finding, Result, Verdict
from infx.policy.quoting import visible

BLOCKING = ("FAIL", "WARN")
_LONG = 1000


def text(verdict: Verdict) -> str:
    """Return the verdict, its failing checks with their findings, then all others in one line."""
    first, rest = parted(verdict.results)
    blocks = [f"{verdict.status} under policy set {shown(verdict.policy_set)}: {counts(verdict)}"]
    blocks += ["\n".join(_block(result)) for result in first]
    if rest:
        blocks.append("\n".join(map(_line, rest)))
    foot = f"commit {shown(verdict.assessed)}, judged as of {shown(verdict.day)}"
    blocks.append(f"{foot}\nevidence {shown(verdict.evidence)}")
    return "\n\n".join(blocks)


def parted(results: Sequence[Result]) -> tuple[list[Result], list[Result]]:
    """Return the results that fail, those that warn after them, and apart all others."""
    first = [one for status in BLOCKING for one in results if one.status == status]
    return first, [one for one in results if one.status not in BLOCKING]


def counts(verdict: Verdict) -> str:
    """Say how many checks came to what.

    >>> from infx.model.verdict import Result, Verdict
    >>> one = Result(check="evals", number=2, name="Evals", gating=True, status="PASS", reason="")
    >>> counts(Verdict(policy_set="a", assessed="b", evidence="c", status="PASS", results=(one,),
    ...                day="d"))
    '1 check: 1 PASS'
    """
    found = [one.status for one in verdict.results]
    each = [f"{found.count(one)} {one}" for one in (*BLOCKING, "PASS", "N/A") if one in found]
    return f"{len(found)} check{'' if len(found) == 1 else 's'}: {', '.join(each)}"


def shown(words: str, *, limit: int = _LONG) -> str:
    """Return foreign text for one line of a terminal, or of a log that a runner of GitHub reads.

    The runner obeys `##[command]` anywhere in a line.

    >>> shown("a\\x1b[1m ##[group]")
    'a<U+001B>[1m ## [group]'
    """
    return visible(words, limit=limit).replace("##[", "## [")


def unsaid(finding: Finding) -> str | None:
    """Return what a finding is about, None where its message says so itself."""
    return None if (finding.about or "") in finding.message else finding.about


def place(cite: Cite) -> str:
    """Return a cite as a place and what is there, for `shown` to make safe."""
    at = f" at {cite.at}" if cite.at else ""
    return cite.where + at + ("" if cite.value is None else f": {cite.value}")


def _head(result: Result) -> str:
    number = "" if result.number is None else f"{result.number} "
    return f"{result.status:<4}  {number}{result.check}"


def _line(result: Result) -> str:
    return f"{_head(result)}: {shown(result.reason)}"


def _block(result: Result) -> Iterator[str]:
    inferred = " (the rule is inferred)" if result.inferred else ""
    yield f"{_head(result)}: {result.name}{inferred}"
    for finding in result.findings:
        if finding.status in BLOCKING:
            yield from _finding(finding)
    yield f"      why: infx explain {result.check}"


def _finding(finding: Finding) -> Iterator[str]:
    about = f"{shown(name)}: " if (name := unsaid(finding)) else ""
    trust = "" if finding.confidence == "certain" else f" ({finding.confidence})"
    yield f"    - {about}{shown(finding.message)}{trust}"
    yield from (f"      at {shown(place(cite))}" for cite in finding.cites)
    if finding.remedy:
        yield f"      fix: {shown(finding.remedy)}"
    if finding.question:
        yield f"      for {shown(finding.question.of)} to say: {shown(finding.question.asks)}"
