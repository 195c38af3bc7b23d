"""Measured power of accelerators, and what a point did with it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuPower:
    """The readings of one accelerator: `watts` at moments of the wall clock, which only grow."""

    hostname: str
    index: int
    moments_ns: tuple[int, ...]
    watts: tuple[float, ...]

    @property
    def name(self) -> str:
        """The accelerator as its host knows it."""
        return f"{self.hostname}/{self.index}"


@dataclass(frozen=True, slots=True)
class Served:
    """What a point did in its window: ok requests, and their tokens, None where not all counted.

    `duration_s` is the time that its throughput rests on, None where it has none.
    """

    requests: int
    input_tokens: int | None
    output_tokens: int | None
    duration_s: float | None
