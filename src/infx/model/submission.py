"""A submission as its facts: what was changed, measured, said and published. No judgement.

Facts are gathered once (`infx evidence collect`) and judged by pure functions. What nobody gathered
is None, and `unknown` says why; a check that needs it cannot pass. Times are UTC.
"""

from datetime import date

from pydantic import Field, model_validator

from infx.model.comment import Comment
from infx.model.config_facts import (
    Closure,
    Config,
    Draft,
    Effective,
    OtherConfig,
    Override,
    Patches,
    Point,
    RecipeChange,
)
from infx.model.page_facts import Overview, Published
from infx.model.review_facts import Changelog, Claim, Owners, PullRequest, Template, WaiverPage
from infx.model.run_facts import (
    Acceptance,
    Client,
    CurveFacts,
    Eval,
    ExpectedJob,
    Measurement,
    Outputs,
    Publication,
    Run,
    Workload,
)
from infx.model.value import Value


class Submission(Value):
    """All facts of one submission. `evidence` is the digest of the folder that they come from."""

    evidence: str
    day: date
    head: str
    base: str
    measured: str | None
    pull: PullRequest | None = None
    comments: tuple[Comment, ...] | None = None
    owners: Owners | None = None
    template: Template | None = None
    configs: tuple[Config, ...] | None = None
    others: tuple[OtherConfig, ...] | None = None
    points: tuple[Point, ...] | None = None
    recipes: tuple[Effective, ...] | None = None
    changes: tuple[RecipeChange, ...] | None = None
    runs: tuple[Run, ...] | None = None
    expected_jobs: tuple[ExpectedJob, ...] | None = None
    evals: tuple[Eval, ...] | None = None
    acceptance: tuple[Acceptance, ...] | None = None
    drafts: tuple[Draft, ...] | None = None
    overrides: tuple[Override, ...] | None = None
    patches: tuple[Patches, ...] | None = None
    closures: tuple[Closure, ...] | None = None
    waivers: tuple[WaiverPage, ...] | None = None
    published: tuple[Published, ...] | None = None
    overview: tuple[Overview, ...] | None = None
    changelog: Changelog | None = None
    clients: tuple[Client, ...] | None = None
    workloads: tuple[Workload, ...] | None = None
    measurements: tuple[Measurement, ...] | None = None
    outputs: tuple[Outputs, ...] | None = None
    curves: tuple[CurveFacts, ...] | None = None
    claims: tuple[Claim, ...] | None = None
    publication: tuple[Publication, ...] | None = None
    unknown: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_why(self) -> "Submission":
        for name in self.unknown:
            if getattr(self, name, name) is not None:
                raise ValueError(f"`unknown` says why {name} is not known, and it is")
        return self
