"""How session trees are played, and the manner in which each of their turns is asked."""

from dataclasses import dataclass
from hashlib import sha256

import orjson

from infx.clock import NS
from infx.errors import Problem
from infx.load.lane import Manner
from infx.load.plan import Plan
from infx.load.play import Play
from infx.model.record import Phase


@dataclass(frozen=True, slots=True)
class Rules:
    """How trees are played.

    `seed` makes the markers, which no play has without `cache_bust`. Each lane asks `warmups` turns
    of one token after its primers. When nothing at all is in flight, what waits is moved until the
    next turn is `idle_cap_ns` away; a lone tree that idles, `tree_idle_cap_ns`. Once
    `abort_share` of the requests of profiling failed, nothing more is asked. `affinity` are the
    names of headers that carry the id of a request's stream, `parents` those that carry the id of
    the stream that started it.
    """

    seed: int
    cache_bust: bool = True
    warmups: int = 0
    idle_cap_ns: int | None = 10 * NS
    tree_idle_cap_ns: int | None = 300 * NS
    abort_share: float | None = None
    affinity: tuple[str, ...] = ("X-Correlation-ID", "X-Session-Affinity")
    parents: tuple[str, ...] = ()


@dataclass(slots=True)
class Skipped:
    """Idle time that was left out: how often, and how long in all."""

    times: int = 0
    ns: int = 0

    def add(self, ns: int) -> None:
        """Count one more."""
        self.times += 1
        self.ns += ns


@dataclass(slots=True)
class Failures:
    """How many requests ended, and how many of them failed."""

    ended: int = 0
    failed: int = 0

    def count(self, *, failed: bool) -> None:
        """Count one more."""
        self.ended += 1
        self.failed += failed

    def above(self, share: float | None, *, least: int) -> Problem | None:
        """Say that too many failed, once `least` requests and 10 have ended; None while not."""
        if share is None or self.ended < max(least, 10) or self.failed <= share * self.ended:
            return None
        what = f"{self.failed} of {self.ended} requests failed, above the {share:.0%} allowed"
        return Problem(what, None, "the server's log says why")


class Manners:
    """What a play adds to the turns of its tree. `name` begins every id of a stream."""

    def __init__(self, plan: Plan, rules: Rules, name: str) -> None:
        self._plan = plan
        self._rules = rules
        self._name = name
        self._traces = [trace for trace, _ in plan.names()]

    def trace(self, play: Play) -> str:
        """Return the name of the trace that is played."""
        return self._traces[play.tree]

    def of(self, phase: Phase, lane: int, play: Play, stream: int) -> Manner:
        """Return how a turn of a stream is asked; in the warmup, for one token."""
        rules, parent = self._rules, self._plan.parent_of(stream)
        lines = [(name, stream) for name in rules.affinity]
        lines += [(name, parent) for name in rules.parents if parent is not None]
        ids = f"{self._name}-l{lane}-p{play.number}-s"
        return Manner(
            phase=phase,
            play=play.number,
            asked_output=1 if phase is Phase.WARMUP else None,
            marker=self._marker(lane, play) if rules.cache_bust else b"",
            answers=play.said,
            headers="".join(f"{name}: {ids}{of}\r\n" for name, of in lines).encode(),
        )

    def _marker(self, lane: int, play: Play) -> bytes:
        """Return the JSON text of the play's marker: from seed, lane, play and trace alone."""
        fields = f"{self._rules.seed}:{lane}:{play.number}:{self.trace(play)}"
        text = f"[rid:{sha256(fields.encode()).hexdigest()[:12]}]\n\n"
        return orjson.dumps(text)[1:-1]
