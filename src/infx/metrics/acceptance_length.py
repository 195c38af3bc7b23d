"""Tokens that a step of speculative decoding gives, by the engine's own counters.

Formula: 1 + accepted draft tokens / draft steps, over the profiling phase.
Unit: tokens a step.
Absent when: the engine shows no such counters, or made no such step.
Source: the engine's metrics page.
"""

from infx.metrics.per_request import completed
from infx.model.measured import Measured
from infx.model.result import Absent, Better, Metric, MetricValue

NAME = "acceptance_length"
UNIT = "tok/step"
BETTER: Better = "larger"

NO_STEPS = "the engine made no step of speculative decoding"


def compute(measured: Measured) -> Metric:
    """Return the length; n is the number of steps."""
    completed(measured)  # refuses moments that run backwards
    found = measured.acceptance
    if isinstance(found, str) or found.steps < 1:
        return Absent(reason=found if isinstance(found, str) else NO_STEPS)
    return MetricValue(unit=UNIT, n=found.steps, mean=found.length)
