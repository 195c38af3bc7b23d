"""What a policy says of a submission: findings with their evidence, results, and one verdict."""

from typing import Literal

from pydantic import Field, model_validator

from infx.model.value import Value

Status = Literal["PASS", "WARN", "FAIL", "N/A"]
Overall = Literal["PASS", "WARN", "REJECTED"]
Confidence = Literal["certain", "inferred", "claimed"]
"""How far a finding can be trusted: read from a fact, drawn from facts by a rule of ours, or taken
from what somebody wrote."""


class Cite(Value):
    """Where a fact stands, and what it is there.

    `path` is a file, or what a fact belongs to (`comment`, `run 35278105888`, `job c32`). `at` is
    the commit, run attempt or address at which it was read.
    """

    path: str
    line: int | None = None
    value: str | None = None
    at: str | None = None

    @property
    def where(self) -> str:
        """The place as `path:line`."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


class Question(Value):
    """What no rule can answer: who may, and what is asked."""

    asks: str
    of: str


class Finding(Value):
    """One thing that a check found, good or bad. `about` is a config key, a curve, a recipe."""

    status: Status
    message: str
    cites: tuple[Cite, ...] = ()
    about: str | None = None
    confidence: Confidence = "certain"
    remedy: str | None = None
    question: Question | None = None


class Result(Value):
    """What one check came to. `missing` are facts that it needed and nobody gathered."""

    check: str
    number: int | None
    name: str
    gating: bool
    status: Status
    reason: str
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    inferred: bool = False

    @model_validator(mode="after")
    def _never_passes_blind(self) -> "Result":
        if self.missing and self.status == "PASS":
            raise ValueError(f"{self.check} passes without {', '.join(self.missing)}")
        if self.status in ("WARN", "FAIL") and self.gating == (self.status == "WARN"):
            raise ValueError(f"{self.check} is {'gating' if self.gating else 'advisory'}")
        return self


class Verdict(Value):
    """The results of a policy set's checks in its order, and what they come to together."""

    policy_set: str
    assessed: str
    evidence: str
    status: Overall
    results: tuple[Result, ...] = Field(min_length=1)
    day: str

    @model_validator(mode="after")
    def _is_the_worst(self) -> "Verdict":
        if self.status != overall([result.status for result in self.results]):
            raise ValueError("the verdict is not what its results come to")
        return self


class Crash(Value):
    """A check that broke: a defect of ours, never a finding. `trace` is its traceback."""

    check: str
    error: str
    trace: str


class Judgement(Value):
    """What a judge says: the results in their order, and the checks that broke.

    With a crash there is no verdict: what the check would have found is not known.
    """

    policy_set: str
    assessed: str
    evidence: str
    day: str
    results: tuple[Result, ...]
    crashes: tuple[Crash, ...] = ()

    def verdict(self) -> Verdict | None:
        """Return what the results come to together, None where a check broke."""
        if self.crashes:
            return None
        return Verdict(
            policy_set=self.policy_set,
            assessed=self.assessed,
            evidence=self.evidence,
            status=overall([result.status for result in self.results]),
            results=self.results,
            day=self.day,
        )


def overall(statuses: list[Status]) -> Overall:
    """Return the verdict of results: any FAIL rejects, else any WARN warns.

    >>> overall(["PASS", "N/A", "WARN"]), overall(["WARN", "FAIL"]), overall(["N/A"])
    ('WARN', 'REJECTED', 'PASS')
    """
    if "FAIL" in statuses:
        return "REJECTED"
    return "WARN" if "WARN" in statuses else "PASS"
