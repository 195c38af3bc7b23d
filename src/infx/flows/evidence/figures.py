"""Figures of the points of bundles: latencies, and throughput for each accelerator."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from infx.flows.evidence.artifacts import series_of
from infx.flows.evidence.bundles import Given
from infx.flows.evidence.curves import AGENTIC, FIXED, Figure
from infx.flows.evidence.points import scenario_id
from infx.flows.evidence.states import Placed
from infx.model.result import MetricValue, PointSummary
from infx.model.sweep import AgenticSingleRow, FixedSingleRow
from infx.recipes import topology

TOTAL = "total_throughput"


def figures(found: Iterable[Given]) -> Iterator[Figure]:
    """Yield the figures of every point that has a summary.

    Repetitions add no points to a curve, and neither does another run of a point: the first
    repetition of the newest run counts. Where nobody told the client how many accelerators the
    server has, the entry does.
    """
    seen: set[tuple[str, str]] = set()
    for one in sorted(found, key=lambda given: given.run.manifest.started, reverse=True):
        for point in one.points:
            file, summary = point.file, point.summary
            if summary is None or file.repetition or (one.config.key, file.point_id) in seen:
                continue
            seen.add((one.config.key, file.point_id))
            scenario = scenario_id(point.placed.row)
            spec = None if summary.replay is not None else point.placed.row.spec_decoding
            percentiles = FIXED if summary.replay is None else AGENTIC
            yield Figure(
                config=one.config.key,
                series=series_of(one.config, scenario, spec),
                asked=f"{one.config.prefix} {scenario}",
                concurrency=file.concurrency,
                latency={name: _figure(summary, "e2el", name) for name in percentiles},
                throughput=_per_gpu(summary, point.placed),
                cite=one.cite(file, "summary.json"),
            )


def gpus(placed: Placed) -> int | None:
    """Return the accelerators of an entry's point: of its recipe, else of its row."""
    if placed.binding is not None:
        return topology.facts(placed.binding.tree).gpus
    row = placed.row
    if isinstance(row, FixedSingleRow | AgenticSingleRow):
        return row.tp * row.pp * row.pcp_size
    return sum(worker.num_worker * worker.gpus for worker in (row.prefill, row.decode))


def _per_gpu(summary: PointSummary, placed: Placed) -> JsonValue:
    own = _figure(summary, f"{TOTAL}_per_gpu", "mean")
    total, count = _figure(summary, TOTAL, "mean"), gpus(placed)
    if own is not None or total is None or not count:
        return own
    return total / count


def _figure(summary: PointSummary, metric: str, statistic: str) -> float | None:
    found = summary.metrics.get(metric)
    value = getattr(found, statistic) if isinstance(found, MetricValue) else None
    return value if isinstance(value, float) else None
