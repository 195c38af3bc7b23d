"""The signed review answers and checks every item of the newest checklist.

What
    Reads the signed review line by line and finds the line that answers each item of the checklist
    that the default branch asks for: by a hidden id, by the sentence, or by its words where few of
    them drifted. A line with a hidden id may say the item's title in place of its sentence.

Why
    The items are what a reviewer vouches for. One that is left out is one that nobody vouched for.

Fails
    No line answers an item. A line answers one and is not checked, and the details do not speak of
    it. A line has the id of an item and other words, or turns its sentence round. Nobody signed, or
    the checklist of the default branch is not one that can be read.

Passes
    Every item is answered and checked, or the detail section explains why it is not. Where no box
    at all is left of the markup, each line is taken for checked.

Fix
    Copy the newest checklist into the signed comment by editing it, and check each item or explain
    it in the detail section in a line that opens with the item's name.

Evidence
    The comments of the pull request (`comments`) and which checklist the default branch asks for
    (`template`); the files and owners too (`pull`, `owners`), where nobody has to sign.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from infx.model.review_facts import Template
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding
from infx.policy.checklist import SIMILAR, Answer, negations, read, words
from infx.policy.context import Context
from infx.policy.reviews import Review, cite, is_exempt, review

NEEDS = ("comments", "template")

_REMEDY = "edit the signed comment: copy the newest checklist, then check or explain each item"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield what the signed review says to the items of the checklist."""
    template = cast("Template", submission.template)
    found = review(submission)
    if template.checklist != context.checklist.id:
        yield _other_checklist(template, context)
    elif found is not None:
        faults = list(_faults(found, context))
        yield from faults or [_answered(found, context)]
    elif submission.pull and submission.owners and is_exempt(submission.pull, submission.owners):
        yield Finding(status="N/A", message="nobody has to sign, and nobody signed")
    else:
        yield Finding(
            status="FAIL",
            message="nobody signed the checklist",
            remedy="ask an owner of the changed paths to sign the newest checklist",
        )


def _other_checklist(template: Template, context: Context) -> Finding:
    return Finding(
        status="FAIL",
        message=f"could not be verified: the default branch asks for the checklist"
        f" {template.checklist}, and the one at hand is {context.checklist.id}",
        cites=(Cite(path="checklist", value=template.checklist, at=template.at),),
        remedy="judge with the checklist that the default branch asks for",
    )


def _faults(found: Review, context: Context) -> Iterator[Finding]:
    bullets = (*(item.bullet for item in found.signoff.items), *found.signoff.details)
    texts = {bullet.line: bullet.text for bullet in bullets}
    for answer in read(found.signoff, context.checklist).answers:
        what = _fault(answer, texts)
        if what is None:
            continue
        lines = tuple(cite(found.comment, line=line, value=texts[line]) for line in answer.lines)
        yield Finding(
            status="FAIL",
            message=f"{what}: {answer.item.title}",
            cites=lines or (cite(found.comment),),
            about=answer.item.id,
            remedy=_REMEDY,
        )


def _fault(answer: Answer, texts: Mapping[int, str]) -> str | None:
    if not answer.lines:
        return "no line answers the item"
    if answer.by == "id" and not all(_says(texts[line], answer) for line in answer.lines):
        return "the line has the id of the item and says something else"
    if not answer.checked and not any(_explains(texts[line], answer) for line in answer.explained):
        return "the item is not checked, and the details do not say why"
    return None


def _explains(text: str, answer: Answer) -> bool:
    """Return whether a line of the details says more than the name of the item."""
    names = [words(name) for name in (answer.item.id, *answer.item.names)]
    line = words(text)
    return len(line) > max((len(name) for name in names if line[: len(name)] == name), default=1)


def _says(text: str, answer: Answer) -> bool:
    """Return whether a line states an item: it opens with our title, or drifted little from it."""
    title = words(answer.item.title)
    is_close = answer.similarity >= SIMILAR and negations(text) == answer.item.negations
    return is_close or words(text)[: len(title)] == title


def _answered(found: Review, context: Context) -> Finding:
    answers = read(found.signoff, context.checklist).answers
    open_ones = [answer for answer in answers if not answer.checked]
    checked = len(answers) - len(open_ones)
    names = ", ".join(answer.item.title for answer in open_ones)
    explained = f", and {len(open_ones)} explained: {names}" if open_ones else ""
    return Finding(
        status="PASS",
        message=f"{checked} of {len(answers)} items are checked{explained}",
        cites=(
            cite(found.comment, value=found.comment.author),
            *(cite(found.comment, line=line) for answer in open_ones for line in answer.explained),
        ),
    )
