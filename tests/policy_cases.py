"""Cases of checks as data: see tests/policy/cases/README.md."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field, TypeAdapter

from infx.flows.policy_context import policy_context
from infx.model.document import Document
from infx.model.submission import Submission
from infx.model.validation import checked
from infx.model.value import Value
from infx.model.verdict import Finding, Result, Status
from infx.policy.checks import CHECKS
from infx.policy.judge import Judge
from infx.store.documents import read_yaml

FOLDER = Path(__file__).parent / "policy" / "cases"
HEAD, BASE = "1" * 40, "0" * 40
ALWAYS = {
    "evidence": "e" * 64,
    "day": "2026-10-19",
    "head": HEAD,
    "base": BASE,
    "measured": HEAD,
}


class Expected(Value):
    """A finding that a case expects; what is None may be anything."""

    status: Status
    message: str = Field(min_length=4)
    cite: str | None = None
    value: str | None = None
    about: str | None = None
    question: str | None = None

    def fits(self, finding: Finding) -> bool:
        cites = [one for one in finding.cites if self.cite in (None, one.where, one.path)]
        return (
            finding.status == self.status
            and self.message.casefold() in finding.message.casefold()
            and (self.cite is None or bool(cites))
            and (self.value is None or any(one.value == self.value for one in cites))
            and self.about in (None, finding.about)
            and (self.question is None or self.question in (finding.question or _NOBODY).of)
        )


class _Nobody:
    of = ""


_NOBODY = _Nobody()


class Case(Value):
    """A case file; its facts are filled before they are a Submission."""

    policy: str
    facts: dict
    status: Status
    findings: tuple[Expected, ...] = ()


def paths(check=None):
    """Return the case files of a check, or of all."""
    return sorted(FOLDER.glob(f"{check or '*'}/*.yaml"))


@cache
def defaults():
    return read_yaml(FOLDER / "defaults.yaml").value


def filled(facts):
    """Return facts with what every submission has, and with the defaults of their items."""
    whole = ALWAYS | facts
    for part, default in defaults().items():
        stated = whole.get(part)
        if isinstance(stated, list):
            whole[part] = [default | one for one in stated]
        elif isinstance(stated, dict):
            whole[part] = default | stated
    return whole


def read_case(path):
    """Return a case and its submission; raises InputError at the line that is wrong."""
    document = read_yaml(path)
    case = checked(document, document.value, TypeAdapter(Case))
    facts = filled(case.facts)
    inner = Document(document.file, {"facts": facts}, document.place)
    return case, checked(inner, facts, TypeAdapter(Submission), ("facts",))


def verdict(check, case, submission) -> Result:
    """Return what one check says; a check that breaks raises."""
    checklist = submission.template.checklist if submission.template else None
    context, rows = _context(case.policy, checklist)
    return Judge(rows, CHECKS).result(check, submission, context)


@cache
def _context(policy, checklist):
    return policy_context(policy, checklist=checklist)


@dataclass(frozen=True)
class Difference:
    """What a case expects in vain, and what it does not expect."""

    absent: tuple[Expected, ...]
    extra: tuple[Finding, ...]

    def __str__(self) -> str:
        said = [json.dumps(one.model_dump(mode="json"), indent=1) for one in self.extra]
        return "\n".join([*(f"expected in vain: {one}" for one in self.absent), *said])


def difference(expected, findings) -> Difference:
    """Match findings one to one; those that pass or do not apply need not be expected."""
    left = list(findings)
    absent = []
    for one in expected:
        found = next((finding for finding in left if one.fits(finding)), None)
        if found is None:
            absent.append(one)
        else:
            left.remove(found)
    return Difference(tuple(absent), tuple(f for f in left if f.status in ("FAIL", "WARN")))
