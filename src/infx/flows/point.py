"""One point: its plan, its load, its records, its summary."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from infx.clock import Clock
from infx.errors import Problem
from infx.flows.asking import Asking, Shards
from infx.flows.script import Script
from infx.load.progress import Progress
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.record import Phase
from infx.store.bundles import PLAN
from infx.store.expected import EXPECTED
from infx.store.files import write_chunks, write_whole
from infx.store.plans import pack_plan

ALONE = Shards()


class Brake:
    """Stops a run from outside: pressed once it drains, pressed again it cancels."""

    def __init__(self) -> None:
        self.presses = 0
        self._asking: Asking | None = None

    @property
    def holding(self) -> bool:
        """Whether a point runs that can be stopped."""
        return self._asking is not None

    def press(self) -> None:
        """Stop the point that runs now, and start no other."""
        self.presses += 1
        self._apply()

    def hold(self, asking: Asking | None) -> None:
        """Say what runs now."""
        self._asking = asking
        self._apply()

    def _apply(self) -> None:
        if self._asking is None:
            return
        if self.presses == 1:
            self._asking.drain()
        elif self.presses > 1:
            self._asking.cancel()


@dataclass(frozen=True, slots=True)
class Measurement:
    """A point as it was measured. `gone` says why the server is taken to have died under it."""

    point: PointFile
    gone: Problem | None


async def measure(
    point: PointFile,
    script: Script,
    target: Target,
    clock: Clock,
    *,
    directory: Path,
    stop: Stop,
    brake: Brake,
    on_progress: Callable[[Progress], None],
    shards: Shards = ALONE,
    talk: Callable[[str], None] = lambda _: None,
    between: Callable[[], Awaitable[None]] | None = None,
) -> Measurement:
    """Ask what the script says at the point's concurrency; plan and journal land in `directory`.

    `between` is awaited after a warmup that has drained. A large plan is packed at the end.
    Whatever happens, what was seen so far is in the journal when this returns or raises.
    """
    rate = script.rate
    digest = write_chunks(directory / PLAN, script.chunks)
    if script.expected is not None:  # before anything is asked, so that a killed run has it too
        write_whole(directory / EXPECTED, script.expected())
    asking = Asking(
        directory,
        target,
        clock,
        concurrency=point.concurrency,
        seed=point.workload.seed,
        shards=shards.start,
        rules=script.rules,
        on_progress=lambda state: on_progress(replace(state, rate=rate)),
    )
    windows: list[PhaseWindow] = []
    measured_phases: tuple[Phase, ...] = (Phase.PROFILING,)
    brake.hold(asking)
    try:
        if script.join_warmup:
            measured_phases = (Phase.WARMUP, Phase.PROFILING)
        elif script.warms_up:
            windows += await asking.run((Phase.WARMUP,), stop)
            most = min(shards.most, point.concurrency)
            going_on = not (brake.presses or asking.gone)
            if asking.shards < most and going_on and asking.was_late():
                asking.spread(most)
                talk(f"this client was late in the warmup: {most} processes measure the point")
        if windows and between is not None:
            await between()
        if not (asking.gone or asking.aborted):
            windows += await asking.run(measured_phases, script.stop(stop))
    finally:
        brake.hold(None)
        asking.close()
    pack_plan(directory)
    audit = {**point.audit, **asking.audit}
    measured = point.model_copy(
        update={"plan_digest": digest, "phases": tuple(windows), "audit": audit}
    )
    return Measurement(measured, asking.gone)
