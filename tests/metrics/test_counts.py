"""All six end states are counted, always, and failures by their reason."""

from handmade import record
from infx.metrics.counts import counts, error_reasons, incomplete_tokens
from infx.model.record import EndState, Phase
from infx.model.result import Counts, IncompleteTokens


def test_all_six_by_phase() -> None:
    records = [record(state=state) for state in EndState for _ in range(len(state))]
    warmups = [record(state=EndState.OK, phase=Phase.WARMUP)] * 3
    assert counts([*warmups, *records], Phase.PROFILING) == Counts(
        issued=2 + 5 + 8 + 16 + 17 + 4,
        ok=2,
        error=5,
        overflow=8,
        cancelled_at_end=16,
        cancelled_by_plan=17,
        lost=4,
    )
    assert counts([*warmups, *records], Phase.WARMUP).model_dump() == {
        "issued": 3,
        "ok": 3,
        "error": 0,
        "overflow": 0,
        "cancelled_at_end": 0,
        "cancelled_by_plan": 0,
        "lost": 0,
    }


def test_failures_by_reason_most_frequent_first() -> None:
    found = error_reasons(
        [
            record(state=EndState.OK),
            record(state=EndState.CANCELLED_AT_END, reason="grace"),
            record(state=EndState.LOST),
            record(state=EndState.ERROR, reason="reset"),
            record(state=EndState.OVERFLOW, reason="context"),
            record(state=EndState.ERROR, reason="reset"),
            record(state=EndState.ERROR, reason="status", phase=Phase.WARMUP),
        ]
    )
    assert list(found.items()) == [("reset", 2), ("context", 1), ("lost", 1)]


def test_what_came_of_requests_that_did_not_complete_stands_apart() -> None:
    found = incomplete_tokens(
        [
            record(first=1.0, gaps=(0.1,) * 9, completion_tokens=10),
            record(first=1.0, gaps=(0.1,) * 3, completion_tokens=8, state=EndState.ERROR),
            record(first=1.0, gaps=(0.1,), state=EndState.CANCELLED_AT_END),
            record(first=1.0, state=EndState.LOST),
            record(end=1.0, state=EndState.ERROR),
            record(first=1.0, completion_tokens=9, state=EndState.ERROR, phase=Phase.WARMUP),
        ]
    )
    assert found == IncompleteTokens(requests=4, counted=1, tokens=8, chunks=3)
