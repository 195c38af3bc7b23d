"""`infx.bench(...)` and its like: what the command line does, for notebooks and scripts."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from infx.clock import SystemClock, event_loop
from infx.errors import MachineError
from infx.flows.bench import Outcome, Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.pace import Pace
from infx.flows.point import Brake
from infx.flows.runs import Run, open_run
from infx.load.progress import Progress
from infx.model.agentic import AgenticWorkload, Rule
from infx.model.asked import Process
from infx.model.comparison import Comparison
from infx.model.recipe import BoundRecipe
from infx.model.record import Slo
from infx.model.workload import FixedWorkload
from infx.workloads.shapes import shape as lengths

Number = TypeVar("Number", int, float)


def bench(
    url: str,
    *,
    concurrency: int | Iterable[int] | None = None,
    rate: float | Iterable[float] | None = None,
    arrival: Process | None = None,
    burstiness: float | None = None,
    max_in_flight: int | None = None,
    shape: str = "1k1k",
    workload: FixedWorkload | None = None,
    model: str | None = None,
    gpus: int | None = None,
    slo: Slo | None = None,
    repetitions: int = 1,
    tokenizer: str | Path | None = None,
    dataset: str | Path | None = None,
    headers: Mapping[str, str] | None = None,
    api_key: str | None = None,
    shards: int | None = None,
    out: str | Path = "runs",
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Run:
    """Measure an OpenAI-compatible endpoint and return the finished run.

    `shape` is `1k1k`, `8k1k`, `1k8k` or `INPUTxOUTPUT` tokens; a `workload` replaces it and says
    everything else that is asked, such as arrivals at rates that change. The other arguments mean
    what the flags of `infx bench` mean. Raises InputError for what cannot be asked and MachineError
    when nothing can be measured, or the server died on the way; the bundle so far is kept under
    `out`.
    """
    isl, osl = lengths(shape)
    if workload is None:
        workload = FixedWorkload(isl=None if dataset else isl, osl=osl)
    pace = Pace(
        concurrency=_several(concurrency),
        rates=_several(rate),
        process=arrival,
        burstiness=burstiness,
        max_in_flight=max_in_flight,
        given=workload.arrival,
    )
    pace.check(bounded=True)  # a workload sees to it itself that its arrivals end
    options = BenchOptions(
        url=url,
        workload=workload.model_copy(update={"arrival": pace.arrival}),
        concurrency=pace.lanes,
        rates=pace.rates or (),
        out=Path(out),
        recipe=BoundRecipe(name="endpoint", gpus=gpus),
        model=model,
        repetitions=repetitions,
        tokenizer=Path(tokenizer) if tokenizer else None,
        dataset=Path(dataset) if dataset else None,
        headers=tuple((headers or {}).items()),
        api_key=api_key,
        slo=slo,
        shards=shards,
    )
    return _measured(options, on_progress)


def replay(
    url: str,
    corpus: str | Path,
    *,
    concurrency: int | Iterable[int] = 1,
    rule: Rule = "full",
    settings: Mapping[str, object] | None = None,
    cache: str | Path | None = None,
    model: str | None = None,
    gpus: int | None = None,
    tokenizer: str | Path | None = None,
    headers: Mapping[str, str] | None = None,
    api_key: str | None = None,
    shards: int | None = None,
    out: str | Path = "runs",
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Run:
    """Replay recorded agent sessions against an endpoint and return the finished run.

    `corpus` is a file or folder of traces, `demo`, or a name that was fetched into `cache`, by
    default `~/.cache/infx`. `rule`
    names the settings of AgentX to begin with, `settings` are fields of `AgenticWorkload` that
    stand in their place. The rest, and what is raised, is as for `bench`.
    """
    from infx.flows.workload import corpus_digest, find_corpus, registered_digest

    kept = Path(cache) if cache else Path.home() / ".cache" / "infx"
    path = find_corpus(str(corpus), kept)
    digest = f"sha256:{corpus_digest(path)}"
    options = BenchOptions(
        url=url,
        workload=AgenticWorkload.under(rule, corpus=digest, **(settings or {})),
        corpus=path,
        registered=registered_digest(path, kept),
        concurrency=_several(concurrency) or (),
        out=Path(out),
        recipe=BoundRecipe(name="endpoint", gpus=gpus),
        model=model,
        tokenizer=Path(tokenizer) if tokenizer else None,
        headers=tuple((headers or {}).items()),
        api_key=api_key,
        shards=shards,
    )
    return _measured(options, on_progress)


def compare(
    a: Run | str | Path, b: Run | str | Path, *, assume_same_server: bool = False
) -> Comparison:
    """Say for each point of run `b` what it is next to the same point of run `a`.

    Runs are given as they were returned, or as the paths of their bundles. `assume_same_server`
    vouches that bare endpoints are one server. Raises InputError for what is no run.
    """
    from infx.flows.compare import compare_runs

    first, second = (run if isinstance(run, Run) else open_run(run) for run in (a, b))
    return compare_runs(first, second, assume_same_server=assume_same_server)


def _measured(options: BenchOptions, on_progress: Callable[[Progress], None]) -> Run:
    outcome = _run_apart(options, Watch(progress=on_progress))
    if outcome.failure is not None:
        raise MachineError(outcome.failure)
    return outcome.run


def _several(values: Number | Iterable[Number] | None) -> tuple[Number, ...] | None:
    if values is None:
        return None
    return (values,) if isinstance(values, int | float) else tuple(values)


def _run_apart(options: BenchOptions, watch: Watch) -> Outcome:
    """Run in a thread of its own: a notebook's thread has a running loop already.

    An interruption drains the run, and its bundle is finished before KeyboardInterrupt goes on.
    """
    brake = Brake()
    loop = event_loop()
    flow = run_bench(options, clock=SystemClock(), brake=brake, watch=watch)
    with closing(loop), ThreadPoolExecutor(1) as thread:
        running = thread.submit(loop.run_until_complete, flow)
        try:
            return running.result()
        except KeyboardInterrupt:
            loop.call_soon_threadsafe(brake.press)
            running.result()
            raise
