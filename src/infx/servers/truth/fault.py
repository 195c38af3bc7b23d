"""A scripted fault: its name, its argument, and the requests that it strikes."""

from dataclasses import dataclass
from hashlib import sha256
from itertools import count


class Chance:
    """Draws that follow from a seed and a name alone, the same on every machine."""

    def __init__(self, *key: object) -> None:
        self._key = " ".join(map(str, key))
        self._drawn = count()

    def below(self, limit: int) -> int:
        """Return the next draw from 0 to `limit` - 1."""
        digest = sha256(f"{self._key} {next(self._drawn)}".encode()).digest()
        return int.from_bytes(digest[:8], "big") * limit >> 64


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a script; `faults.read_fault` makes it from text and knows the names.

    Streamed requests are numbered from 1 in the order of their arrival. It strikes number `first`
    and every `every`-th after it; or, where `share` is given, each request with that probability.
    """

    name: str
    argument: str = ""
    every: int = 1
    first: int = 1
    share: float | None = None

    def __str__(self) -> str:
        return f"{self.name}:{self.argument}" if self.argument else self.name

    def strikes(self, number: int, seed: int) -> bool:
        """Whether it plays on the streamed request with this number."""
        if self.share is not None:
            return Chance(seed, "strikes", self, number).below(1 << 32) < self.share * (1 << 32)
        return number >= self.first and (number - self.first) % self.every == 0
