"""From aiperf's records to infx's: the same requests in infx's own terms.

What aiperf did not keep is None: how late the client read, why an answer finished. Which lane
played what is inferred, see `aiperf_lanes`.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from infx.errors import InputError, Problem
from infx.interchange.aiperf_lanes import plays, stream_of, tree_of
from infx.interchange.aiperf_recording import (
    Place,
    Request,
    Streams,
    by_place,
    count,
    outputs,
    place_of,
    played_streams,
    request_of,
    value_of,
)
from infx.model.aiperf import AiperfRecord, InfxRecord
from infx.model.bundle import ClockAnchor
from infx.model.record import EndState, Phase, RequestRecord
from infx.store.expected import RecordedStream

OVERFLOWS = ("context length", "maximum context", "context_length_exceeded", "prompt is too long")
"""What an error says, in any case, that stands for a prompt that did not fit."""
NS_PER_MS = 1_000_000
TOLERANCE_NS = 1000
"""What times that are told in ms may be off by, where they are added up."""
PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Incoming:
    """A run as it was read: its requests by number, and what is known of its recording."""

    records: tuple[RequestRecord, ...]
    streams: tuple[RecordedStream, ...]


def own(
    lines: Sequence[AiperfRecord], anchor: ClockAnchor, *, where: str
) -> tuple[RequestRecord, ...]:
    """Return the requests of an export that infx wrote, as they were; by number.

    Raises InputError with the first 20 of those whose moments contradict each other.
    """
    early = anchor.wall_ns - anchor.monotonic_ns
    altered = [
        Problem(f"request {request_of(line)[0]}: {why}", where, "restore the export")
        for line in lines
        if line.error is None and (why := _untold(line))
    ]
    if altered:
        raise InputError(*altered[:PROBLEMS_SHOWN])
    made = [_own(line, line.infx, early) for line in lines if line.infx is not None]
    return tuple(sorted(made, key=lambda record: record.request))


def _own(line: AiperfRecord, known: InfxRecord, early: int) -> RequestRecord:
    facts = known.model_dump(exclude={"end_ns"})
    end = None if known.end_ns is None else known.end_ns - early
    return RequestRecord(**facts, **_seen(line, early), end_ns=end)


def foreign(lines: Sequence[AiperfRecord], known: Streams, *, where: str) -> Incoming:
    """Return the requests of an export of aiperf itself, numbered in the order of their sending.

    `known` are the streams of its corpus, where that is at hand. Else those traces are known that
    were played from their first turn to their end. Raises InputError with the first 20 problems:
    requests that are not of the corpus, do not say what they asked, or leave chunks out.
    """
    ordered = sorted(lines, key=lambda line: line.metadata.request_start_ns)
    played = plays(ordered)
    asked = outputs(ordered, known)
    streams = tuple(known) or tuple(played_streams(played.values(), asked))
    numbers = {(one.trace, one.name): one.stream for one in streams}
    if not known:
        for other in sorted({stream_of(line) for line in ordered} - numbers.keys()):
            numbers[other] = len(numbers)
    sizes = by_place(streams)
    strange = {place_of(line) for line in ordered} - sizes.keys() if known else set()
    problems = list(_problems(ordered, strange, asked=asked, where=where))
    if problems:
        raise InputError(*problems[:PROBLEMS_SHOWN])
    records = []
    for number, line in enumerate(ordered):
        place, play, seen = place_of(line), played[tree_of(line)], _seen(line, 0)
        source = sizes.get(place)
        records.append(
            RequestRecord(
                request=number,
                session=numbers[stream_of(line)],
                turn=place[2],
                lane=play.lane,
                play=play.number,
                asked_input=source.input_tokens if source is not None else None,
                asked_output=asked[request_of(line)],
                **seen,
                **_end(line, seen),
            )
        )
    return Incoming(tuple(records), streams)


def _problems(
    lines: Sequence[AiperfRecord],
    strange: Set[Place],
    *,
    asked: Mapping[Request, int],
    where: str,
) -> Iterator[Problem]:
    """Yield what keeps records from being requests of ours."""
    corpus = "give the corpus that was replayed"
    for line in lines:
        name = f"request {request_of(line)[0]}"
        if place_of(line) in strange:
            _, stream, turn = place_of(line)
            what = f"{name} is turn {turn} of {stream!r}, which the corpus does not have"
            yield Problem(what, where, corpus)
        elif request_of(line) not in asked:
            yield Problem(f"{name} does not say how many tokens it asked for", where, corpus)
        elif line.error is None and (why := _untold(line)):
            yield Problem(f"{name}: {why}", where, "export the run again, with every chunk")


def _untold(line: AiperfRecord) -> str | None:
    """Say why the moments of an ok request cannot be told, None where they can."""
    seen = _seen(line, 0)
    latency, last = _ns(line, "request_latency"), _last(seen)
    told = None if latency is None else seen["sent_ns"] + latency
    if told is not None and last is not None and abs(told - last) > TOLERANCE_NS:
        return f"inter_chunk_latency does not add up to its latency of {latency} ns"
    names = ("due_ns", "sent_ns", "first_byte_ns", "first_content_ns", "first_output_ns")
    known = [moment for moment in (*map(seen.get, names), last) if moment is not None]
    if known != sorted(known) or min(seen["gaps_ns"], default=0) < 0:
        return "its moments do not follow each other"
    return None


def _last(seen: Mapping[str, Any]) -> int | None:
    first: int | None = seen["first_content_ns"]
    return None if first is None else first + sum(seen["gaps_ns"])


def _seen(line: AiperfRecord, early: int) -> dict[str, Any]:
    """Return the moments and counts that aiperf has fields for; a credit is never after its send.

    Credits are issued in another process, so its clock may be a little ahead.
    """
    said = line.metadata
    sent = said.request_start_ns - early
    due, acknowledged = said.credit_issued_ns, said.request_ack_ns
    first, output = _ns(line, "time_to_first_token"), _ns(line, "time_to_first_output_token")
    return {
        "phase": Phase(said.benchmark_phase),
        "due_ns": sent if due is None else min(due - early, sent),
        "sent_ns": sent,
        "first_byte_ns": None if acknowledged is None else acknowledged - early,
        "first_content_ns": None if first is None else sent + first,
        "first_output_ns": None if output is None else sent + output,
        "gaps_ns": _gaps(line),
        "prompt_tokens": count(line, "usage_prompt_tokens", "input_sequence_length"),
        "completion_tokens": count(line, "usage_completion_tokens", "output_sequence_length"),
        "reasoning_tokens": count(line, "usage_reasoning_tokens", "reasoning_token_count"),
        "cached_tokens": count(line, "usage_prompt_cache_read_tokens"),
    }


def _gaps(line: AiperfRecord) -> tuple[int, ...]:
    found = line.metrics.get("inter_chunk_latency")
    each = found.value if found is not None and isinstance(found.value, tuple) else ()
    return tuple(round(gap * NS_PER_MS) for gap in each)


def _ns(line: AiperfRecord, name: str) -> int | None:
    value = value_of(line, name)
    return None if value is None else round(value * NS_PER_MS)


def _end(line: AiperfRecord, seen: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a request ended. aiperf cuts requests on purpose only where it was told to."""
    error, said = line.error, line.metadata
    ended = max(said.request_end_ns, _last(seen) or seen["sent_ns"])
    end: dict[str, Any] = {"state": EndState.OK, "end_ns": ended}
    if error is None and not said.was_cancelled:
        return end
    state, message = EndState.ERROR, error.message if error is not None else ""
    if said.was_cancelled:
        state = EndState.CANCELLED_BY_PLAN
    elif said.context_overflow_skip or any(one in message.lower() for one in OVERFLOWS):
        state = EndState.OVERFLOW
    code = error.code if error is not None else None
    reason = error.type if error is not None else None
    return {**end, "state": state, "reason": reason or state.value, "detail": message or None,
            "status": code if code is not None and 100 <= code < 600 else None}  # fmt: skip
