"""Measure one endpoint: size the prompts, run every point, keep every fact, summarise.

Only what the first request needs is imported before it; summaries import the metrics when the load
is over.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from pydantic import JsonValue

from infx.clock import Clock
from infx.errors import MachineError, Problem
from infx.flows import beside
from infx.flows.aim import headers, stop, target
from infx.flows.asking import Shards
from infx.flows.keyed import keyed
from infx.flows.manifest import new_manifest, stamp
from infx.flows.options import BenchOptions
from infx.flows.point import Brake, Conditions, measure
from infx.flows.script import Prepared, Script, prepare
from infx.flows.sizing import TokenCounts, open_given
from infx.load.progress import Progress
from infx.model.agentic import AgenticWorkload
from infx.model.bundle import PointFile, RunState
from infx.model.launch import Endpoint
from infx.model.workload import FixedWorkload
from infx.store import bundles
from infx.store.bundles import BundleWriter
from infx.store.journal import records
from infx.wire.address import Dial, dial, parse
from infx.wire.fetch import Client, choose_model, model_ids

if TYPE_CHECKING:
    from infx.flows.runs import Run
    from infx.flows.serving import Server, Serving
    from infx.model.result import PointSummary
    from infx.telemetry.scraper import Scraper

SERVER_LOGS = bundles.SERVER
Asked = FixedWorkload | AgenticWorkload


@dataclass(frozen=True, slots=True)
class Watch:
    """Who hears of a run while it goes: talk, progress of a phase, and each finished point."""

    talk: Callable[[str], None] = lambda _: None
    progress: Callable[[Progress], None] = lambda _: None
    point: "Callable[[PointSummary], None]" = lambda _: None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to. `failure` says why it ended before all points were measured."""

    run: "Run"
    interrupted: bool = False
    failure: Problem | None = None


async def run_bench(
    options: BenchOptions,
    *,
    clock: Clock,
    brake: Brake,
    watch: Watch,
    connect: Dial | None = None,
    serving: "Serving | None" = None,
) -> Outcome:
    """Measure an endpoint at every concurrency and repetition, in order, into a new bundle.

    `connect` replaces the network, `serving` starts the server first. Raises InfxError when nothing
    can be measured; a bundle that was begun is closed as `failed` or `interrupted`, and kept.
    """
    options.check()
    address = parse(options.url)
    client = Client(address, connect or dial(address), headers(options), clock)
    bench = _Bench(options, client, clock, brake, watch)
    bench.alone = connect is not None  # what replaces the network cannot be given to others
    if serving is None:
        await bench.find_model()
    writer = bundles.create(options.out, new_manifest(options, clock))
    watch.talk(f"bundle {writer.path}")
    async with AsyncExitStack() as stack:
        try:
            if serving is not None:
                log_dir = writer.path / SERVER_LOGS
                bench.server = await stack.enter_async_context(serving.start(log_dir))
                bench.observe = serving.observe
                await bench.find_model()
            await bench.run_points(writer)
        except BaseException as error:
            await stack.aclose()
            stopped = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
            _close(writer, clock, "interrupted" if stopped else "failed", error)
            raise
    return _finished(bench, writer, interrupted=brake.presses > 0)


def _finished(bench: "_Bench", writer: BundleWriter, *, interrupted: bool) -> Outcome:
    """Close the bundle of a run whose server has stopped, and read it back."""
    failure = bench.failure
    if bench.server is not None and failure is None:
        for name in bench.server.logs:
            writer.pack_file(f"{SERVER_LOGS}/{name}.log")
    state: RunState = "failed" if failure else "interrupted" if interrupted else "finished"
    _close(writer, bench.clock, state, failure)
    from infx.flows.runs import open_run  # after the load: it reads documents

    return Outcome(open_run(writer.path), interrupted, failure)


class _Bench:
    """A run while it goes."""

    def __init__(
        self,
        options: BenchOptions,
        client: Client,
        clock: Clock,
        brake: Brake,
        watch: Watch,
    ) -> None:
        self._options = options
        self._client = client
        self.clock = clock
        self._brake = brake
        self._watch = watch
        self.alone = False
        self._given = [open_given(part) for part in options.parts]
        self._model = ""
        self._measured = 0
        self._asked: Prepared
        self._counts: TokenCounts
        self.server: Server | None = None
        self.observe: Callable[[str], Mapping[str, JsonValue]] = lambda _: {}
        self.failure: Problem | None = None

    async def find_model(self) -> None:
        """Ask the server what it serves, and take the asked model or the only one."""
        asked = self._options.model
        reply = await self._client.get("/v1/models")
        if reply.status == 404 and asked is not None:
            self._model = asked
        else:
            self._model = choose_model(model_ids(reply), asked, reply.url)

    async def run_points(self, writer: BundleWriter) -> None:
        """Run every point in order, until one finds the server gone or the brake is pressed."""
        self._counts = counts = TokenCounts(self._client, self._model)
        for part, given in zip(self._options.parts, self._given, strict=True):
            self._options = part
            self._asked = await prepare(part, given, counts, self._watch.talk)
            for repetition in range(part.repetitions):
                for workload, concurrency in part.points(self._asked.workload):
                    await self._try_point(writer, workload, concurrency, repetition)
                    if self.failure or self._brake.presses:
                        return

    async def _try_point(
        self, writer: BundleWriter, workload: Asked, concurrency: int, repetition: int
    ) -> None:
        """Run a point; once one is measured, what the machine refuses is the run's failure."""
        try:
            await self._run_point(writer, workload, concurrency, repetition)
        except MachineError as error:
            if not self._measured:
                raise
            self.failure = error.problems[0]

    async def _run_point(
        self, writer: BundleWriter, workload: Asked, concurrency: int, repetition: int
    ) -> None:
        options = self._options
        point = self._point(workload, concurrency, repetition)
        directory = writer.begin_point(point)
        script = self._asked.script(workload, concurrency, repetition)
        audit = {**script.audit, **await self._known_before(script)}
        before = await beside.read(self._client, self.clock)
        async with AsyncExitStack() as stack:
            reads = script.rules is not None or options.metrics_urls
            scraper = await stack.enter_async_context(self._telemetry(directory)) if reads else None
            measured = await measure(
                point.model_copy(update={"audit": audit}),
                script,
                Conditions(
                    directory=directory,
                    target=target(self._client, point),
                    clock=self.clock,
                    stop=stop(options),
                    brake=self._brake,
                    on_progress=self._watch.progress,
                    talk=self._watch.talk,
                    shards=Shards() if self.alone else options.processes(),
                    between=scraper.read if scraper else None,
                ),
            )
        self.failure = (self.server.died() if self.server else None) or measured.gone
        seen = beside.between(before, await beside.read(self._client, self.clock))
        if scraper is not None:
            from infx.flows.telemetry import facts

            seen |= facts(scraper)
        point = measured.point.model_copy(update={"audit": {**measured.point.audit, **seen}})
        from infx.flows.summary import summarise_in  # after the load: it knows every result

        summary = summarise_in(directory, point, records(directory / bundles.REQUESTS))
        writer.end_point(point, summary)
        self._keep_observed(writer, point)
        self._measured += 1
        self._watch.point(summary)

    async def _known_before(self, script: Script) -> dict[str, JsonValue]:
        """Say whether the server may know what a replay asks, after a reset where one is asked."""
        options = self._options
        if script.rules is None and not options.reset_cache:
            return {}
        from infx.flows.freshness import known_before

        own = 0 if self._measured else self._counts.tokens
        known = await known_before(
            self._client, self.clock, urls=options.metrics_urls, reset_cache=options.reset_cache
        )
        return {**known, "server_used": self._measured > 0, "server_tokens_own": own}

    def _telemetry(self, directory: Path) -> AbstractAsyncContextManager["Scraper"]:
        from infx.flows.telemetry import telemetry  # a run of independent requests needs none

        urls = self._options.metrics_urls
        return telemetry(self._client, self.clock, directory=directory, urls=urls)

    def _keep_observed(self, writer: BundleWriter, point: PointFile) -> None:
        """Write what the point's server said that it runs, each fact with its log line."""
        if self.server is None:
            return
        facts = {
            name: dict(self.observe(log.read_text("utf-8", "replace")))
            for name, log in self.server.logs.items()
        }
        path = f"{bundles.POINTS}/{point.directory}/{bundles.OBSERVED}"
        writer.add_file(path, orjson.dumps(facts, option=orjson.OPT_INDENT_2))

    def _point(self, workload: Asked, concurrency: int, repetition: int) -> PointFile:
        options = self._options
        recipe = options.recipe
        if recipe.model is None:
            recipe = recipe.model_copy(update={"model": self._model})
        targets = asdict(options.slo) if options.slo else {}
        endpoint = Endpoint(url=self._client.address.url, model=self._model)
        point = keyed(recipe, workload, concurrency=concurrency, endpoint=endpoint)
        return point.model_copy(
            update={
                "repetition": repetition,
                "launch": options.launch,
                "calibration": dict(self._asked.facts),
                "slo": {name: value for name, value in targets.items() if value is not None},
            }
        )


def _close(
    writer: BundleWriter, clock: Clock, state: RunState, why: Problem | BaseException | None
) -> None:
    try:
        writer.close(state, stamp(clock.wall()), str(why) if why is not None else None)
    except MachineError:
        if why is None:
            raise
        # What ended the run says more. Its manifest stays `running`, and it can be recovered.
