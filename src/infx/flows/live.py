"""Answers of the server in later prompts of a replay: which were joined, and how long they were.

All of it follows from the plan and the records, so the load itself counts nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import JsonValue

from infx.load.plan import Plan
from infx.model.record import EndState, Phase, RequestRecord

FAILED = (EndState.ERROR, EndState.LOST)
Place = tuple[int, int, int]
"""Lane, play, and turn of the plan."""


@dataclass(frozen=True, slots=True)
class LiveAnswers:
    """What became of the places for answers, in the words of `PointFile.audit`."""

    joined: int
    stood_in: int
    ended: int
    asked_tokens: int
    answered_tokens: int | None

    def facts(self) -> dict[str, JsonValue]:
        """Return it as a point's file has it."""
        return asdict(self)


def live_answers(plan: Plan, records: Sequence[RequestRecord]) -> LiveAnswers:
    """Return what became of the places for answers in the prompts of profiling."""
    profiled = {_place(plan, one): one for one in records if one.phase is Phase.PROFILING}
    joined = [one for place in profiled for one in _joined(plan, place, profiled)]
    places = sum(len(list(plan.answers_in(turn))) for _, _, turn in profiled)
    counts = [one.completion_tokens for one in joined]
    known = [count for count in counts if count is not None]
    failed = (one.state in FAILED for (_, _, turn), one in profiled.items() if plan.keeps(turn))
    return LiveAnswers(
        joined=len(joined),
        stood_in=places - len(joined),
        ended=sum(failed),
        asked_tokens=sum(one.asked_output for one in joined),
        answered_tokens=sum(known) if len(known) == len(counts) else None,
    )


def _place(plan: Plan, record: RequestRecord) -> Place:
    return record.lane, record.play, plan.turns_of(record.session)[record.turn]


def _joined(
    plan: Plan, place: Place, profiled: Mapping[Place, RequestRecord]
) -> Iterator[RequestRecord]:
    lane, play, turn = place
    for answered in plan.answers_in(turn):
        found = profiled.get((lane, play, answered))
        if found is not None and found.state is EndState.OK:
            yield found
