"""The story of `infx verify`: evidence and registries to a judgement, in a process of its own."""

import sys
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

import infx
from infx.errors import MachineError
from infx.flows.judging import Given
from infx.flows.policy_context import policy_context
from infx.model.comment import Comment
from infx.model.submission import Submission
from infx.model.verdict import Judgement
from infx.policy.signoff import excuse
from infx.policy.verdict_markdown import MARKER
from infx.process import Command, ending, exchange
from infx.store.evidence import read
from infx.store.registries import FOLDER

TIMEOUT_S = 120
JUDGE = ("-m", "infx.flows.judging")


@dataclass(frozen=True, slots=True)
class Verified:
    """A judgement, and the login of whoever signed the submission last, None for nobody."""

    judgement: Judgement
    signer: str | None


def verify(path: Path, policy: str | None = None, *, registries: Path = FOLDER) -> Verified:
    """Judge a folder of evidence, or a JSON file of facts, by a policy set or the default one.

    Raises InputError for evidence and names that cannot be used, MachineError where the judge
    cannot be run.
    """
    submission = read(path).submission
    asked = submission.template.checklist if submission.template else None
    context, rows = policy_context(policy, checklist=asked, folder=registries)
    return Verified(ask(Given(submission, context, rows)), signer(submission))


def signer(submission: Submission) -> str | None:
    """Return who wrote the newest signed review, None where nobody did."""
    signed = [one for one in submission.comments or () if excuse(one, markers=(MARKER,)) is None]
    return max(signed, key=_written).author if signed else None


def _written(comment: Comment) -> str:
    return comment.created.isoformat()


def ask(given: Given, program: tuple[str, ...] = JUDGE) -> Judgement:
    """Return what a judge says that has nothing but what it is given: no environment, no network.

    `program` is what Python runs. Raises MachineError where it fails.
    """
    # Where infx is not installed but found by a path, its child finds it by the same.
    environment = {"PYTHONPATH": str(Path(infx.__file__).parents[1])}
    command = Command((sys.executable, "-B", "-P", *program), environment)
    stated = TypeAdapter(Given).dump_json(given, by_alias=True)
    done = exchange(command, stated, timeout_s=TIMEOUT_S)
    if done.code:
        last = next((line for line in reversed(done.stderr.split("\n")) if line.strip()), "")
        raise MachineError(f"the judge ended with {ending(done.code)}: {last}")
    return Judgement.model_validate_json(done.stdout)
