"""Share of the prompts that a prefix cache which forgets nothing would have known.

Formula: known blocks / blocks, summed over the ok requests. A block of a prompt is known when it,
and all before it, stand in a prompt that the recording of the same session began earlier. Plays of
a session again, and the text of a play's own before the first message, are left out of the thought.
Unit: share, 0 to 1.
Absent when: nothing was replayed, no request of the profiling phase ended ok, or the recording
names no blocks.
Source: the recorded block ids; as InferenceX AgentX defines it.
"""

from collections.abc import Sequence

from infx.metrics.per_request import NOTHING_OK, completed
from infx.model.measured import Expected, Measured, Replayed
from infx.model.result import Absent, Better, Metric, MetricValue

NAME = "theoretical_prefix_hit"
UNIT = "share"
BETTER: Better = "larger"


def compute(measured: Measured) -> Metric:
    """Return the share; n is the number of ok requests that the recording tells of."""
    records = completed(measured)
    replay = measured.replay or Replayed()
    expected = [one for record in records if (one := replay.of(record)) is not None]
    rate = hit_rate(expected)
    if rate is None:
        return Absent(reason="the recording names no blocks" if records else NOTHING_OK)
    return MetricValue(unit=UNIT, n=len(expected), mean=rate)


def hit_rate(expected: Sequence[Expected]) -> float | None:
    """Return the share over these requests, None where none has blocks."""
    blocks = sum(one.blocks for one in expected)
    known = sum(min(max(one.known_blocks, 0), one.blocks) for one in expected)
    return known / blocks if blocks else None
