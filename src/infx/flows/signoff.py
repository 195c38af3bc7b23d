"""The story of `infx signoff`: evidence to a filled form, or to what changed since another one."""

from dataclasses import dataclass
from pathlib import Path

from infx.flows.policy_context import policy_context
from infx.flows.verify import verify
from infx.model.verdict import Crash
from infx.policy.signoff_form import Line, form, lines
from infx.policy.staleness import Moved, moved
from infx.store.evidence import read


@dataclass(frozen=True, slots=True)
class Filled:
    """A form as Markdown, its statements, and the checks that broke while it was filled."""

    text: str
    lines: tuple[Line, ...]
    crashes: tuple[Crash, ...]

    @property
    def unanswered(self) -> int:
        """How many statements nobody can take from the evidence."""
        return sum(not line.checked for line in self.lines)


def fill(path: Path, policy: str | None = None) -> Filled:
    """Fill the checklist of a policy set, or of the default one, from evidence.

    Raises as `flows.verify.verify`.
    """
    submission = read(path).submission
    judgement = verify(path, policy).judgement
    context, _ = policy_context(policy)
    found = lines(submission, judgement, context.checklist)
    return Filled(form(found, judgement), found, judgement.crashes)


def changed_since(path: Path, assessed: Path) -> tuple[Moved, ...] | None:
    """Return the points that changed since other evidence was assessed, None where unknown.

    Raises InputError for evidence that cannot be read.
    """
    return moved(read(assessed).submission, read(path).submission)
