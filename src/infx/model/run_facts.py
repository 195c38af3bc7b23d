"""Facts of what was measured: runs of the sweep with their jobs, scores, clients and curves."""

from decimal import Decimal
from typing import Literal

from pydantic import JsonValue

from infx.model.config_facts import Observed
from infx.model.frontier import Gap
from infx.model.result import Counts
from infx.model.value import Value
from infx.model.verdict import Cite


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
    measured, which for a dispatched run is not the one that the forge ran it on. `altered` says
    what of a local run's bundle is not as its manifest has it.
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
    altered: tuple[Cite, ...] = ()


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


class Thinks(Observed):
    """A setting that tells a server whether to think; `mode` None where its word says neither."""

    mode: str | None


class Acceptance(Value):
    """What acceptance a point's recipe asks for, and what its servers did.

    `thinking` is the mode whose curve counts, None where nobody says which, and `told` what the
    role's settings tell its servers to do where a request says nothing of it.

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
    thinking: str | None = None
    told: tuple[Thinks, ...] = ()
    why: str | None = None
    stated: tuple[Observed, ...] = ()
    observed: tuple[Observed, ...] | None = None
    eval: bool = False


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


class Measurement(Value):
    """What a point of a run bundle says of itself: its keys, how its requests ended, what ran.

    `counts` are of the profiling phase, None where another client measured and did not say.
    `reasons` are the ids of what keeps it from being certified. `acceptance` is the length that the
    server's counters came to; None where they did not, and `why_no_acceptance` says why. `launched`
    are the flags and variables with which the client started the server, None where somebody else
    had. `observed` is what each process of the server said that it runs, None where nobody kept its
    log.
    """

    config: str
    concurrency: int
    repetition: int
    run: str
    point_id: str
    recipe_digest: str
    workload_digest: str
    certified: bool
    reasons: tuple[str, ...]
    counts: Counts | None
    acceptance: float | None = None
    why_no_acceptance: str | None = None
    launched: tuple[Observed, ...] | None = None
    observed: tuple[Observed, ...] | None = None
    cite: Cite


class Outputs(Value):
    """What kept answers look like: how many were kept, empty, repeated, or not text.

    An answer is one of these at the most; which, `flows/evidence/answers.py` says.
    """

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
    are those between neighbours, and where `reach` is known those at the ends too: it is the range
    of latency that the frontiers of `reach_of` cover, which are of the same model and scenario.
    None is a range that nobody knows, and `why_no_reach` says why.
    """

    key: str
    configs: tuple[str, ...]
    percentile: str
    measured: int
    frontier: tuple[int, ...]
    invalid: tuple[int, ...] = ()
    gaps: tuple[Gap, ...] | None = None
    reach: tuple[float, float] | None = None
    reach_of: tuple[str, ...] = ()
    why_no_reach: str | None = None
    cite: Cite


class Publication(Value):
    """Whether an engine behind Dynamo publishes iteration and KV-cache metrics.

    `settings` are the effective settings that turn them on or off; `because` says what decides, or
    why nobody can tell; `scraped` whether a page of the run had them.
    """

    config: str
    variant: str
    dynamo_version: Observed | None
    settings: tuple[Observed, ...]
    enabled: bool | None
    because: str | None = None
    scraped: bool | None
