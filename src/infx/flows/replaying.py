"""The recorded sessions that a run replays: where they stand, and the text that stands for them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from infx.flows.block_sizing import BlockSizing
from infx.flows.workload import Reading, corpus_digest, open_corpus
from infx.model.agentic import AgenticWorkload
from infx.model.trace import Trace
from infx.store.expected import RecordedStream, RecordedTurn, expected_bytes
from infx.workloads.seats import Outline

AFFINITY = ("X-Correlation-ID", "X-Session-Affinity")
HEADERS = {
    "smg": (("X-SMG-Routing-Key",), ()),
    "dynamo": (("X-Dynamo-Session-ID",), ("X-Dynamo-Parent-Session-ID",)),
}
"""Router id to the headers that carry the id of a stream, and of the one that started it."""
CHANGED = {
    "corpus": "was changed after the run began",
    "registry": "is not the file that the registry of corpora names",
}
"""What it means that the digest of a corpus differs from the one that its workload, or the registry
of corpora, states."""


@dataclass(slots=True)
class Recording:
    """A corpus as a run replays it.

    `sized` is its workload, with what makes its text. `routers` name the headers that requests
    carry beside the usual ones. `registered` is the sha256 that the registry of corpora states of
    it, None where it does not. `talk` hears of traces that cannot be replayed whole.
    """

    path: Path
    sized: BlockSizing
    routers: tuple[str, ...] = ()
    registered: str | None = None
    talk: Callable[[str], None] = field(default=lambda _: None)

    @property
    def affinity(self) -> tuple[str, ...]:
        """Names of the headers that carry the id of a request's stream."""
        return (*AFFINITY, *(name for router in self.routers for name in HEADERS[router][0]))

    @property
    def parents(self) -> tuple[str, ...]:
        """Names of the headers that carry the id of the stream that started a request's."""
        return tuple(name for router in self.routers for name in HEADERS[router][1])

    def traces(self) -> Iterator[Trace]:
        """Yield the traces, one at a time; raises InputError at a bad row."""
        reading = Reading(split_chains=self.sized.workload.split_chains)
        dropped = 0
        for trace in open_corpus(self.path, reading).traces:
            dropped += len(trace.dropped)
            yield trace
        if dropped:
            self.talk(f"{dropped} recorded subagents have no turn that starts them: left out")

    def mismatches(self) -> list[JsonValue]:
        """Compare the corpus as it is now with what the workload and the registry say it is.

        Returns what differs, in the words of `PointFile.audit`.
        """
        found = f"sha256:{corpus_digest(self.path)}"
        stated = {"corpus": self.sized.workload.corpus}
        if self.registered is not None:
            stated["registry"] = f"sha256:{self.registered}"
        differing = [what for what, digest in stated.items() if digest != found]
        for what in differing:
            self.talk(f"{self.path} {CHANGED[what]}: it is {found}, and not {stated[what]}")
        return [{"what": what, "stated": stated[what], "found": found} for what in differing]

    def unsent(self, outlines: Sequence[Outline]) -> dict[str, JsonValue]:
        """Return how many requests had a recorded field that is not sent, and tell of them."""
        found: Counter[str] = Counter()
        for outline in outlines:
            found.update(outline.unsent)
        if found:
            listed = ", ".join(f"{name} ({count} requests)" for name, count in found.items())
            self.talk(f"recorded fields that are not sent: {listed}")
        return dict(found)

    def expected(self, outlines: Sequence[Outline]) -> bytes:
        """Return the file of what the recording says of each request of the plan."""
        return expected_bytes(recorded_streams(outlines))


def recorded_streams(outlines: Iterable[Outline]) -> Iterator[RecordedStream]:
    """Yield what a recording says of every stream, numbered as in a plan of these traces."""
    number = 0
    for outline in outlines:
        for name, expected in zip(outline.streams, outline.expected, strict=True):
            turns = tuple(RecordedTurn(**turn._asdict()) for turn in expected)
            yield RecordedStream(stream=number, trace=outline.name, name=name, turns=turns)
            number += 1


def stated(workload: AgenticWorkload, path: Path) -> AgenticWorkload:
    """Return the workload with the digest of the corpus that it is to replay."""
    return workload.model_copy(update={"corpus": f"sha256:{corpus_digest(path)}"})
