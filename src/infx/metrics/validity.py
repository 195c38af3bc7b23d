"""What keeps a point from being certified; the sentences are `infx.model.validity.REASONS`."""

from collections.abc import Iterator, Mapping

from infx.metrics.coverage import covers, differ, stalls
from infx.metrics.per_request import completed
from infx.metrics.tokens_per_chunk import is_buffered
from infx.model.measured import Measured
from infx.model.record import Phase
from infx.model.result import Absent, Counts, Metric, MetricValue, ReplaySummary

MAX_ERROR_RATE = 0.10
MAX_OUTPUT_SHORTFALL = 0.05
MAX_BUFFERED = 0.05
MAX_CENSORED = 0.01
MAX_OVERFLOW = 0.01
MAX_REFUSED = 0.01
MAX_INPUT_DRIFT = 0.01


def reasons(
    measured: Measured, counts: Counts, metrics: Mapping[str, Metric], *, exact_output: bool
) -> Iterator[str]:
    """Yield the ids of what is wrong with a point's profiling phase.

    `counts` and `metrics` are those of `measured`. `exact_output` says that the asked output is a
    length to reach (`ignore_eos`) and not just a limit. A limit that is met exactly is kept.
    """
    if not counts.ok:
        yield "nothing-ok"
    if _exceeds(metrics["error_rate"], MAX_ERROR_RATE):
        yield "error-rate"
    judged = counts.ok + counts.error + counts.lost + counts.overflow
    if _share(counts.overflow, judged) > MAX_OVERFLOW:
        yield "context-overflow"
    if _share(counts.cancelled_at_end + counts.lost, counts.issued) > MAX_CENSORED:
        yield "censored"
    if _share(_held_back(measured), counts.issued) > MAX_REFUSED:
        yield "in-flight-limit"
    if any(
        record.prompt_tokens is None or record.completion_tokens is None
        for record in completed(measured)
    ):
        yield "usage-missing"
    buffered = [is_buffered(record) for record in completed(measured)]
    if _share(sum(buffered), len(buffered)) > MAX_BUFFERED:
        yield "buffered-stream"
    if measured.replay is None and _exceeds(metrics["input_drift"], 0):
        yield "input-drift"
    if exact_output and _exceeds(metrics["output_shortfall"], MAX_OUTPUT_SHORTFALL):
        yield "output-shortfall"


def replay_reasons(found: ReplaySummary, metrics: Mapping[str, Metric]) -> Iterator[str]:
    """Yield the ids of what is wrong with a replay, beside what `reasons` finds."""
    if isinstance(found.coverage, Absent):
        yield "profile-unknown"
    else:
        if found.coverage.timed and not covers(found.coverage):
            yield "profile-coverage"
        if stalls(found.coverage):
            yield "mid-run-stall"
        if differ(found.coverage):
            yield "unequal-windows"
    if _exceeds(metrics["input_total_drift"], MAX_INPUT_DRIFT):
        yield "input-total-drift"


def _held_back(measured: Measured) -> int:
    return sum(
        record.phase is Phase.PROFILING and record.reason == "in-flight-limit"
        for record in measured.records
    )


def _exceeds(metric: Metric, limit: float) -> bool:
    return isinstance(metric, MetricValue) and metric.mean > limit


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0
