"""How far a positive figure may be off, as a ratio: the standard error of its logarithm."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infx.model.result import Absent, Method
from infx.stats.bootstrap import UNDEFINED, Figures, Plan


@dataclass(frozen=True, slots=True)
class LogError:
    """The standard error, its degrees of freedom, and the units that it rests on."""

    se: float
    df: float
    method: Method
    units: int


def log_error(figures: Figures, plan: Plan) -> LogError | Absent:
    """Return the error of a statistic whose replicates are given.

    A bootstrap takes its n units for all there are: its variance is (n - 1)/n of the estimate.
    """
    if not np.isfinite(figures).all() or not (figures > 0).all():
        return Absent(reason=UNDEFINED)
    se = float(np.log(figures).std()) * math.sqrt(plan.units / (plan.units - 1))
    return LogError(se, plan.units - 1, plan.method, plan.units)


def joined(errors: Sequence[LogError | Absent]) -> LogError | Absent:
    """Return the error of a sum of independent parts, or the first reason why there is none.

    The degrees of freedom are those of Welch and Satterthwaite; method and units are those of the
    part with the fewest units.
    """
    known = []
    for error in errors:
        if isinstance(error, Absent):
            return error
        known.append(error)
    fewest = min(known, key=lambda error: error.units)
    variance = math.fsum(error.se**2 for error in known)
    if not variance:
        return LogError(0.0, fewest.df, fewest.method, fewest.units)
    df = variance**2 / math.fsum(error.se**4 / error.df for error in known)
    return LogError(math.sqrt(variance), df, fewest.method, fewest.units)
