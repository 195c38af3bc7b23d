"""How far the measured acceptance length is from the golden one that the server was to simulate.

Formula: |`acceptance_length` / golden acceptance length - 1|. Far from 0, the point decoded at
another speed than the model's committed figure allows.
Unit: share.
Absent when: `acceptance_length` is, or no golden length holds for this point.
Source: the engine's metrics page, and the committed golden lengths.
"""

from infx.metrics.acceptance_length import NO_STEPS
from infx.metrics.per_request import completed
from infx.model.measured import Measured
from infx.model.result import Absent, Better, Metric, MetricValue

NAME = "acceptance_error"
UNIT = "share"
BETTER: Better = "smaller"


def compute(measured: Measured) -> Metric:
    """Return the distance; n is the number of steps."""
    completed(measured)  # refuses moments that run backwards
    found = measured.acceptance
    if isinstance(found, str) or found.steps < 1:
        return Absent(reason=found if isinstance(found, str) else NO_STEPS)
    if not found.golden:
        return Absent(reason=found.ungolden)
    error = abs(found.length / found.golden - 1)
    return MetricValue(unit=UNIT, n=found.steps, mean=error)
