"""The client certifies its figures only where its own lateness cannot have moved them."""

import math

import pytest

from handmade import NS, measured, record
from infx.metrics.client import client_audit, client_reasons
from infx.metrics.e2el import compute as e2el
from infx.metrics.ttft import compute as ttft
from infx.model.record import Measured, RequestRecord
from infx.model.result import Absent

MS = NS // 1000


def read_late(*late_ms: float, due: float = 0.0) -> Measured:
    """Requests with TTFT 50 ms and E2EL 100 ms, read so late."""
    return measured(*(
        record(due=due, sent=1.0, first=1.05, gaps=(0.05,), late_ns=round(ms * MS), request=n)
        for n, ms in enumerate(late_ms)
    ))  # fmt: skip


def found(case: Measured) -> tuple[str, ...]:
    return client_reasons(client_audit(case), ttft(case), e2el(case))


def test_the_middle_of_half_and_all_in_the_mean_and_all_at_p99() -> None:
    audit = client_audit(read_late(0, 0, 0, 20, due=0.9))
    assert audit is not None
    # One time in four content waited between 10 and 20 ms.
    assert audit.ttft_bias_mean == pytest.approx(math.sqrt(10 * 20) / 4 / 1000)
    assert audit.ttft_bias_p99 == pytest.approx(0.0194)
    assert audit.send_lag_p99 == 0.1


def test_within_the_tolerance_it_is_certified() -> None:
    assert found(read_late(0, 0.5, 1, 1.9, due=0.998)) == ()


def test_a_late_tail_a_late_mean_and_late_sends_are_told() -> None:
    assert found(read_late(*[0] * 97, 9, 9, 9, due=1.0)) == ("client-lag",)
    assert found(read_late(2.4, 2.4, 2.4, due=1.0)) == ("client-lag",)
    assert found(read_late(0, 0, due=0.99)) == ("client-late",)


def test_an_unwatched_client_is_not_certified() -> None:
    unwatched: RequestRecord = record(sent=1.0, first=2.0, late_ns=None)
    assert client_audit(measured(unwatched)) is None
    assert client_reasons(None, Absent(reason=""), Absent(reason="")) == ("client-not-audited",)
