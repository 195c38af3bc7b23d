"""What this machine can measure: infx against a truth server, each load held against its log.

One process asks, so that the figures are those of one; more of them carry more.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from infx.clock import NS, Clock
from infx.errors import Interrupted, MachineError
from infx.flows.bench import Watch, run_bench
from infx.flows.manifest import stamp, versions
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.flows.runs import Run
from infx.flows.truth_log import read_log, ttft_truth
from infx.launch.local import Running, free_port, running
from infx.load.progress import Progress
from infx.model.bundle import PointFile
from infx.model.launch import Endpoint, LaunchPlan, ProcessPlan
from infx.model.record import EndState, Phase
from infx.model.result import PointSummary
from infx.model.selftest import Selftest, SelftestLoad
from infx.model.workload import FixedWorkload
from infx.servers.truth.log import Sent
from infx.store.bundles import new_run_id
from infx.telemetry.host import facts

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Load:
    """One kind of load: at which numbers of streams, and what the server sends."""

    streams: tuple[int, ...]
    ttft_s: float
    gap_s: float
    tokens: int
    events_per_write: int = 1
    requests_per_lane: int = 6

    @property
    def request_s(self) -> float:
        """How long one request takes when nothing is late."""
        return self.ttft_s + self.gap_s * (self.tokens - 1)


PACED = Load((1, 8, 64, 256, 512), ttft_s=0.05, gap_s=0.005, tokens=64)
FULL_SPEED = Load((64,), ttft_s=0, gap_s=0, tokens=512, events_per_write=16)


async def run_selftest(
    environment: Mapping[str, str],
    *,
    clock: Clock,
    brake: Brake,
    talk: Callable[[str], None],
    loads: tuple[Load, Load] = (PACED, FULL_SPEED),
) -> Selftest:
    """Measure the paced loads and the full speed, each on a server of its own; leave none running.

    Raises MachineError when a server does not come up or goes away, Interrupted for the brake.
    """
    paced, full = loads
    wall = clock.wall()
    measured = [
        load
        for kind in (paced, full)
        for load in await _measure(kind, environment, clock=clock, brake=brake, talk=talk)
    ]
    steps = tuple(measured[:-1])
    return Selftest(
        selftest=new_run_id(wall),
        started=stamp(wall),
        host=facts(),
        versions=versions(),
        loads=steps,
        capacity=measured[-1],
        largest_streams=max((load.streams for load in steps if load.held), default=None),
        limit=limit(steps),
    )


def limit(loads: tuple[SelftestLoad, ...]) -> str:
    """Say what kept the first load above the largest that held from holding; loads ascend."""
    held = max((load.streams for load in loads if load.held), default=0)
    above = [load for load in loads if load.streams > held]
    if not above:
        return "none of these loads was too much"
    first = above[0]
    found = list(first.reasons)
    if first.kept is not None and first.kept < 0.95:
        found.append(f"only {first.kept:.0%} of the offered events came")
    if first.server_late_p99 > 0.05 * PACED.ttft_s + 0.002:
        found.append(f"the server itself sent up to {first.server_late_p99 * 1000:.1f} ms late")
    return f"at {first.streams} streams: {', '.join(found)}"


async def _measure(
    load: Load,
    environment: Mapping[str, str],
    *,
    clock: Clock,
    brake: Brake,
    talk: Callable[[str], None],
) -> list[SelftestLoad]:
    with TemporaryDirectory(prefix="infx-selftest-") as name:
        folder = Path(name)
        meter = _Meter(talk)
        plan = _plan(load, folder / "log.jsonl")
        async with _served(plan, environment, folder, clock):
            outcome = await run_bench(
                _options(load, plan.endpoint.url, folder), clock=clock, brake=brake,
                watch=Watch(progress=meter.progress, point=meter.point),
            )  # fmt: skip
        if outcome.interrupted:
            raise Interrupted("interrupted")
        if outcome.failure is not None:
            raise MachineError(outcome.failure)
        log = read_log(folder / "log.jsonl")
        return [
            _held_against(
                log, load, run=outcome.run, point=point, cpu_s=meter.cpu_s[point.concurrency]
            )
            for point in outcome.run.points
        ]


def _served(
    plan: LaunchPlan, environment: Mapping[str, str], folder: Path, clock: Clock
) -> AbstractAsyncContextManager[Running]:
    return running(plan, environment=environment, log_dir=folder, clock=clock)


def _plan(load: Load, log: Path) -> LaunchPlan:
    port = free_port(HOST)
    argv = (
        sys.executable, "-m", "infx.servers.truth", "--host", HOST, "--port", str(port),
        "--log", str(log), "--ttft", str(load.ttft_s), "--itl", str(load.gap_s),
        "--events-per-write", str(load.events_per_write),
    )  # fmt: skip
    endpoint = Endpoint(url=f"http://{HOST}:{port}", model="truth")
    return LaunchPlan(
        engine="truth", processes=(ProcessPlan(name="truth", argv=argv),), endpoint=endpoint
    )


def _options(load: Load, url: str, folder: Path) -> BenchOptions:
    workload = FixedWorkload(
        isl=64,
        osl=load.tokens,
        range_ratio=1.0,
        requests_per_lane=load.requests_per_lane,
        warmups_per_lane=1,
    )
    out = folder / "runs"  # of one process: what it can do by itself is the question
    return BenchOptions(url=url, workload=workload, concurrency=load.streams, out=out, shards=1)


class _Meter:
    """Takes this process's CPU time over the profiling phase of each point."""

    def __init__(self, talk: Callable[[str], None]) -> None:
        self._talk = talk
        self._began = 0.0
        self._ended = 0.0
        self._profiling = False
        self.cpu_s: dict[int, float] = {}

    def progress(self, seen: Progress) -> None:
        """Note the moments at which warmup is left, and the last one of profiling."""
        profiling = seen.phase is Phase.PROFILING
        if not (profiling and self._profiling):
            self._began = process_time()
        self._profiling = profiling
        self._ended = process_time()

    def point(self, summary: PointSummary) -> None:
        """Keep a finished point's CPU time."""
        self.cpu_s[summary.concurrency] = self._ended - self._began
        self._profiling = False
        self._talk(f"{summary.concurrency} streams measured")


def _held_against(
    log: dict[str, Sent], load: Load, *, run: Run, point: PointFile, cpu_s: float
) -> SelftestLoad:
    records = run.records(point.point_id)
    (summary,) = (one for one in run.result.points if one.point_id == point.point_id)
    truth = ttft_truth(point, records, log)
    (window,) = (phase for phase in point.phases if phase.phase is Phase.PROFILING)
    events = sum(
        record.chunks
        for record in records
        if record.phase is Phase.PROFILING and record.state is EndState.OK
    )
    carried = events * NS / (window.end_ns - window.start_ns)
    paced = load.request_s > 0
    offered = point.concurrency * load.tokens / load.request_s if paced else None
    client = summary.client
    return SelftestLoad(
        streams=point.concurrency,
        gap=load.gap_s,
        requests=truth.requests,
        offered=offered,
        carried=carried,
        kept=carried / offered if offered is not None else None,
        ttft_bias_mean=truth.bias_mean,
        ttft_bias_p99=truth.bias_p99,
        read_late_mean=truth.read_late_mean,
        read_late_p99=truth.read_late_p99,
        named_mean=client.ttft_bias_mean if client else None,
        named_p99=client.ttft_bias_p99 if client else None,
        server_late_p99=truth.server_p99 - load.ttft_s,
        cpu_per_event=cpu_s / events,
        certified=summary.certified,
        reasons=summary.reasons,
    )
