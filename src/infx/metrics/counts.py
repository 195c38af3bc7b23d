"""How many requests were issued, and how each of them ended."""

from collections import Counter
from collections.abc import Iterable

from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Counts

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
