"""Four lanes that ask a truth server 24 requests while its faults strike, in virtual time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest

from infx.flows.bench import Outcome
from infx.model.record import RequestRecord
from infx.model.result import MetricValue, PointSummary
from infx.model.workload import FixedWorkload
from infx.servers.truth.faults import read_faults
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from playing import play
from server_log import Answer, by_number, figures, output_rate

REQUESTS = 24
WORKLOAD = FixedWorkload(isl=64, osl=40, range_ratio=1.0, requests=REQUESTS, warmups=0)


@dataclass(frozen=True)
class Load:
    """A load that was run: what infx says, and what the server logged."""

    outcome: Outcome
    log: dict[int, Sent]

    @property
    def point(self) -> PointSummary:
        (point,) = self.outcome.run.result.points
        return point

    @property
    def records(self) -> dict[int, RequestRecord]:
        (point,) = self.outcome.run.points
        return {record.request: record for record in self.outcome.run.bundle.records(point)}

    @property
    def struck(self) -> set[int]:
        """The requests that a fault struck."""
        return {number for number, sent in self.log.items() if sent.faults}


def run(
    out: Path,
    *faults: str,
    workload: FixedWorkload = WORKLOAD,
    options: Mapping[str, object] = MappingProxyType({}),
    **script: object,
) -> Load:
    """Run the load: a first token after 40 ms and 40 tokens 5 ms apart, unless told otherwise."""
    settings = {"ttft_s": 0.04, "itl_s": 0.005, "faults": read_faults(faults), **script}
    asked = {"concurrency": (4,), **options}
    outcome, log, _ = play(out, Script(**settings), workload=workload, **asked)  # type: ignore[arg-type]
    return Load(outcome, by_number(log))


def value(point: PointSummary, name: str) -> MetricValue:
    """Return a metric that must be there."""
    found = point.metrics[name]
    assert isinstance(found, MetricValue), f"{name}: {found.reason}"
    return found


def assert_figures(point: PointSummary, answers: Sequence[Answer]) -> None:
    """What infx publishes is what the server's log says."""
    for name, expected in figures(answers).items():
        found = value(point, name)
        said = {word: getattr(found, word) for word in expected}
        assert said == pytest.approx(expected, rel=1e-12), name
    rate = value(point, "output_throughput")
    assert (rate.n, rate.mean) == (len(answers), pytest.approx(output_rate(answers), rel=1e-12))
