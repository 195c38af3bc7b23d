"""What a user states of the pace becomes lanes, or arrivals at rates."""

import pytest

from infx.errors import InputError
from infx.flows.options import BenchOptions
from infx.flows.pace import Pace
from infx.model.asked import IN_FLIGHT
from infx.model.workload import Arrival, FixedWorkload

SERIES = ((0.0, 1.0), (60.0, 0.0))


@pytest.mark.parametrize(
    ("stated", "lanes", "arrival"),
    [
        ({}, (1,), None),
        ({"concurrency": (1, 2)}, (1, 2), None),
        ({"concurrency": ()}, (), None),
        ({"concurrency": (4,), "ramp_s": 5.0}, (4,), None),
        ({"rates": (2.0, 4.0)}, (IN_FLIGHT,), Arrival(rate=2.0)),
        (
            {"rates": (2.0,), "process": "constant", "ramp_s": 5.0, "max_in_flight": 7},
            (7,),
            Arrival(process="constant", rate=2.0, ramp_s=5.0),
        ),
        (
            {"series": SERIES, "process": "gamma", "burstiness": 0.5},
            (IN_FLIGHT,),
            Arrival(process="gamma", shape=0.5, rates=SERIES),
        ),
        ({"given": Arrival(rate=3.0), "max_in_flight": 9}, (9,), Arrival(rate=3.0)),
        ({"given": Arrival(rate=3.0), "rates": (1.0,)}, (IN_FLIGHT,), Arrival(rate=3.0)),
    ],
)
def test_lanes_and_arrivals(stated, lanes, arrival):
    pace = Pace(**stated)
    pace.check(bounded=False)
    assert (pace.lanes, pace.arrival, pace.open) == (lanes, arrival, arrival is not None)


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ({"rates": (float("inf"),)}, "rate inf is not possible"),
        ({"rates": (float("nan"),)}, "rate nan is not possible"),
        ({"given": Arrival(rate=1.0), "process": "constant"}, "states its arrivals already"),
        ({"given": Arrival(rate=1.0), "concurrency": (2,)}, "two ways to pace requests"),
        ({"series": ((0.0, 1.0),)}, "holds without an end"),
    ],
)
def test_contradictions(stated, says):
    with pytest.raises(InputError, match=says):
        Pace(**stated).check(bounded=False)


def options(workload: FixedWorkload, **more: object) -> BenchOptions:
    settings = {"url": "http://x.test", "concurrency": (8,), "out": None, **more}
    return BenchOptions(workload=workload, **settings)  # type: ignore[arg-type]


def test_a_sweep_is_every_rate_at_every_bound():
    workload = FixedWorkload(isl=8, osl=8, arrival=Arrival(process="constant", rate=9.0))
    asked = options(workload, rates=(1.0, 2.0), concurrency=(8, 16))
    asked.check()
    assert [(w.arrival.rate, c) for w, c in asked.points(workload) if w.arrival] == [
        (1.0, 8), (1.0, 16), (2.0, 8), (2.0, 16),
    ]  # fmt: skip
    assert {w.arrival.process for w, _ in asked.points(workload) if w.arrival} == {"constant"}


@pytest.mark.parametrize(
    ("stated", "rates", "says"),
    [
        ({}, (0.0,), "0 requests/s cannot be asked"),
        ({}, (float("inf"),), "inf requests/s cannot be asked"),
        ({}, (1.0, 1.0), "rate 1 is given more than once"),
        ({"arrival": Arrival(rates=SERIES)}, (1.0,), "a series of rates is stated already"),
        ({"ramp_s": 5.0}, (1.0,), "state the ramp of the arrivals instead"),
    ],
)
def test_rates_that_no_sweep_can_ask(stated, rates, says):
    with pytest.raises(InputError, match=says):
        options(FixedWorkload(isl=8, osl=8, **stated), rates=rates).check()
