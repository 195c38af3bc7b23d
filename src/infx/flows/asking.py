"""Who asks a point's plan: this process, or several that share it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from infx.clock import NS, Clock
from infx.errors import Problem
from infx.load.driver import Driver
from infx.load.plan import open_plan
from infx.load.progress import Progress
from infx.load.sample import kept_answers
from infx.load.target import Stop, Target
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase, RequestRecord
from infx.store.bundles import PLAN, REQUESTS
from infx.store.journal import Journal, records

if TYPE_CHECKING:
    from infx.load.crew import Crew
    from infx.load.replay import Replay
    from infx.load.rules import Rules

SPREAD = 2
"""How many processes ask after one was too late."""
NEVER_LATE_NS = 700_000
"""A loop that was never late for longer cannot have moved a mean by the 0.5 ms that may be."""


@dataclass(frozen=True, slots=True)
class Shards:
    """How many processes ask a point: `start` of them, `most` when the warmup came too late."""

    start: int = 1
    most: int = 1


class Asking:
    """The load of one point. `shards` is how many processes carry it now.

    With `rules` the plan's session trees are played, to the end by as many as began.
    """

    def __init__(
        self,
        directory: Path,
        target: Target,
        clock: Clock,
        *,
        concurrency: int,
        seed: int,
        shards: int,
        on_progress: Callable[[Progress], None],
        rules: "Rules | None" = None,
    ) -> None:
        self._plan_path = directory / PLAN
        self._journal_path = directory / REQUESTS
        self._target = target
        self._clock = clock
        self._concurrency = concurrency
        self._on_progress = on_progress
        self.plan = open_plan(self._plan_path)
        self._keep_text = kept_answers(self.plan.sessions(Phase.PROFILING), seed)
        self._resets = 0
        self._journal: Journal | None = None
        self.shards = min(shards, concurrency)
        self._rules = rules
        self._load: Driver | Crew | Replay
        if self.shards > 1:
            self._load = self._crew(0)
        else:
            self._load = self._alone() if rules is None else self._replay(rules)

    @property
    def gone(self) -> Problem | None:
        """Why the server is taken to be gone, if it is."""
        return self._load.gone

    @property
    def audit(self) -> dict[str, JsonValue]:
        """What the load says of its own work, in the words of `PointFile.audit`."""
        said: dict[str, JsonValue] = {
            "keep_alive_resets": self._resets + self._load.resets,
            "plan_exhausted": self._load.exhausted,
            "shards": self.shards,
        }
        if self.shards > 1:
            said["shard_cpu_s"] = list(cast("Crew", self._load).cpu_s)
        if self._rules is not None:
            said |= _replay_facts(cast("Crew | Replay", self._load))
        return said

    @property
    def aborted(self) -> Problem | None:
        """Why a replay stopped itself, if it did."""
        return None if isinstance(self._load, Driver) else self._load.aborted

    async def run(self, phases: Sequence[Phase], stop: Stop) -> tuple[PhaseWindow, ...]:
        """Ask the sessions of these phases; errors as those of `Driver.run` and `Crew.run`."""
        return await self._load.run(phases, stop)

    def was_late(self) -> bool:
        """Whether this process alone read the warmup's first contents later than is tolerated."""
        if not isinstance(self._load, Driver) or self._load.sender.lag.slowest_ns < NEVER_LATE_NS:
            return False
        return is_late(records(self._journal_path))

    def spread(self, shards: int) -> None:
        """Let several processes ask what this one has not asked yet; it must be at rest."""
        if not isinstance(self._load, Driver):
            raise TypeError("only one process can be spread")
        self.close()
        self._resets = self._load.resets
        self.shards = shards
        self._load = self._crew(self._load.sender.requests)

    def drain(self) -> None:
        """Issue nothing more; see `Driver.drain`."""
        self._load.drain()

    def cancel(self) -> None:
        """Issue nothing more, and cancel what is in flight."""
        self._load.cancel()

    def close(self) -> None:
        """Close every connection, end every shard, and leave one whole journal."""
        self._load.close()
        if self._journal is not None:
            self._journal.close()

    def _alone(self) -> Driver:
        self._journal = Journal(self._journal_path)
        return Driver(
            self.plan,
            self._target,
            self._journal,
            self._clock,
            concurrency=self._concurrency,
            keep_text=self._keep_text,
            on_progress=self._on_progress,
        )

    def _replay(self, rules: "Rules") -> "Replay":
        from infx.load.replay import Replay  # only where sessions are replayed

        self._journal = Journal(self._journal_path)
        return Replay(
            self.plan,
            self._target,
            self._journal,
            self._clock,
            concurrency=self._concurrency,
            rules=rules,
            keep_text=self._keep_text,
            on_progress=self._on_progress,
        )

    def _crew(self, first: int) -> "Crew":
        from infx.load.crew import Crew  # only where it is needed: it can start processes

        return Crew(
            self._plan_path,
            self._target,
            self._journal_path,
            self._clock,
            concurrency=self._concurrency,
            shards=self.shards,
            first=first,
            rules=self._rules,
            keep_text=self._keep_text,
            on_progress=self._on_progress,
        )


def _replay_facts(replay: "Crew | Replay") -> dict[str, JsonValue]:
    aborted = replay.aborted
    return {
        "idle_skipped": {"times": replay.idle.times, "s": replay.idle.ns / NS},
        "tree_idle_skipped": {"times": replay.tree_idle.times, "s": replay.tree_idle.ns / NS},
        "aborted": None if aborted is None else str(aborted),
    }


def is_late(seen: Sequence[RequestRecord]) -> bool:
    """Whether the client may have moved the TTFT of these warmup requests beyond tolerance."""
    from infx.metrics import e2el, ttft  # between two phases, and only if the loop was late at all
    from infx.metrics.client import client_audit, client_reasons
    from infx.model.measured import Measured

    measured = Measured(
        tuple(replace(one, phase=Phase.PROFILING) for one in seen if one.phase is Phase.WARMUP)
    )
    audit = client_audit(measured)
    return "client-lag" in client_reasons(audit, ttft.compute(measured), e2el.compute(measured))
