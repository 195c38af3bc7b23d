"""The checklist as a form that a person reads, completes and signs.

A statement is checked where a check found it true, and its proof stands in the details. What no
check found true is left open, and why stands above the form, where it answers for nobody: a signer
checks the statement, or explains it in words of their own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from infx.model.checklist import Checklist, ChecklistItem
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Judgement, Result
from infx.policy import quoting
from infx.policy.signoff import TRIGGER

OPENING = f"{TRIGGER}, I have reviewed this and have:"
DETAILS = "### Additional detail section:"
SIGNED = "Signed:"
LATEST = "latest-checklist"

FINE = ("PASS", "N/A")
_SHOWN = 5
_PLACES = 3
_LINK = re.compile(r"https://[A-Za-z0-9.-]+/[A-Za-z0-9._~/#?=%+-]*")
_UPSTREAM = "upstream-recipe"


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of the form.

    `proof` are lines of the details about it, `open` questions that are left to the signer.
    """

    item: ChecklistItem
    checked: bool
    proof: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def lines(submission: Submission, judgement: Judgement, checklist: Checklist) -> tuple[Line, ...]:
    """Return every statement of the checklist with what the evidence has for it."""
    results = {one.check: one for one in judgement.results}
    return tuple(_line(item, submission, results, checklist) for item in checklist.items)


def form(found: Sequence[Line], judgement: Judgement) -> str:
    """Return the form as Markdown; nothing in it that somebody else wrote is markup."""
    parts: list[str] = []
    asked = [line for line in found if line.open]
    if asked:
        parts.append(
            "\n".join(("Open before anybody signs (take this part out):", "", *_asked(asked)))
        )
    parts += [OPENING, "\n".join(map(_statement, found)), DETAILS]
    scope = f"- Scope: commit {_code(judgement.assessed)}, evidence {_code(judgement.evidence)}"
    proof = [one for line in _once(found) for one in _proof(line)]
    parts.append("\n".join((scope, *proof)))
    parts.append(SIGNED)
    return "\n\n".join(parts) + "\n"


def _line(
    item: ChecklistItem,
    submission: Submission,
    results: Mapping[str, Result],
    checklist: Checklist,
) -> Line:
    if item.id == LATEST:
        return _latest(item, submission, checklist)
    if item.check is None:
        return Line(item, checked=False, open=("no check can tell; it is yours to state",))
    result = results.get(item.check)
    if result is None:
        what = f"the policy set has no result of {item.check}; it is yours to state"
        return Line(item, checked=False, open=(what,))
    links = tuple(_published(submission)) if item.check == _UPSTREAM else ()
    questions = tuple(_questions(result))
    told = tuple(_said(result, submission.head))
    if result.status in FINE:
        return Line(item, checked=True, proof=(*told, *links), open=questions)
    return Line(item, checked=False, proof=links, open=(*told, *questions))


def _latest(item: ChecklistItem, submission: Submission, checklist: Checklist) -> Line:
    template = submission.template
    if template is None:
        why = submission.unknown.get("template", "nobody gathered it")
        asks = f"which checklist the default branch asks for is not known: {_words(why)}"
        return Line(item, checked=False, open=(asks,))
    named = f"{_code(template.checklist)} at {_code(template.at)}"
    if template.checklist != checklist.id:
        asks = f"the default branch asks for {named}, and this form is {_code(checklist.id)}"
        return Line(item, checked=False, open=(asks,))
    return Line(item, checked=True, proof=(named,))


def _said(result: Result, head: str) -> Iterator[str]:
    """Yield the findings that made a result what it is."""
    found = [one for one in result.findings if (one.status in FINE) == (result.status in FINE)]
    if not found:
        yield _words(f"{result.status}: {result.reason}")
    for finding in found[:_SHOWN]:
        yield _finding(finding, head)
    if len(found) > _SHOWN:
        yield f"and {len(found) - _SHOWN} more"


def _finding(finding: Finding, head: str) -> str:
    word = "N/A: " if finding.status == "N/A" else ""
    fix = f"; to do: {_words(finding.remedy)}" if finding.remedy else ""
    places = ", ".join(_place(one, head) for one in finding.cites[:_PLACES])
    left = len(finding.cites) - _PLACES
    more = f" ({places}{f' and {left} more' if left > 0 else ''})" if places else ""
    return f"{word}{_words(finding.message)}{more}{fix}"


def _place(cite: Cite, head: str) -> str:
    where = _link(cite.where)
    return where if cite.at in (None, head) else f"{where} at {_link(cite.at or '')}"


def _words(text: str) -> str:
    """Return text as plain words that cannot be taken for the beginning of a signed review."""
    return quoting.markdown(text).replace("CODEOWNER", "CODE&#8203;OWNER")


def _code(text: str) -> str:
    """Return text as code that cannot be taken for it either."""
    return quoting.code(text).replace("CODEOWNER", "CODE&#8203;OWNER")


def _link(text: str) -> str:
    """Return an address as a link, where it can be nothing else, and other text as code."""
    return text if _LINK.fullmatch(text) else _code(text)


def _questions(result: Result) -> Iterator[str]:
    for finding in result.findings:
        if finding.question is not None:
            yield f"{_words(finding.question.of)} is asked: {_words(finding.question.asks)}"


def _published(submission: Submission) -> Iterator[str]:
    for page in submission.published or ():
        state = page.state or ("merged" if page.merged else page.form)
        yield f"{_link(page.url)} ({_words(state)})"


def _once(found: Sequence[Line]) -> Iterator[Line]:
    """Yield the statements that have a proof of their own: several may rest on one check."""
    seen: set[tuple[str, ...]] = set()
    for line in found:
        if line.proof and line.proof not in seen:
            seen.add(line.proof)
            yield line


def _statement(line: Line) -> str:
    indent = "  " if line.item.part_of is not None else ""
    box = "x" if line.checked else " "
    return f"{indent}- [{box}] <!-- item: {line.item.id} --> {_words(line.item.title)}"


def _proof(line: Line) -> Iterator[str]:
    first, *rest = line.proof
    yield f"- {_name(line.item)}: {first}"
    yield from (f"  - {one}" for one in rest)


def _asked(found: Sequence[Line]) -> Iterator[str]:
    """Yield what is open, once for all statements of which the same is."""
    titles: dict[tuple[str, ...], list[str]] = {}
    for line in found:
        titles.setdefault(line.open, []).append(line.item.title)
    for questions, named in titles.items():
        yield f"- {_words('; '.join(named))}"
        yield from (f"  - {one}" for one in questions)


def _name(item: ChecklistItem) -> str:
    return item.names[0] if item.names else item.id.replace("-", " ")
