"""A submission as its facts: what was changed, measured, said and published. No judgement.

Facts are gathered once (`infx evidence collect`) and judged by pure functions. What nobody gathered
is None, and `unknown` says why; a check that needs it cannot pass. Times are UTC.
"""

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from infx.model.comment import Comment
from infx.model.draft import How
from infx.model.frontier import Gap
from infx.model.shell_effects import EffectReport
from infx.model.value import Value
from infx.model.verdict import Cite
from infx.model.waiver import Waiver

# Review


class ChangedFile(Value):
    """A path that the change touches; `previous` is its old path when it was renamed."""

    path: str
    change: Literal["added", "modified", "removed", "renamed"]
    previous: str | None = None


class PullRequest(Value):
    """The change as the forge states it. `commits` are those that are in it now, oldest first.

    `files_complete` is false where the forge cut its list of files. Title and body are untrusted.
    """

    number: int
    title: str
    body: str
    author: str
    head: str
    base: str
    commits: tuple[str, ...]
    labels: tuple[str, ...] = ()
    draft: bool = False
    files: tuple[ChangedFile, ...] = ()
    files_complete: bool = True


class Owners(Value):
    """CODEOWNERS at the target branch's tip, and who is in its teams.

    `teams` maps `@org/team` to logins, None for a team that could not be read. `admins` are logins
    with permission and role `admin`, and members of the core team.
    """

    path: str
    text: str
    at: str
    teams: dict[str, tuple[str, ...] | None] = Field(default_factory=dict)
    admins: tuple[str, ...] = ()


class Template(Value):
    """The checklist that the default branch asks for, by the id of our registry of checklists."""

    checklist: str
    at: str


# What is submitted


class Config(Value):
    """An entry of a master configuration that the change affects.

    `change` is what happened to the entry or, for `recipe`, to what it launches. `hardware` is the
    SKU of its runner. `image` is as the entry writes it, with the file and line in `cite`.
    """

    key: str
    change: Literal["added", "changed", "recipe", "removed"]
    cite: Cite
    framework: str
    image: str
    image_before: str | None = None
    model: str
    prefix: str
    precision: str
    hardware: str | None
    scenarios: tuple[str, ...]
    speculative: bool
    multinode: bool
    disaggregated: bool
    thinking: str | None = None


class OtherConfig(Value):
    """An entry that exists beside the affected ones: which engine already serves what where."""

    key: str
    framework: str
    prefix: str
    hardware: str | None


class Point(Value):
    """A point that the change asks for, or that its base has.

    `digest` is the recipe digest at the head, `measured_digest` at the commit that was measured,
    `base_digest` at the base; None where the side has no such point. `image_cite` is where the
    image is stated when that is not the config's entry.
    """

    config: str
    concurrency: int
    scenario: str
    variant: str
    digest: str | None
    measured_digest: str | None = None
    base_digest: str | None = None
    image: str
    image_cite: Cite | None = None
    series: str
    eval: bool = False


class Setting(Value):
    """One effective setting of a role, whoever set it: its value, and where the layer wrote it."""

    value: JsonValue
    cite: Cite
    layer: str


class Role(Value):
    """The effective arguments and environment of a role, by canonical names of the engine."""

    engine: str
    args: dict[str, Setting] = Field(default_factory=dict)
    env: dict[str, Setting] = Field(default_factory=dict)


class Effective(Value):
    """A recipe as it is launched at some concurrencies, with inherited settings."""

    config: str
    variant: str
    concurrencies: tuple[int, ...]
    file: str
    roles: dict[str, Role]
    frontend: str | None = None
    dynamo_version: Setting | None = None


# Measured


class Job(Value):
    """One job of a sweep at its latest attempt. `kind` and `concurrency` are of the matrix row."""

    name: str
    conclusion: Literal["success", "failure", "cancelled", "skipped", "timed_out", "none"]
    kind: Literal["throughput", "eval", "collect", "other"]
    config: str | None = None
    concurrency: tuple[int, ...] = ()
    attempt: int = 1


class Run(Value):
    """A run of the sweep. `labels` are those of the pull request when it began.

    `workflow` is the path of the workflow's file (`run-sweep.yml`), and `head` the commit that was
    measured, which for a dispatched run is not the one that the forge ran it on.
    """

    id: int
    attempt: int
    event: str
    workflow: str
    head: str
    conclusion: str
    url: str
    jobs: tuple[Job, ...]
    artifacts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    simulated: bool = False


class ExpectedJob(Value):
    """A job that the matrix of the measured commit asks for."""

    config: str
    kind: Literal["throughput", "eval"]
    concurrency: tuple[int, ...]


class Eval(Value):
    """One score of a run. `samples` is the number that counted, `split` that of the whole set.

    `floor` is the score that the registry of thresholds asks for, and `floor_of` the row that says
    so; None where no row does. A `floor_of` without a floor names a row that could not be read. A
    score that is no JSON number (`NaN`) is its text. `simulated_acceptance` tells whether
    acceptance was simulated.
    """

    run: int
    config: str
    concurrency: tuple[int, ...]
    completed_concurrency: tuple[int, ...] = ()
    failed_concurrency: tuple[int, ...] = ()
    task: str
    suite: str | None = None
    score_name: str | None
    score: JsonValue
    score_se: float | None = None
    samples: int | None
    split: int | None
    floor: Decimal | None
    floor_of: str | None
    image: str | None
    infrastructure_success: bool
    integration_error: str | None = None
    simulated_acceptance: bool | None = None
    cite: Cite


class Observed(Value):
    """A setting that a server or a launch record states of itself, with the line that says so."""

    name: str
    value: str
    cite: Cite


class Acceptance(Value):
    """What acceptance a point's recipe asks for, and what its servers did.

    `expected` is the committed length, None where no curve has it and `why` then says so. `stated`
    are lengths in the recipe itself. `observed` are simulation settings of a role's log or launch
    record, None where no log was gathered.
    """

    config: str
    variant: str
    concurrency: tuple[int, ...]
    role: str
    engine: str
    agentic: bool
    speculates: bool
    draft_tokens: int | None
    curve: str | None
    expected: Decimal | None
    why: str | None = None
    stated: tuple[Observed, ...] = ()
    observed: tuple[Observed, ...] | None = None
    eval: bool = False


class Side(Value):
    """The number formats of a draft: of its weights, activations and KV cache, None if unknown."""

    weights: str | None
    activations: str | None = None
    kv: str | None = None
    cites: tuple[Cite, ...] = ()


class Draft(Value):
    """How a draft is served, beside how it ships.

    `steps` explain, in order, how the effective formats follow. `banned` are variables that may not
    be on, with their values. `leads` are other settings that change how the draft is computed, and
    that no step follows. `kv_default` is what its KV cache would be without a setting of its own,
    and `kv_how` says what decides the effective one. `allowed` tells whether the registry of models
    lists the draft; `revision` is the one that is pinned or that was loaded, None if unknown, and
    `registered` that of the registry.
    """

    config: str
    variant: str
    role: str
    repository: str | None
    native: bool
    shipped: Side | None
    effective: Side | None
    steps: tuple[str, ...] = ()
    banned: tuple[Observed, ...] = ()
    leads: tuple[Observed, ...] = ()
    kv_default: str | None = None
    kv_how: How | None = None
    allowed: bool | None = None
    revision: str | None = None
    registered: str | None = None
    why_unknown: str | None = None


class Override(Value):
    """A key of the model's configuration that a launch overrides, or a lossy setting.

    `standing` is the registry's rule for the key; `native` the checkpoint's own value.
    """

    config: str
    variant: str
    key: str
    value: JsonValue
    native: JsonValue = None
    native_known: bool = False
    standing: Literal["deny", "allow", "compare-lower", "compare-higher", "unlisted"]
    because: str | None = None
    cite: Cite


class Patches(Value):
    """What scripts and recipes of a config change in their container."""

    config: str
    image: str
    report: EffectReport
    new: bool


class WaiverPage(Value):
    """A waiver's page: its path and text; whether this change brings it, and a sign-off links it.

    `waiver` is its front matter; None where that is no waiver, and `unreadable` then says why.
    """

    path: str
    text: str
    waiver: Waiver | None = None
    unreadable: str | None = None
    brought: bool
    linked: bool


class Launch(Value):
    """How a page starts one role of a deployment, by canonical names of the engine.

    `role` is that of a recipe (`agg`, `prefill`, `decode`) or `frontend`. `hardware` is a SKU, None
    for a launch that is not of one; no `concurrencies` are all. A value that begins with `$` stands
    for what a site fills in.
    """

    role: str
    hardware: str | None = None
    concurrencies: tuple[int, ...] = ()
    args: dict[str, JsonValue] = Field(default_factory=dict)
    env: dict[str, str] = Field(default_factory=dict)
    cite: Cite


class Published(Value):
    """A page or pull request upstream that documents a launch.

    `merged` is when a pull request was merged, None while it is not; `readable` whether anybody
    could read it. `launches` are its launches setting by setting, None where nobody took them
    apart. In their place `uncovered` are the effective settings that somebody found it not to have,
    and `excluded` those that were left out of that comparison; None where nobody compared.
    A setting is named as its argument, its variable, or `benchmark.env.NAME` of the client.
    """

    url: str
    form: Literal["pull-request", "page"]
    engine: str
    merged: datetime | None = None
    state: str | None = None
    readable: bool = True
    linked_in: Cite | None = None
    configs: tuple[str, ...] = ()
    launches: tuple[Launch, ...] | None = None
    uncovered: tuple[Observed, ...] | None = None
    excluded: tuple[Observed, ...] = ()


class Overview(Value):
    """A cell of the hardware vendor's overview of recipes: the page it links, None if empty."""

    prefix: str
    engine: str
    vendor: str
    link: str | None
    cite: Cite


class ChangelogEntry(Value):
    """An entry that the change adds, with its flags."""

    keys: tuple[str, ...]
    append_only: bool
    evals: Literal["default", "no-evals", "evals-only", "all-evals"]
    cite: Cite


class Changelog(Value):
    """The added entries; `violations` are what the strict gate says, each with its line.

    `closure_changed` lists points of the base whose dependencies changed, with the file that did.
    """

    entries: tuple[ChangelogEntry, ...]
    violations: tuple[Cite, ...] = ()
    closure_changed: tuple[Cite, ...] = ()


class Client(Value):
    """Who asked the server of a config's points, and how."""

    config: str
    tool: str
    foreign: bool
    endpoint: str | None
    chat_requests: int | None
    completions: int | None
    certified: bool | None
    reasons: tuple[str, ...] = ()
    cite: Cite


class Workload(Value):
    """What a point was asked, beside what the registry of models asks for."""

    config: str
    concurrency: int
    facts: dict[str, JsonValue]
    required: dict[str, JsonValue]
    cite: Cite


class Outputs(Value):
    """What kept answers look like: how many were kept, empty, repeated, or not text."""

    config: str
    concurrency: int
    kept: int
    empty: int
    repeated: int
    unreadable: int
    cite: Cite


class CurveFacts(Value):
    """A curve with all its measured points, at one percentile.

    `frontier` are the concurrencies on it, `invalid` those whose figures are no evidence. `gaps`
    are against comparable series too.
    """

    key: str
    configs: tuple[str, ...]
    percentile: str
    measured: int
    frontier: tuple[int, ...]
    invalid: tuple[int, ...] = ()
    gaps: tuple[Gap, ...] | None = None
    cite: Cite


class Claim(Value):
    """A technical claim in the pull request's text, and what the facts have in its place.

    `actual` is None where the claim could not be compared; `equal` is the comparison.
    """

    text: str
    subject: str
    stated: str
    actual: str | None
    equal: bool | None
    cite: Cite


class Publication(Value):
    """Whether an engine behind Dynamo publishes iteration and KV-cache metrics.

    `settings` are the effective settings that turn them on or off; `scraped` whether a page of the
    run had them.
    """

    config: str
    variant: str
    dynamo_version: Observed | None
    settings: tuple[Observed, ...]
    enabled: bool | None
    scraped: bool | None


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
    runs: tuple[Run, ...] | None = None
    expected_jobs: tuple[ExpectedJob, ...] | None = None
    evals: tuple[Eval, ...] | None = None
    acceptance: tuple[Acceptance, ...] | None = None
    drafts: tuple[Draft, ...] | None = None
    overrides: tuple[Override, ...] | None = None
    patches: tuple[Patches, ...] | None = None
    waivers: tuple[WaiverPage, ...] | None = None
    published: tuple[Published, ...] | None = None
    overview: tuple[Overview, ...] | None = None
    changelog: Changelog | None = None
    clients: tuple[Client, ...] | None = None
    workloads: tuple[Workload, ...] | None = None
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
