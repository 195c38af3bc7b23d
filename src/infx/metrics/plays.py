"""Which sessions lanes played, from the records alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from infx.metrics.per_request import NS_PER_S
from infx.model.measured import Measured, Replayed
from infx.model.record import EndState, Phase, RequestRecord

GOES_ON = (EndState.OK, EndState.ERROR)
"""Ends after which a session goes on with its next turn."""


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a session on a lane.

    `finished` tells that all of it was asked and came to an end; `whole` that it also began at its
    first turn, lies in the profiling phase and was answered throughout. One that has as many turns
    as the recording began at its first. `span_s` is the time from its first send in profiling to
    its last end, pauses included.
    """

    lane: int
    number: int
    requests: int
    finished: bool
    whole: bool
    span_s: float


def plays(measured: Measured) -> tuple[Play, ...]:
    """Return every play with a request in profiling, by lane and number.

    A play is over when its lane went on to another one, or when as many turns of it were asked as
    the recording has. One with a turn that did not fit into the context, or was cut, is not
    finished.
    """
    replay = measured.replay or Replayed()
    groups: dict[tuple[int, int], list[RequestRecord]] = {}
    for record in measured.records:
        if record.lane >= 0:
            groups.setdefault((record.lane, record.play), []).append(record)
    lengths = Counter(one.trace for one in replay.expected.values())
    last = dict(sorted(groups))
    found = []
    for (lane, number), records in sorted(groups.items()):
        profiled = [one for one in records if one.phase is Phase.PROFILING]
        complete = _complete(records, replay, lengths)
        over = complete or number < last[lane]
        from_start = complete or number > 0 or replay.from_start
        if profiled:
            found.append(_play(records, profiled, over=over, from_start=from_start))
    return tuple(found)


def _play(
    records: Sequence[RequestRecord],
    profiled: Sequence[RequestRecord],
    *,
    over: bool,
    from_start: bool,
) -> Play:
    states = {record.state for record in records}
    finished = over and states.issubset(GOES_ON)
    return Play(
        lane=profiled[0].lane,
        number=profiled[0].play,
        requests=len(profiled),
        finished=finished,
        whole=finished and from_start and len(profiled) == len(records) and states == {EndState.OK},
        span_s=_span_s(profiled),
    )


def _complete(
    records: Sequence[RequestRecord], replay: Replayed, lengths: Mapping[str, int]
) -> bool:
    expected = replay.of(records[0])
    return expected is not None and len(records) == lengths[expected.trace]


def _span_s(records: Iterable[RequestRecord]) -> float:
    sent = [record.sent_ns for record in records]
    ends = [record.end_ns or record.sent_ns for record in records]
    return (max(ends) - min(sent)) / NS_PER_S
