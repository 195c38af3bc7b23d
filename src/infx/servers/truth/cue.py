"""When faults strike, and what each is told about the request that it strikes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from infx.servers.truth.ask import Ask
from infx.servers.truth.fault import Chance, Fault


@dataclass(frozen=True, slots=True)
class Cue:
    """What a fault is told about the one request that it strikes."""

    ask: Ask
    argument: str
    chance: Chance


class Schedule:
    """Numbers streamed requests and says what strikes each of them."""

    def __init__(self, faults: Sequence[Fault], seed: int) -> None:
        self._faults = tuple(faults)
        self._seed = seed
        self._numbers = count(1)

    def next(self, ask: Ask) -> list[tuple[Fault, Cue]]:
        """Return the faults that strike the request that has just arrived, in no order.

        One that is not streamed is neither numbered nor struck.
        """
        if not ask.stream or not self._faults:
            return []
        number, seed = next(self._numbers), self._seed
        return [
            (fault, Cue(ask, fault.argument, Chance(seed, fault, number)))
            for fault in self._faults
            if fault.strikes(number, seed)
        ]
