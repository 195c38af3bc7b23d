"""One point: its plan, its load, its records, its summary."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from infx.clock import NS, Clock
from infx.errors import Problem
from infx.load.driver import Driver
from infx.load.plan import open_plan
from infx.load.planner import plan_bytes, plan_digest
from infx.load.progress import Progress
from infx.load.sample import kept_answers
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.record import Phase
from infx.model.workload import Session
from infx.store.files import write_whole
from infx.store.journal import Journal


class Brake:
    """Stops a run from outside: pressed once it drains, pressed again it cancels."""

    def __init__(self) -> None:
        self.presses = 0
        self._driver: Driver | None = None

    @property
    def holding(self) -> bool:
        """Whether a point runs that can be stopped."""
        return self._driver is not None

    def press(self) -> None:
        """Stop the point that runs now, and start no other."""
        self.presses += 1
        self._apply()

    def hold(self, driver: Driver | None) -> None:
        """Say which driver runs now."""
        self._driver = driver
        self._apply()

    def _apply(self) -> None:
        if self._driver is None:
            return
        if self.presses == 1:
            self._driver.drain()
        elif self.presses > 1:
            self._driver.cancel()


@dataclass(frozen=True, slots=True)
class Measurement:
    """A point as it was measured. `gone` says why the server is taken to have died under it."""

    point: PointFile
    gone: Problem | None


def stop_rule(point: PointFile, grace_s: float) -> Stop:
    """Return when the point's profiling phase ends."""
    duration = point.workload.duration_s
    grace = round(grace_s * NS)
    return Stop(None if duration is None else round(duration * NS), grace)


async def measure(
    point: PointFile,
    sessions: tuple[Session, ...],
    target: Target,
    clock: Clock,
    *,
    directory: Path,
    grace_s: float,
    brake: Brake,
    on_progress: Callable[[Progress], None],
) -> Measurement:
    """Ask the sessions at the point's concurrency; plan and journal land in `directory`.

    Whatever happens, what was seen so far is in the journal when this returns or raises.
    """
    plan_path = directory / "plan.bin"
    data = plan_bytes(sessions, api=point.workload.api)
    write_whole(plan_path, data)
    plan = open_plan(plan_path)
    journal = Journal(directory / "requests.jsonl.zst")
    driver = Driver(
        plan,
        target,
        journal,
        clock,
        concurrency=point.concurrency,
        keep_text=kept_answers(plan.sessions(Phase.PROFILING), point.workload.seed),
        on_progress=on_progress,
    )
    windows: list[PhaseWindow] = []
    brake.hold(driver)
    try:
        if plan.sessions(Phase.WARMUP):
            windows += await driver.run((Phase.WARMUP,), Stop(grace_ns=round(grace_s * NS)))
        if not driver.gone:
            windows += await driver.run((Phase.PROFILING,), stop_rule(point, grace_s))
    finally:
        brake.hold(None)
        driver.close()
        journal.close()
    audit = {
        **point.audit,
        "keep_alive_resets": driver.resets,
        "plan_exhausted": driver.exhausted,
    }
    measured = point.model_copy(
        update={"plan_digest": plan_digest(data), "phases": tuple(windows), "audit": audit}
    )
    return Measurement(measured, driver.gone)
