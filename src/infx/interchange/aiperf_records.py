"""`profile_export.jsonl` of aiperf: one line a request, with its metadata, metrics and error.

aiperf leaves out requests that were cut at the end; here every issued one has its line, and those
that did not end ok have an error, so that readers drop them as they drop failed ones.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from infx.errors import InputError, Problem
from infx.interchange.aiperf_figures import figures
from infx.interchange.outgoing import Outgoing
from infx.model.aiperf import (
    RECORDS,
    AiperfError,
    AiperfMetadata,
    AiperfRecord,
    AiperfValue,
    InfxRecord,
)
from infx.model.record import EndState, Phase, RequestRecord
from infx.store.files import write_chunks

CANCELLED = (EndState.CANCELLED_AT_END, EndState.CANCELLED_BY_PLAN)
CLIENT_CLOSED = 499
"""The code that aiperf gives a request that the client gave up."""
PROBLEMS_SHOWN = 20


def read(path: Path) -> tuple[AiperfRecord, ...]:
    """Return the records of a file in their order.

    Raises InputError when it cannot be read, with the first 20 lines that are no records, or when
    it has none.
    """
    problems: list[Problem] = []
    found = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    found.append(AiperfRecord.model_validate_json(line))
                except ValidationError as error:
                    problems.append(_problem(error, f"{path}:{number}"))
                    if len(problems) == PROBLEMS_SHOWN:
                        break
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", str(path))) from None
    if problems:
        raise InputError(*problems)
    if not found:
        raise InputError(Problem("the file has no record", str(path), "did the run ask anything?"))
    return tuple(found)


def _problem(error: ValidationError, where: str) -> Problem:
    first = error.errors(include_url=False)[0]
    part = ".".join(map(str, first["loc"])) or "the line"
    return Problem(f"{part} is not of an aiperf record: {first['msg']}", where)


def write(outgoing: Outgoing, folder: Path) -> Path:
    """Write the records of a point in the order of their ends; raises MachineError."""
    path = folder / RECORDS
    write_chunks(path, _lines(outgoing))
    return path


def _lines(outgoing: Outgoing) -> Iterator[bytes]:
    ordered = sorted(outgoing.records, key=lambda one: (one.end_ns or one.sent_ns, one.request))
    numbers: dict[Phase, int] = dict.fromkeys(Phase, 0)
    for record in ordered:
        line = record_of(outgoing, record, numbers[record.phase])
        numbers[record.phase] += 1
        told = line.model_dump(mode="json", exclude_none=True)
        told["infx"] |= {"end_ns": told["infx"].get("end_ns"), "asked_input": record.asked_input}
        yield orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)


def record_of(outgoing: Outgoing, record: RequestRecord, number: int) -> AiperfRecord:
    """Return the line of a request, the `number`th of its phase."""
    return AiperfRecord(
        metadata=_metadata(outgoing, record, number),
        metrics={
            name: AiperfValue(value=one.told, unit=one.unit)
            for name, one in figures(record).items()
        },
        error=_error(record),
        infx=InfxRecord(
            request=record.request,
            session=record.session,
            turn=record.turn,
            lane=record.lane,
            play=record.play,
            state=record.state,
            asked_input=record.asked_input,
            asked_output=record.asked_output,
            end_ns=None if record.end_ns is None else outgoing.wall(record.end_ns),
            late_ns=record.late_ns,
            first_chunk_tokens=record.first_chunk_tokens,
            finish=record.finish,
            reason=record.reason,
            detail=record.detail,
            status=record.status,
            text=record.text,
            server=None if record.server is None else dict(record.server),
        ),
    )


def _metadata(outgoing: Outgoing, record: RequestRecord, number: int) -> AiperfMetadata:
    """Return what names a request; an ok one ends with its last content, as in aiperf."""
    point, phase = outgoing.point, record.phase
    last = record.last_content_ns if record.state is EndState.OK else None
    end = last or record.end_ns or record.sent_ns
    cancelled = record.state in CANCELLED
    acknowledged = record.first_byte_ns
    return AiperfMetadata(
        session_num=number,
        x_request_id=f"{point.request_name}-{record.request}",
        credit_issued_ns=outgoing.wall(record.due_ns),
        request_start_ns=outgoing.wall(record.sent_ns),
        request_ack_ns=None if acknowledged is None else outgoing.wall(acknowledged),
        request_end_ns=outgoing.wall(end),
        worker_id="infx",
        record_processor_id="infx",
        benchmark_phase=phase.value,
        phase_index=1 if phase is Phase.PROFILING else 0,
        profiling_index=0 if phase is Phase.PROFILING else None,
        phase_name=phase.value,
        phase_kind=phase.value,
        was_cancelled=cancelled,
        cancellation_time_ns=outgoing.wall(end) if cancelled else None,
        context_overflow_skip=record.state is EndState.OVERFLOW,
        **_place(outgoing, record),
    )


def _place(outgoing: Outgoing, record: RequestRecord) -> dict[str, Any]:
    """Return where a request stands in its trace, and the ids that its play was asked under."""
    stream = outgoing.streams.get(record.session)
    if stream is None:
        return {"conversation_id": f"session-{record.session}", "turn_index": record.turn}
    name = f"{outgoing.point.request_name}-l{record.lane}-p{record.play}-s"
    parent = outgoing.parents.get(record.session)
    source = outgoing.recorded(record)
    inner = source.inner if source is not None else None
    kind = "weka_subagent" if inner is not None else "weka_main" if parent is None else "weka_flat"
    return {
        "x_correlation_id": f"{name}{record.session}",
        "root_correlation_id": f"{name}{outgoing.root(record.session)}",
        "parent_correlation_id": None if parent is None else f"{name}{parent}",
        "agent_depth": outgoing.depth(record.session),
        "conversation_id": stream.name,
        "turn_index": record.turn,
        "source_trace_id": stream.trace,
        "source_outer_idx": source.outer if source is not None else None,
        "source_inner_idx": inner,
        "source_kind": kind,
    }


def _error(record: RequestRecord) -> AiperfError | None:
    if record.state is EndState.OK:
        return None
    if record.state in CANCELLED:
        what = record.detail or "cut at the end of the run"
        return AiperfError(code=CLIENT_CLOSED, type="RequestCancellationError", message=what)
    reason = record.reason or record.state.value
    return AiperfError(code=record.status, type=reason, message=record.detail or reason)
