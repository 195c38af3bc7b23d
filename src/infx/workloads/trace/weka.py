"""Weka traces: sessions of coding agents as sizes, times and block ids, without any text.

A row is one trace: requests, and subagents with requests of their own, in the order of recording.
Times are seconds of the session. A subagent's inner times are too, but in older captures they count
from its spawn: an inner time before the spawn is read so. `think_time` is checked and not used; it
is the distance from the row before, which belongs to another stream wherever streams overlap.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from infx.model.trace import Call, Trace
from infx.workloads.trace.fields import NS_PER_MS, NS_PER_S, Fields, Report
from infx.workloads.trace.reading import Row, Tally, decoded, rows
from infx.workloads.trace.recording import SLACK_NS, Recording, Subagent
from infx.workloads.trace.session import trace_of

TRACE = (
    "id", "models", "block_size", "hash_id_scope", "tool_tokens", "system_tokens", "requests",
    "totals",
)  # fmt: skip
REQUEST = (
    "t", "type", "model", "in", "out", "hash_ids", "api_time", "think_time", "input_types",
    "output_types", "stop",
)  # fmt: skip
STREAMED = (*REQUEST, "ttft")
SUBAGENT = (
    "t", "type", "agent_id", "subagent_type", "duration_ms", "total_tokens", "tool_use_count",
    "status", "requests", "models", "tool_tokens", "system_tokens",
)  # fmt: skip


def traces(
    path: Path, *, tally: Tally, skip_bad: bool = False, detect_chains: bool = True
) -> Iterator[Trace]:
    """Yield the traces of a JSONL corpus, of one `.json` trace, or of a folder of those.

    `detect_chains` parts unlabelled parallel work into streams of its own (see `chains`).
    Raises InputError with file, line and field of what is wrong in bad rows, unless `skip_bad`
    passes over them and `tally` counts them.
    """
    seen: set[str] = set()
    convert = partial(_trace, seen=seen, detect_chains=detect_chains)
    return decoded(rows(path), convert, tally, skip_bad=skip_bad)


def _trace(
    value: object, row: Row, report: Report, *, seen: set[str], detect_chains: bool
) -> Trace | None:
    problems = 0

    def count(what: str, remedy: str | None) -> None:
        nonlocal problems
        problems += 1
        report(what, remedy)

    recording = recorded(value, count)
    if recording.id in seen:
        count(f"id: a second trace {recording.id!r}", "ids are unique in a corpus")
    if problems:
        return None
    trace = trace_of(recording, row.where, count, detect_chains=detect_chains)
    if problems or trace is None:
        return None
    seen.add(recording.id)
    return trace


def recorded(value: object, report: Report) -> Recording:
    """Return what one row states; every field that is unknown, missing or wrong is reported."""
    fields = Fields(value, "", report)
    if not fields.bad:
        fields.closed(TRACE)
    fields.words("models", required=True)
    if fields.get("hash_id_scope") != "local":
        fields.wrong("hash_id_scope", "local (ids that mean one thing in all traces are not read)")
    if fields.get("totals") is not None and not isinstance(fields.get("totals"), dict):
        fields.wrong("totals", "an object")
    calls, subagents = [], []
    for index, entry in enumerate(fields.listed("requests")):
        part = Fields(entry, f"requests[{index}]", report)
        if part.get("type") == "subagent":
            subagents.append(_subagent(part, index, report))
        elif not part.bad:
            calls.append(_call(part, index, None))
    if not calls and not subagents:
        fields.say("requests: a trace without any request cannot be replayed")
    return Recording(
        id=fields.text("id"),
        block_tokens=fields.whole("block_size", least=1),
        tool_tokens=fields.whole("tool_tokens", default=0),
        system_tokens=fields.whole("system_tokens", default=0),
        calls=tuple(calls),
        subagents=tuple(subagents),
    )


def _call(fields: Fields, outer: int, inner: int | None, *, shift_before_ns: int = 0) -> Call:
    """Read one request; times before `shift_before_ns` count from there."""
    streamed = fields.get("type") == "s"
    if not streamed and fields.get("type") != "n":
        fields.wrong("type", "n, s or subagent" if inner is None else "n or s")
    fields.closed(STREAMED if streamed else REQUEST)
    start_ns = fields.ns("t", NS_PER_S, least=0)
    if start_ns + SLACK_NS < shift_before_ns:
        start_ns += shift_before_ns
    fields.optional_ns("think_time", NS_PER_S)
    return Call(
        outer=outer,
        inner=inner,
        start_ns=start_ns,
        duration_ns=fields.optional_ns("api_time", NS_PER_S),
        model=fields.text("model"),
        input_tokens=fields.whole("in"),
        output_tokens=fields.whole("out"),
        blocks=fields.blocks("hash_ids"),
        ttft_ns=fields.optional_ns("ttft", NS_PER_S),
        streaming=streamed,
        stop=fields.text("stop", default=""),
        input_types=fields.words("input_types"),
        output_types=fields.words("output_types"),
    )


def _subagent(fields: Fields, outer: int, report: Report) -> Subagent:
    fields.closed(SUBAGENT)
    fields.text("subagent_type", empty=True)
    fields.text("status", empty=True)
    fields.words("models", required=True)
    for key in ("total_tokens", "tool_use_count"):
        fields.optional_whole(key)
    start_ns = fields.ns("t", NS_PER_S, least=0)
    duration_ns = fields.optional_ns("duration_ms", NS_PER_MS)
    calls = tuple(
        _call(part, outer, index, shift_before_ns=start_ns)
        for index, entry in enumerate(fields.listed("requests"))
        if not (part := Fields(entry, fields.name(f"requests[{index}]"), report)).bad
    )
    if duration_ns is not None:
        end_ns = start_ns + max(duration_ns, 0)
    else:
        end_ns = max((call.end_ns for call in calls), default=start_ns)
    return Subagent(
        outer=outer,
        agent=fields.text("agent_id"),
        start_ns=start_ns,
        end_ns=end_ns,
        calls=calls,
        tool_tokens=fields.whole("tool_tokens", default=0),
        system_tokens=fields.whole("system_tokens", default=0),
    )
