"""What a bench run is asked to do."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import inf
from pathlib import Path

from infx.errors import InputError, Problem
from infx.flows.asking import SPREAD, Shards
from infx.model.agentic import AgenticWorkload
from infx.model.launch import LaunchPlan
from infx.model.recipe import BoundRecipe
from infx.model.record import Slo
from infx.model.workload import FixedWorkload
from infx.telemetry.host import cores
from infx.wire.chat import reserved_fields

_SEED = 2**53 - 1
"""The largest integer that JSON carries exactly."""
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[ -~\t]*")
_OWN_HEADERS = frozenset(
    {
        "accept-encoding", "connection", "content-length", "content-type", "host",
        "transfer-encoding", "x-request-id",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """A bench run of one endpoint.

    `url` is the base URL of an OpenAI-compatible server. `recipe` is what is known of the server;
    its model is filled in from `/v1/models` where it is null. `model` is the name to ask for.
    `tokenizer` or `dataset` name files; without either, prompts are sized against the server's own
    count. `corpus` is the file or folder of the sessions that an agentic workload replays,
    `registered` the sha256 that the registry of corpora states of it, where it does, and `routers`
    are ids of routers whose session headers its requests carry. `rates` measures one
    point for each arrival rate in requests/s, Poisson unless the workload states another process;
    `concurrency` then bounds the requests in flight.
    `api_key` is sent as a bearer token and never written down. `slo` adds goodput. `grace_s`
    is how long a run that ends by time, or by Ctrl-C, waits for open answers; a request that takes
    longer than `request_timeout_s` is given up at any time, and failed. Where none has ended for
    `stall_timeout_s` while some are open, the server is taken to be gone. `shards` is how many
    processes share the load, None for one, and two where one proves too late for a fixed workload.
    `metrics_urls` are the pages that a replay reads each second, by default that of the server, and
    without a replay none. With `reset_cache` the server is told to forget its prefixes before each
    point. `selftests` is the folder of this host's selftests, the latest of which is cited.
    `simulated` marks a server that only imitates an engine. `command` stands in the manifest as it
    is, so secrets are masked in it before. `then` is what the same server is asked next, into the
    same bundle: of these, what they ask counts, and how.
    """

    url: str
    workload: FixedWorkload | AgenticWorkload
    concurrency: tuple[int, ...]
    out: Path
    recipe: BoundRecipe = field(default_factory=lambda: BoundRecipe(name="endpoint"))
    launch: LaunchPlan | None = None
    model: str | None = None
    rates: tuple[float, ...] = ()
    repetitions: int = 1
    tokenizer: Path | None = None
    dataset: Path | None = None
    corpus: Path | None = None
    registered: str | None = None
    routers: tuple[str, ...] = ()
    metrics_urls: tuple[str, ...] = ()
    reset_cache: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    api_key: str | None = None
    slo: Slo | None = None
    grace_s: float = 30.0
    request_timeout_s: float | None = None
    stall_timeout_s: float = 1800.0
    shards: int | None = None
    selftests: Path | None = None
    simulated: bool = False
    command: tuple[str, ...] = ("infx.bench",)
    then: tuple["BenchOptions", ...] = ()

    @property
    def parts(self) -> tuple["BenchOptions", ...]:
        """What is asked in turn: this, and what comes then."""
        return (self, *self.then)

    def check(self) -> None:
        """Raise InputError with every problem that can be told before anything is asked."""
        problems = [problem for part in self.parts for problem in part.problems()]
        if problems:
            raise InputError(*problems)

    def problems(self) -> list[Problem]:
        """Return what cannot be asked of this part alone."""
        problems = [
            *_sweep(self.concurrency, self.repetitions),
            *_shards(self.shards, cores()),
            *_rates(self.rates, self.workload),
            *_replay(self),
            *_headers(self.headers, self.api_key),
            *reserved_fields(self.workload.extra_body),
        ]
        if abs(self.workload.seed) > _SEED:
            what = f"seed {self.workload.seed} is too large"
            problems.append(Problem(what, "--seed", f"use a number up to {_SEED}"))
        if not 0 < self.stall_timeout_s < inf:
            what = f"{self.stall_timeout_s:g} s is no time"
            problems.append(Problem(what, "--stall-timeout", "use seconds above 0"))
        if self.request_timeout_s is not None and not 0 < self.request_timeout_s < inf:
            what = f"{self.request_timeout_s:g} s is no time"
            problems.append(Problem(what, "--request-timeout", "use seconds above 0"))
        if self.tokenizer and self.dataset:
            what = "prompts of a dataset have their own lengths; a tokenizer has nothing to size"
            problems.append(Problem(what, "--tokenizer", "give one of --dataset and --tokenizer"))
        return problems

    def fixed(self) -> FixedWorkload:
        """Return the workload of independent requests; raises TypeError for another."""
        if not isinstance(self.workload, FixedWorkload):
            raise TypeError(f"{self.workload.scenario} is not fixed")
        return self.workload

    def processes(self) -> Shards:
        """Return how many processes ask a point; sessions stay in the one that they began in."""
        if self.shards is not None:
            return Shards(self.shards, self.shards)
        if isinstance(self.workload, AgenticWorkload):
            return Shards()
        return Shards(1, min(SPREAD, cores()))

    def points(
        self, workload: FixedWorkload | AgenticWorkload
    ) -> Iterator[tuple[FixedWorkload | AgenticWorkload, int]]:
        """Yield what each point of a sweep asks, and at which concurrency, in order.

        `workload` is the options' own, or what became of it when its prompts were sized.
        """
        asked: list[FixedWorkload | AgenticWorkload] = [workload]
        if isinstance(workload, FixedWorkload) and self.rates:
            asked = [workload.at_rate(rate) for rate in self.rates]
        return product(asked, self.concurrency)


def _sweep(concurrency: tuple[int, ...], repetitions: int) -> Iterator[Problem]:
    for number in concurrency:
        if number < 1:
            what = f"concurrency {number} is not possible"
            yield Problem(what, "--concurrency", "use 1 or more")
    for number, times in Counter(concurrency).items():
        if times > 1:
            what = f"concurrency {number} is given more than once"
            yield Problem(what, "--concurrency", "use --repetitions to measure again")
    if not concurrency:
        yield Problem("no concurrency is given", "--concurrency", "use 1,2,4")
    if repetitions < 1:
        yield Problem(f"{repetitions} is not possible", "--repetitions", "use 1 or more")


def _shards(shards: int | None, most: int) -> Iterator[Problem]:
    if shards is not None and not 1 <= shards <= most:
        what = f"{shards} shards are not possible: infx may use {most} cores"
        remedy = f"use 1 to {most}" if most > 1 else "leave it out"
        yield Problem(what, "--shards", remedy)


def _replay(options: BenchOptions) -> Iterator[Problem]:
    """Yield what cannot be asked of replayed sessions."""
    if not isinstance(options.workload, AgenticWorkload):
        if options.corpus is not None or options.routers:
            yield Problem("a corpus is replayed by an agentic workload alone", "--workload")
        return
    if options.corpus is None:
        yield Problem("a replay needs a corpus", "--workload", "use agentic:FILE")
    if options.rates:
        what = "replayed sessions come when lanes are free, at no rate"
        yield Problem(what, "--rate", "use --concurrency")
    if options.dataset is not None:
        yield Problem("a replay has prompts of its own", "--dataset", "leave it out")


def _rates(
    rates: tuple[float, ...], workload: FixedWorkload | AgenticWorkload
) -> Iterator[Problem]:
    for rate in rates:
        if not 0 < rate < inf:
            yield Problem(f"{rate:g} requests/s cannot be asked", "--rate", "use a rate above 0")
    for rate, times in Counter(rates).items():
        if times > 1:
            what = f"rate {rate:g} is given more than once"
            yield Problem(what, "--rate", "use --repetitions to measure again")
    if isinstance(workload, AgenticWorkload):
        return
    if rates and workload.arrival is not None and workload.arrival.rates:
        what = "a series of rates is stated already"
        yield Problem(what, "--rate", "give one of --rate and --rate-file")
    if rates and workload.ramp_s is not None:
        what = "the workload ramps its concurrency, and a rate leaves it open"
        yield Problem(what, "--ramp", "state the ramp of the arrivals instead")


def _headers(headers: tuple[tuple[str, str], ...], api_key: str | None) -> Iterator[Problem]:
    for name, value in headers:
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            what = f"header {name!r} cannot be sent"
            yield Problem(what, "--header", "write it as NAME:VALUE, on one line and in ASCII")
        elif name.lower() in _OWN_HEADERS:
            yield Problem(f"infx itself sets the header {name}", "--header", "leave it out")
    if api_key is not None and not _VALUE.fullmatch(api_key):
        what = "the API key has a character that no header can carry"
        yield Problem(what, "--api-key-env", "does the variable hold a line end?")
