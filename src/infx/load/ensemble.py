"""What the shards of one replay agree on: the moment of the first turn, and a silence of all.

Lanes and their trees are dealt by the plan, so nothing else of a replay crosses shards.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from infx.load.sender import Share

_NEVER = 1 << 63


class Start(NamedTuple):
    """When a phase begins; and how long its first turn would have waited then, in any shard.

    All turns are moved earlier by that, so that the first is due at once.
    """

    moment_ns: int
    early_ns: int


@dataclass(frozen=True, slots=True)
class Part:
    """One shard of a replay.

    `gate` is told how long its first turn waits, None without one, and returns the start of all.
    `idle` is told that nothing is in flight here before the first moment, and that no silence may
    last longer than the second number says: who hears it of all shards orders a skip.
    """

    share: Share
    gate: Callable[[int | None], Awaitable[Start]]
    idle: Callable[[int, int], None]


class Silence:
    """Until when each of several shards has nothing in flight.

    A silent shard stays silent until its next turn is due, so what it told is true until that
    moment whatever is on its way, and worthless after. Messages may thus be late by any time below
    the longest silence that is allowed.
    """

    def __init__(self, shards: int) -> None:
        self._until = [0] * shards
        self._cap_ns = 0

    def begin(self) -> None:
        """Forget everything, at the beginning of a phase."""
        self._until = [0] * len(self._until)

    def tell(self, shard: int, until_ns: int, cap_ns: int) -> None:
        """Note that a shard is silent until then, and the longest silence that is allowed."""
        self._until[shard], self._cap_ns = until_ns, cap_ns

    def over(self, shard: int) -> None:
        """Note that a shard asks nothing more in this phase."""
        self._until[shard] = _NEVER

    def skip(self, now: int) -> int:
        """Return by how much everything is to be moved earlier now, and take that for done.

        It is 0 unless all are silent for longer than is allowed.
        """
        first = min(self._until)
        by = first - now - self._cap_ns
        if first == _NEVER or by <= 0:
            return 0
        self._until = [one if one == _NEVER else one - by for one in self._until]
        return by
