"""What changes from one measurement of the same to the next: the noise of repetitions."""

import math
from collections.abc import Sequence

from infx.model.result import Absent
from infx.stats.log_error import LogError
from infx.stats.percentile import mean


def noise(a: Sequence[float], b: Sequence[float]) -> LogError | Absent:
    """Return how far repetitions alone move the ratio of the means of b and a.

    Both sides ran on machines that are taken to be equally noisy, so their variances about their
    own means are pooled (Student's two-sample t on logarithms). Figures must be positive. One side
    with two repetitions is the least that tells anything.
    """
    df = len(a) + len(b) - 2
    if df < 1:
        return Absent(reason="no repetitions")
    logs = [[math.log(figure) for figure in side] for side in (a, b)]
    squares = sum((value - mean(side)) ** 2 for side in logs for value in side)
    se = math.sqrt(squares / df * (1 / len(a) + 1 / len(b)))
    return LogError(se, df, "repetitions", len(a) + len(b))
