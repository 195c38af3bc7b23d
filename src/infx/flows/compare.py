"""Two runs next to each other: which of their points compare, and what the requests say."""

from collections.abc import Iterator
from dataclasses import replace

from infx.curves.compare import COMPARED, OF_REPLAYS, Found, Judged, compare
from infx.curves.matching import Pair, match
from infx.flows.runs import Run
from infx.flows.summary import measured_of
from infx.metrics.ratio_errors import Errors, ratio_errors
from infx.model.bundle import PointFile
from infx.model.comparison import Comparison
from infx.model.measured import Measured
from infx.model.result import Absent, PointSummary

NOT_KEPT = Absent(reason="single requests were not kept, so chance within a run is not known")
PLACES = [(metric, statistic) for metric, statistic, _ in (*COMPARED, *OF_REPLAYS)]
HOST_FACTS = ("cpu_model", "usable_cores", "cpu_governor")
"""What changes a client's own speed."""


def compare_runs(a: Run, b: Run, *, assume_same_server: bool = False) -> Comparison:
    """Say for each point of run B what it is next to the same point of run A.

    `assume_same_server` vouches for bare endpoints; see `curves.matching`. Raises InputError when a
    file of either bundle is bad.
    """
    finished = [[point for point in run.points if run.bundle.summary(point)] for run in (a, b)]
    vouched = assume_same_server or a.manifest.run == b.manifest.run
    pairs = match(*finished, assume_same_server=vouched)
    if a.manifest.simulated != b.manifest.simulated:
        what = "one run is simulated, the other one measured a server"
        pairs = tuple(replace(pair, reason=pair.reason or what) for pair in pairs)
    judged: list[Judged] = [(pair, None if pair.reason else _found(a, b, pair)) for pair in pairs]
    return compare((a.manifest.run, b.manifest.run), judged, tuple(_notes(a, b)))


def _found(a: Run, b: Run, pair: Pair) -> Found:
    errors: Errors = dict.fromkeys(PLACES, NOT_KEPT)
    if all(point.keeps_requests for point in (*pair.a, *pair.b)):
        errors = ratio_errors(_measured(a, pair.a), _measured(b, pair.b), key=pair.point.point_id)
    return Found(_summaries(a, pair.a), _summaries(b, pair.b), errors)


def _measured(run: Run, points: tuple[PointFile, ...]) -> list[Measured]:
    return [measured_of(point, run.bundle.records(point)) for point in points]


def _summaries(run: Run, points: tuple[PointFile, ...]) -> tuple[PointSummary, ...]:
    summaries = (run.bundle.summary(point) for point in points)
    return tuple(summary for summary in summaries if summary is not None)


def _notes(a: Run, b: Run) -> Iterator[str]:
    for name, run in (("A", a), ("B", b)):
        if run.manifest.state != "finished":
            yield f"{name} is {run.manifest.state}"
        unfinished = sum(run.bundle.summary(point) is None for point in run.points)
        if unfinished:
            yield f"{name} began {unfinished} points that have no summary"
    for fact in HOST_FACTS:
        ours, theirs = a.manifest.host.get(fact), b.manifest.host.get(fact)
        if ours != theirs:
            yield f"the clients' hosts differ: {fact} is {ours} and {theirs}"
    ours, theirs = (run.manifest.versions.get("infx") for run in (a, b))
    if ours != theirs:
        yield f"A was measured by infx {ours}, B by infx {theirs}"
