"""T10, coordinated omission: in an open loop a user waits from the due moment on."""

from types import ModuleType

import pytest

from handmade import measured, record
from infx.metrics import e2el_from_due, ttft_from_due
from infx.model.record import EndState
from infx.model.result import Absent, MetricValue

EVERY = pytest.mark.parametrize(
    ("module", "mean"), [(ttft_from_due, 1.25), (e2el_from_due, 2.25)], ids=["ttft", "e2el"]
)


@EVERY
def test_the_wait_before_sending_counts(module: ModuleType, mean: float) -> None:
    figure = module.compute(
        measured(
            record(due=1.0, sent=2.0, first=3.0, gaps=(1.0,)),
            record(due=2.0, sent=2.0, first=2.5, gaps=(1.0,)),
            record(due=2.0, sent=2.0, first=9.0, state=EndState.ERROR),
            open_loop=True,
        )
    )
    assert isinstance(figure, MetricValue)
    assert (figure.unit, figure.n, figure.mean) == ("s", 2, mean)


@EVERY
def test_a_closed_loop_has_no_due_moment_of_its_own(module: ModuleType, mean: float) -> None:
    assert module.compute(measured(record(due=1.0, sent=2.0, first=3.0))) == Absent(
        reason="in a closed loop a request is due when its lane is free"
    )


@EVERY
def test_an_open_loop_without_content(module: ModuleType, mean: float) -> None:
    assert module.compute(measured(open_loop=True)) == Absent(
        reason="no request of the profiling phase ended ok"
    )
    assert module.compute(measured(record(end=1.0), open_loop=True)) == Absent(
        reason="no ok request delivered content"
    )
