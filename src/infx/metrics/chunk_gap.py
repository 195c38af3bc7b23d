"""Distance between successive content chunks.

Formula: every gap of every ok request, pooled; n counts gaps. Chunks that one socket read
delivered are 0 apart. A chunk may carry several tokens, so this is no time per token: it is the
figure that clients of fixed workloads publish as ITL.
Unit: seconds.
Absent when: no request of the profiling phase ended ok, or none delivered two content chunks.
Source: the client's socket reads; as InferenceX AgentX defines it.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray

from infx.metrics.per_request import NOTHING_OK, NS_PER_S, completed
from infx.model.measured import Measured
from infx.model.result import Absent, Better, Metric, MetricValue
from infx.stats.percentile import percentile

NAME = "chunk_gap"
UNIT = "s"
BETTER: Better = "smaller"

_SLICE = 1 << 16
"""Gaps whose seconds are in memory at once, so that an hour of them takes 4 bytes each."""


def compute(measured: Measured) -> Metric:
    """Return the distribution over all gaps."""
    records = completed(measured)
    parts = [np.asarray(record.gaps.packed) for record in records if record.gaps_ns]
    if not parts:
        return Absent(
            reason="no ok request delivered two content chunks" if records else NOTHING_OK
        )
    gaps = np.concatenate(parts)
    gaps.sort()
    seconds = _Seconds(gaps)
    centre = math.fsum(seconds) / len(gaps)
    distances = chain.from_iterable(((one - centre) ** 2).tolist() for one in seconds.slices())
    return MetricValue(
        unit=UNIT,
        n=len(gaps),
        mean=centre,
        std=math.sqrt(math.fsum(distances) / len(gaps)),
        p50=percentile(seconds, 50),
        p75=percentile(seconds, 75),
        p90=percentile(seconds, 90),
        p95=percentile(seconds, 95),
        p99=percentile(seconds, 99),
    )


class _Seconds(Sequence[float]):
    """Nanoseconds as seconds, made as they are asked for."""

    def __init__(self, ns: NDArray[np.integer]) -> None:
        self._ns = ns

    @overload
    def __getitem__(self, index: int) -> float: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[float]: ...

    def __getitem__(self, index: int | slice) -> float | Sequence[float]:
        if isinstance(index, slice):
            return _Seconds(self._ns[index])
        return int(self._ns[index]) / NS_PER_S

    def __len__(self) -> int:
        return len(self._ns)

    def __iter__(self) -> Iterator[float]:
        return chain.from_iterable(one.tolist() for one in self.slices())

    def slices(self) -> Iterator[NDArray[np.float64]]:
        for start in range(0, len(self._ns), _SLICE):
            yield self._ns[start : start + _SLICE] / NS_PER_S
