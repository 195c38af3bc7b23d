"""What the server counts while it serves; the metrics page prints it."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from infx.clock import NS

BOUNDS_S = (
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    20.0, 40.0, 80.0, 160.0, 640.0, 2560.0,
)  # fmt: skip
"""Upper bounds of the latency histograms: those of vLLM's time to first token."""


class Histogram:
    """A distribution of durations over `BOUNDS_S`."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        self.total_ns = 0

    def add(self, duration_ns: int) -> None:
        """Count one duration."""
        self.counts[bisect_left(BOUNDS_S, duration_ns / NS)] += 1
        self.total_ns += duration_ns


@dataclass(slots=True)
class Counters:
    """Totals since the server started.

    `prompt_tokens` and `cached_tokens` (a part of them) enter with a request's first token,
    `prefix_queries` and `prefix_hits` when it is admitted, in tokens. `finished` counts ends by
    reason.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    generation_tokens: int = 0
    prefix_queries: int = 0
    prefix_hits: int = 0
    finished: Counter[str] = field(default_factory=Counter)
    ttft: Histogram = field(default_factory=Histogram)
    queue: Histogram = field(default_factory=Histogram)
    e2e: Histogram = field(default_factory=Histogram)
