"""What a run looks like while it goes."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from infx.clock import NS
from infx.model.record import EndState, Phase, RequestRecord
from infx.stats.percentile import percentile

_RECENT = 512


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a phase. Latencies are seconds over the last 512 complete requests.

    `total` is None when the phase ends by time; `left_s` is None until it can be told. `rate` is
    the highest that an open loop asks, in requests/s.
    """

    phase: Phase
    concurrency: int
    done: int
    total: int | None
    in_flight: int
    errors: int
    output_rate: float
    ttft_p50: float | None
    ttft_p99: float | None
    left_s: float | None
    rate: float | None = None


@dataclass(slots=True)
class Tally:
    """Counts of a phase as they grow, from which progress is told."""

    phase: Phase
    concurrency: int
    total: int | None
    start_ns: int
    duration_ns: int | None
    done: int = 0
    errors: int = 0
    tokens: int = 0
    ttfts: deque[int] = field(default_factory=lambda: deque(maxlen=_RECENT))

    def take(self, record: RequestRecord) -> None:
        """Count one ended request."""
        self.done += 1
        if record.state is not EndState.OK:
            self.errors += 1
        elif record.first_content_ns is not None:
            self.tokens += record.completion_tokens or record.chunks
            self.ttfts.append(record.first_content_ns - record.sent_ns)

    def progress(self, now_ns: int, in_flight: int) -> Progress:
        """Return the phase as it stands at `now_ns`."""
        elapsed = max(now_ns - self.start_ns, 1)
        ordered = sorted(self.ttfts)
        left = None
        if self.duration_ns is not None:
            left = max(self.duration_ns - elapsed, 0) / NS
        elif self.total and self.done:
            left = elapsed / self.done * (self.total - self.done) / NS
        return Progress(
            phase=self.phase,
            concurrency=self.concurrency,
            done=self.done,
            total=None if self.duration_ns is not None else self.total,
            in_flight=in_flight,
            errors=self.errors,
            output_rate=self.tokens * NS / elapsed,
            ttft_p50=percentile(ordered, 50) / NS if ordered else None,
            ttft_p99=percentile(ordered, 99) / NS if ordered else None,
            left_s=left,
        )


def merged(parts: Sequence[Progress]) -> Progress:
    """Return what shards tell, as one: sums, and of the time left the longest.

    Only shards in the latest phase count. The median TTFT is the mean of theirs, weighted by their
    ended requests, and the p99 is the highest: near enough for a line that is drawn and forgotten.
    """
    latest = Phase.PROFILING if any(part.phase is Phase.PROFILING for part in parts) else None
    same = [part for part in parts if latest is None or part.phase is latest]
    medians = [(part.ttft_p50, part.done) for part in same if part.ttft_p50 is not None]
    weight = sum(done for _, done in medians)
    totals = [part.total for part in same if part.total is not None]
    lefts = [part.left_s for part in same if part.left_s is not None]
    return Progress(
        phase=same[0].phase,
        concurrency=sum(part.concurrency for part in same),
        done=sum(part.done for part in same),
        total=sum(totals) if len(totals) == len(same) else None,
        in_flight=sum(part.in_flight for part in same),
        errors=sum(part.errors for part in same),
        output_rate=sum(part.output_rate for part in same),
        ttft_p50=sum(p50 * done for p50, done in medians) / weight if weight else None,
        ttft_p99=max((part.ttft_p99 for part in same if part.ttft_p99 is not None), default=None),
        left_s=max(lefts) if len(lefts) == len(same) else None,
    )
