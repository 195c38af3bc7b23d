"""What a replay of sessions says beside its metrics."""

from infx.metrics.agentx import request_metrics
from infx.metrics.coverage import coverage
from infx.metrics.per_request import NS_PER_S, profiled
from infx.metrics.plays import plays
from infx.model.measured import Measured
from infx.model.record import EndState
from infx.model.result import Censored, Counts, ReplaySummary


def replay_summary(
    measured: Measured, counts: Counts, *, idle_skipped_s: float | None
) -> ReplaySummary:
    """Return sessions, coverage, cut requests and AgentX's figures of a replayed point.

    `counts` are those of its profiling phase. Raises ValueError when a record's moments run
    backwards.
    """
    played = plays(measured)
    judged = counts.ok + counts.error + counts.lost + counts.overflow
    return ReplaySummary(
        plays=len(played),
        finished=sum(play.finished for play in played),
        whole=sum(play.whole for play in played),
        overflow_share=counts.overflow / judged if judged else None,
        idle_skipped_s=idle_skipped_s,
        coverage=coverage(measured),
        censored=censored(measured),
        agentx=request_metrics(measured),
    )


def censored(measured: Measured) -> Censored | None:
    """Return what was cut at the end or lost; None where nothing was issued."""
    issued = profiled(measured)
    if not issued:
        return None
    cut = [record for record in issued if record.state is EndState.CANCELLED_AT_END]
    lost = sum(record.state is EndState.LOST for record in issued)
    ages = [(r.end_ns - r.sent_ns) / NS_PER_S for r in cut if r.end_ns is not None]
    return Censored(
        count=len(cut) + lost,
        share=(len(cut) + lost) / len(issued),
        least_age_s=min(ages, default=None),
    )
