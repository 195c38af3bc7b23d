"""What a bench run is asked to do."""

from dataclasses import dataclass, field
from pathlib import Path

from infx.errors import InputError, Problem
from infx.model.launch import LaunchPlan
from infx.model.recipe import BoundRecipe
from infx.model.record import Slo
from infx.model.workload import FixedWorkload


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """A bench run of one endpoint.

    `url` is the base URL of an OpenAI-compatible server. `recipe` is what is known of the server;
    its model is filled in from `/v1/models` where it is null. `model` is the name to ask for.
    `tokenizer` or `dataset` name files; without either, prompts are sized against the server's own
    count. `api_key` is sent as a bearer token and never written down. `slo` adds goodput.
    `grace_s` is how long a run that ends by time, or by Ctrl-C, waits for open answers.
    `simulated` marks a server that only imitates an engine. `command` stands in the manifest as it
    is, so secrets are masked in it before.
    """

    url: str
    workload: FixedWorkload
    concurrency: tuple[int, ...]
    out: Path
    recipe: BoundRecipe = field(default_factory=lambda: BoundRecipe(name="endpoint"))
    launch: LaunchPlan | None = None
    model: str | None = None
    repetitions: int = 1
    tokenizer: Path | None = None
    dataset: Path | None = None
    headers: tuple[tuple[str, str], ...] = ()
    api_key: str | None = None
    slo: Slo | None = None
    grace_s: float = 30.0
    simulated: bool = False
    command: tuple[str, ...] = ("infx.bench",)

    def check(self) -> None:
        """Raise InputError with every problem that can be told before anything is asked."""
        problems = [
            Problem(f"concurrency {number} is not possible", "--concurrency", "use 1 or more")
            for number in self.concurrency
            if number < 1
        ]
        if not self.concurrency:
            problems.append(Problem("no concurrency is given", "--concurrency", "use 1,2,4"))
        if len(set(self.concurrency)) < len(self.concurrency):
            problems.append(Problem("a concurrency is given twice", "--concurrency", "once each"))
        if self.repetitions < 1:
            problems.append(Problem("no repetition is asked for", "--repetitions", "use 1 or more"))
        if self.tokenizer and self.dataset:
            what = "prompts of a dataset have their own lengths; a tokenizer has nothing to size"
            problems.append(Problem(what, "--tokenizer", "give one of --dataset and --tokenizer"))
        for name, value in self.headers:
            if not name or set("\r\n") & set(name + value) or set(": ") & set(name):
                what = f"header {name!r} cannot be sent"
                problems.append(Problem(what, "--header", "write it as NAME:VALUE on one line"))
        if problems:
            raise InputError(*problems)
