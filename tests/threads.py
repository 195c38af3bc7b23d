"""Published reviews as facts: see tests/policy/threads."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import Field, TypeAdapter

from infx.flows.policy_context import policy_context
from infx.model.checklist import Checklist
from infx.model.document import Document
from infx.model.submission import Submission
from infx.model.validation import checked
from infx.model.value import Value
from infx.model.verdict import Overall, Status
from infx.policy.checklist import negations, sentence_digest, word_digests
from infx.policy.judge import judge
from infx.store.documents import read_yaml

FOLDER = Path(__file__).parent / "policy" / "threads"


class Thread(Value):
    """A recorded review: what it came to, what its text does not say, and its facts."""

    policy: str
    status: Overall
    results: dict[str, Status]
    assumed: tuple[str, ...] = Field(min_length=1)
    facts: dict


@cache
def thread(name):
    """Return a recorded review, and its submission."""
    document = read_yaml(FOLDER / f"{name}.yaml")
    found = checked(document, document.value, TypeAdapter(Thread))
    inner = Document(document.file, {"facts": found.facts}, document.place)
    return found, checked(inner, found.facts, TypeAdapter(Submission), ("facts",))


def judged(submission, policy, *, titles=True):
    """Judge a submission by a policy set, with the checklist that its repository asks for.

    A recorded review has our titles in place of the public sentences, which are not ours to ship,
    and so has the checklist that it is held to; a line still has to be the item's own. Without
    `titles` the shipped checklist is taken, which knows the public sentences.
    """
    asked = submission.template.checklist if submission.template else None
    context, rows = context_of(policy, asked)
    if titles:
        context = replace(context, checklist=in_our_words(context.checklist))
    return judge(submission, context, rows)


@cache
def context_of(policy, checklist):
    return policy_context(policy, checklist=checklist)


def in_our_words(checklist) -> Checklist:
    """Return a checklist whose items are known by their titles."""
    items = tuple(
        item.model_copy(
            update={
                "exact": (sentence_digest(item.title),),
                "words": word_digests(item.title),
                "negations": negations(item.title),
            }
        )
        for item in checklist.items
    )
    return checklist.model_copy(update={"items": items})
