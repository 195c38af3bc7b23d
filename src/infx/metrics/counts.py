"""How many requests were issued, and how each of them ended."""

from collections import Counter
from collections.abc import Iterable

from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Counts, IncompleteTokens

_FAILED = (EndState.ERROR, EndState.OVERFLOW, EndState.LOST)


def counts(records: Iterable[RequestRecord], phase: Phase) -> Counts:
    """Count the records of one phase by end state; all six are always there."""
    ends = Counter(record.state for record in records if record.phase is phase)
    return Counts(
        issued=ends.total(),
        ok=ends[EndState.OK],
        error=ends[EndState.ERROR],
        overflow=ends[EndState.OVERFLOW],
        cancelled_at_end=ends[EndState.CANCELLED_AT_END],
        cancelled_by_plan=ends[EndState.CANCELLED_BY_PLAN],
        lost=ends[EndState.LOST],
    )


def error_reasons(records: Iterable[RequestRecord]) -> dict[str, int]:
    """Count the failed requests of the profiling phase by reason, most frequent first.

    Errors, overflows and lost requests failed; one without a reason stands under its end state.
    """
    reasons = Counter(
        record.reason or record.state.value
        for record in records
        if record.phase is Phase.PROFILING and record.state in _FAILED
    )
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def incomplete_tokens(records: Iterable[RequestRecord]) -> IncompleteTokens:
    """Count what the requests of the profiling phase delivered that did not end ok."""
    unhappy = [
        record
        for record in records
        if record.phase is Phase.PROFILING and record.state is not EndState.OK
    ]
    counted = [r.completion_tokens for r in unhappy if r.completion_tokens is not None]
    return IncompleteTokens(
        requests=len(unhappy),
        counted=len(counted),
        tokens=sum(counted),
        chunks=sum(record.chunks for record in unhappy if record.completion_tokens is None),
    )
