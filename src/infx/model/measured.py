"""All that the metrics of a point are computed from.

Requests are those of `model/record.py`. These are dataclasses, because they never leave the process
or exist per request and per value that was sampled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from infx.model.record import RequestRecord, Slo


@dataclass(frozen=True, slots=True)
class Sample:
    """One value read from an engine's metrics page or a device at one moment."""

    time_ns: int
    source: str
    name: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """What the recording says of a request that is replayed.

    `stream` is its conversation in the `trace`, `turn` its place there. `known_blocks` of the
    `blocks` of its prompt would be known to a cache that forgets nothing of its session, in the
    order of the recording; both are 0 where prompts have no blocks. `output_tokens` is the recorded
    length, None where nobody noted it.
    """

    trace: str
    stream: str
    turn: int
    known_blocks: int = 0
    blocks: int = 0
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Tokens that a step of speculative decoding gave, over so many steps of the profiling phase.

    `golden` is the committed acceptance length that the server was to simulate, None where there is
    none, and `ungolden` then says why.
    """

    length: float
    steps: int
    golden: float | None = None
    ungolden: str = "no golden acceptance length holds for this point"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What is known of a replay beside its requests.

    `profiling` are the moments at which its profiling phase began and ended, None where nobody kept
    them. `duration_ns` is the stated length of that phase, None where each trace is played once.
    `from_start` tells that lanes begin sessions at their first turn, not in the middle. `expected`
    maps stream of the plan and turn to what was recorded.
    """

    profiling: tuple[int, int] | None = None
    duration_ns: int | None = None
    from_start: bool = False
    expected: Mapping[tuple[int, int], Expected] = field(default_factory=dict)

    def of(self, record: RequestRecord) -> Expected | None:
        """Return what was recorded of a request, None where nobody kept it."""
        return self.expected.get((record.session, record.turn))


@dataclass(frozen=True, slots=True)
class Measured:
    """All that the metrics of one point are computed from.

    `records` holds every issued request of every phase and end state, in any order.
    `gpus` is the number of accelerators behind the endpoint, None where nobody stated it.
    `open_loop` tells that requests came at moments of their own, not when a lane was free.
    `replay` tells that sessions were replayed, and what is known of that. `acceptance` is what the
    engine's own counters say of speculative decoding, or why nothing does.
    """

    records: tuple[RequestRecord, ...]
    samples: tuple[Sample, ...] = ()
    gpus: int | None = None
    slo: Slo | None = None
    open_loop: bool = False
    replay: Replayed | None = None
    acceptance: Acceptance | str = "no counters of speculative decoding were read"
