"""One point: its plan, its load, its records, its summary."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from infx.clock import Clock
from infx.errors import Problem
from infx.flows.asking import Asking, Shards
from infx.flows.script import Script
from infx.load.plan import Plan
from infx.load.progress import Progress
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.record import Phase
from infx.store.bundles import PLAN, REQUESTS
from infx.store.files import write_chunks, write_whole
from infx.store.journal import records
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """How a point is asked, whatever it asks.

    Plan and journal land in `directory`. `between` is awaited after a warmup that has drained.
    """

    directory: Path
    target: Target
    clock: Clock
    stop: Stop
    brake: Brake
    on_progress: Callable[[Progress], None]
    talk: Callable[[str], None]
    shards: Shards = ALONE
    between: Callable[[], Awaitable[None]] | None = None


async def measure(point: PointFile, script: Script, under: Conditions) -> Measurement:
    """Ask what the script says at the point's concurrency; a large plan is packed at the end.

    Whatever happens, what was seen so far is in the journal when this returns or raises.
    """
    rate = script.rate
    digest = write_chunks(under.directory / PLAN, script.chunks)
    drawn = dict(script.drawn())
    if script.expected is not None:  # before anything is asked, so that a killed run has it too
        from infx.store.expected import EXPECTED

        write_whole(under.directory / EXPECTED, script.expected())
    asking = Asking(
        under.directory,
        under.target,
        under.clock,
        concurrency=point.concurrency,
        seed=point.workload.seed,
        shards=under.shards.start,
        rules=script.rules,
        on_progress=lambda state: under.on_progress(replace(state, rate=rate)),
    )
    under.brake.hold(asking)
    try:
        windows = await _asked(asking, script, under, most=point.concurrency)
    finally:
        under.brake.hold(None)
        asking.close()
    differing = cast("list[JsonValue]", drawn.setdefault("digest_mismatch", []))
    if (mapped := asking.plan.digest()) != digest:
        differing.append({"what": "plan", "stated": digest, "found": mapped})
        under.talk("the plan was changed while it was asked")
    audit = {**point.audit, **drawn, **asking.audit, **_live(asking.plan, under)}
    pack_plan(under.directory)
    measured = point.model_copy(update={"plan_digest": digest, "phases": windows, "audit": audit})
    return Measurement(measured, asking.gone)


def _live(plan: Plan, under: Conditions) -> dict[str, JsonValue]:
    """Return what became of the answers that later prompts contain, where any do."""
    if not plan.is_live:
        return {}
    from infx.flows.live import live_answers  # after the load, and few points need it

    joined = live_answers(plan, records(under.directory / REQUESTS))
    if joined.ended:
        under.talk(f"{joined.ended} conversations ended: an answer that they go on from failed")
    return {"live_answers": joined.facts()}


async def _asked(
    asking: Asking, script: Script, under: Conditions, *, most: int
) -> tuple[PhaseWindow, ...]:
    """Ask warmup and measurement; `most` processes at the most when the warmup came too late."""
    if script.join_warmup:
        return await asking.run((Phase.WARMUP, Phase.PROFILING), script.stop(under.stop))
    windows: tuple[PhaseWindow, ...] = ()
    if script.warms_up:
        # Lanes ramp up where they are measured; a replay's warmup asks no more than its profiling.
        windows = await asking.run((Phase.WARMUP,), replace(script.stop(under.stop), ramp_ns=0))
        most = min(under.shards.most, most)
        going_on = not (under.brake.presses or asking.gone)
        if asking.shards < most and going_on and asking.was_late():
            asking.spread(most)
            under.talk(f"this client was late in the warmup: {most} processes measure the point")
    if windows and under.between is not None:
        await under.between()
    if asking.gone or asking.aborted:
        return windows
    return (*windows, *await asking.run((Phase.PROFILING,), script.stop(under.stop)))
