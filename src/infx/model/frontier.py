"""What is counted of a curve: how many points its frontier has, and where it has none."""

from typing import Literal

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from infx.model.result import Curve
from infx.model.value import Value


class Position(Value):
    """A point of a frontier."""

    x: float
    y: float


class Coverage(Value):
    """How densely a frontier is measured, by the public rule; keys in JSON are camel case.

    `measured_points` are the distinct valid ones. `invalid_points` have a coordinate that is no
    positive finite number: they are evidence of nothing, and one of them is enough to warn.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    key: str
    status: Literal["PASS", "WARN"]
    frontier_points: int
    measured_points: int
    invalid_points: int
    frontier: tuple[Position, ...]


class Gap(Value):
    """A stretch of x without a point of the frontier, in the unit of x.

    `place` is `between` two neighbours, or from an end of the frontier to the end of the range that
    comparable curves cover. `inside` counts measured points in it, which others dominate.
    `concurrencies` are those that may fill it, empty where none can be told.
    """

    place: Literal["before", "between", "after"]
    start: float
    end: float
    ratio: float
    inside: int
    concurrencies: tuple[int, ...]


class View(Value):
    """One curve with what is counted of it; `gap_ratio` is the step from which there is a gap.

    `covered` is the range of x of comparable curves, null where there is none.
    """

    curve: Curve
    coverage: Coverage
    gap_ratio: float
    covered: tuple[float, float] | None
    gaps: tuple[Gap, ...]


class Series(Value):
    """The views of one run's points of one curve key; keys that nobody stated are null."""

    run: str
    bundle: str
    name: str
    views: tuple[View, ...]


class Frontiers(Value):
    """What `infx frontier` prints."""

    series: tuple[Series, ...]
