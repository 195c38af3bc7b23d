"""Student's t without tables: Wallace's normal approximation, which errs to the safe side.

z = (8 df + 1) / (8 df + 3) * sqrt(df * ln(1 + t^2 / df)) is close to standard normal (Wallace,
1959). From 3 degrees of freedom on, a p of 5 % is told as 5.0 to 5.2 %; with 1 it is told as 6.5 %.
"""

import math
from statistics import NormalDist


def two_sided_p(t: float, df: float) -> float:
    """Return how often chance alone moves t at least so far from 0.

    >>> round(two_sided_p(2.776, 4), 3)
    0.051
    """
    z = (8 * df + 1) / (8 * df + 3) * math.sqrt(df * math.log1p(t * t / df))
    return math.erfc(z / math.sqrt(2))


def critical(level: float, df: float) -> float:
    """Return the t that chance alone stays below with probability `level`, on both sides of 0.

    >>> round(critical(0.95, 30), 2)
    2.04
    """
    z = NormalDist().inv_cdf((1 + level) / 2) * (8 * df + 3) / (8 * df + 1)
    return math.sqrt(df * math.expm1(z * z / df))
