"""Published reviews as facts: see tests/policy/threads."""

from functools import cache
from pathlib import Path

from pydantic import Field, TypeAdapter

from infx.flows.policy_context import policy_context
from infx.model.document import Document
from infx.model.submission import Submission
from infx.model.validation import checked
from infx.model.value import Value
from infx.model.verdict import Overall, Status
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


def judged(submission, policy):
    """Judge a submission by a policy set, with the checklist that its repository asks for."""
    asked = submission.template.checklist if submission.template else None
    context, rows = context_of(policy, asked)
    return judge(submission, context, rows)


@cache
def context_of(policy, checklist):
    return policy_context(policy, checklist=checklist)
