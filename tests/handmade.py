"""Records written by hand, in seconds, for tests of the numbers made from them."""

from infx.model.measured import Measured, Replayed
from infx.model.record import EndState, Phase, RequestRecord, Slo

NS = 1_000_000_000


def ns(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * NS)


def record(
    *,
    sent: float = 0.0,
    first: float | None = None,
    gaps: tuple[float, ...] = (),
    due: float | None = None,
    output_at: float | None = None,
    end: float | None = None,
    state: EndState = EndState.OK,
    phase: Phase = Phase.PROFILING,
    asked_input: int | None = None,
    asked_output: int = 1,
    **fields: object,
) -> RequestRecord:
    """Make a record; by default it was due when sent, read at once, and ended with its content."""
    gaps_ns = tuple(round(gap * NS) for gap in gaps)
    last_ns = None if first is None else round(first * NS) + sum(gaps_ns)
    return RequestRecord(
        request=fields.pop("request", 0),
        session=fields.pop("session", 0),
        turn=fields.pop("turn", 0),
        lane=fields.pop("lane", 0),
        phase=phase,
        state=state,
        due_ns=ns(sent if due is None else due),
        sent_ns=ns(sent),
        end_ns=last_ns if end is None else ns(end),
        asked_input=asked_input,
        asked_output=asked_output,
        first_content_ns=ns(first),
        first_output_ns=ns(output_at),
        gaps_ns=gaps_ns,
        **{"late_ns": 0, **fields},
    )


def measured(
    *records: RequestRecord,
    gpus: int | None = None,
    slo: Slo | None = None,
    open_loop: bool = False,
    replay: Replayed | None = None,
) -> Measured:
    return Measured(records=records, gpus=gpus, slo=slo, open_loop=open_loop, replay=replay)
