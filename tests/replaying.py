"""Replays of the corpus that ships, or of another, against the truth server and in virtual time."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from infx.flows.bench import Outcome
from infx.flows.replaying import stated
from infx.load.plan import Plan, open_plan
from infx.model.agentic import AgenticWorkload
from infx.model.measured import Expected
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import PointSummary
from infx.servers.truth.faults import read_faults
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from infx.store.bundles import PLAN, point_folder
from infx.store.datasets import demo_path
from infx.store.expected import expected_of
from overheard import Heard, Wire
from playing import play
from server_log import by_number

LANES = 4
PACE = MappingProxyType({"ttft_s": 0.05, "itl_s": 0.01, "template_tokens": 0})
Pair = tuple[int, int]


@dataclass(frozen=True)
class Replayed:
    """A replay that was run, by three witnesses: infx, the server's log, and the wire."""

    outcome: Outcome
    log: dict[int, Sent]
    wire: Wire

    @cached_property
    def folder(self) -> Path:
        (point,) = self.outcome.run.points
        return point_folder(self.outcome.run.bundle.path, point)

    @property
    def point(self) -> PointSummary:
        (point,) = self.outcome.run.result.points
        return point

    @cached_property
    def plan(self) -> Plan:
        return open_plan(self.folder / PLAN)

    @cached_property
    def records(self) -> tuple[RequestRecord, ...]:
        (point,) = self.outcome.run.points
        return self.outcome.run.bundle.records(point)

    @cached_property
    def expected(self) -> Mapping[Pair, Expected]:
        return expected_of(self.folder)

    @property
    def workload(self) -> AgenticWorkload:
        (point,) = self.outcome.run.points
        assert isinstance(point.workload, AgenticWorkload)
        return point.workload

    @cached_property
    def profiled(self) -> list[RequestRecord]:
        return [record for record in self.records if record.phase is Phase.PROFILING]

    @cached_property
    def heard(self) -> dict[int, Heard]:
        return {one.number: one for one in self.wire.heard}

    def number(self, record: RequestRecord) -> int:
        """Return the plan's number of the turn that a request asked."""
        return self.plan.turns_of(record.session)[record.turn]

    def plays(self) -> dict[tuple[int, int], dict[int, RequestRecord]]:
        """Return the requests of profiling by lane and play, then by turn of the plan."""
        found: dict[tuple[int, int], dict[int, RequestRecord]] = defaultdict(dict)
        for record in self.profiled:
            found[record.lane, record.play][self.number(record)] = record
        return found


def agentic(*, of: Path | None = None, **settings: object) -> AgenticWorkload:
    """Return AgentX's replay of a corpus, with what is stated beside it."""
    loose = AgenticWorkload.under("custom", corpus="sha256:" + "0" * 64, **settings)
    return stated(loose, of or demo_path())


def replay(
    out: Path,
    *faults: str,
    wire: Wire | None = None,
    lanes: int = LANES,
    script: Mapping[str, object] = MappingProxyType({}),
    corpus: Path | None = None,
    **changes: object,
) -> Replayed:
    """Replay the corpus that ships, or another; settings are AgentX's, for 60 s unless told.

    Prompts are counted without a template, a first token comes after 50 ms and others 10 ms apart.
    """
    wire = wire or Wire()
    told = {**PACE, **script, "faults": read_faults(faults)}
    workload = agentic(of=corpus, **{"duration_s": 60.0, "warmups_per_lane": 2, **changes})
    outcome, log, _ = play(
        out, Script(**told), workload=workload, corpus=corpus or demo_path(), concurrency=(lanes,),
        before=wire.before,
    )  # fmt: skip
    return Replayed(outcome, by_number(log), wire)


def issued_is_the_sum_of_ends(outcome: Outcome) -> None:
    for point in outcome.run.result.points:
        for counts in (point.counts, point.warmup_counts):
            assert counts.issued == sum(getattr(counts, state) for state in EndState)
