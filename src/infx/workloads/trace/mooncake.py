"""Mooncake traces: one request a row, as lengths and block ids, or as text.

A row has exactly one of `input_length` (tokens; its blocks are `hash_ids`), `text_input`,
`messages` and `payload` (a whole request body). Rows of one `session_id` are the turns of one
conversation, wherever they stand; a row without one is a session of its own. `timestamp` is in
milliseconds of the corpus and `delay` in milliseconds after the turn before, which it decides
where both are stated. Ids mean the same in all rows, and a block is 512 tokens unless stated.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

from infx.model.trace import ANSWER, Call, Content, Stream, Trace
from infx.model.workload import Message
from infx.workloads.trace.fields import NS_PER_MS, Fields, Report
from infx.workloads.trace.grouped import Index
from infx.workloads.trace.reading import Row, Tally, decoded, rows
from infx.workloads.trace.texts import NOT_TEXT, extra, messages, unsaid

BLOCK_TOKENS = 512
PROMPTS = ("input_length", "text_input", "messages", "payload")
KNOWN = (
    *PROMPTS, "output_length", "hash_ids", "timestamp", "delay", "session_id", "tools", "extra",
)  # fmt: skip
NOT_EXTRA = ("messages", "model", "stream", "stream_options", "max_tokens", "max_completion_tokens")
"""Parts of a recorded body that the replay states itself."""


class Turn(NamedTuple):
    """One row: its call, and when it was due, where that is stated."""

    session: str | None
    call: Call
    timestamp_ns: int | None
    delay_ns: int | None


def traces(
    path: Path, *, tally: Tally, skip_bad: bool = False, block_tokens: int = BLOCK_TOKENS
) -> Iterator[Trace]:
    """Yield a trace for each session, in the order of their first rows.

    Raises InputError as `weka.traces` does; bad rows are found before the first trace is yielded.
    """
    index, lone = Index(), count(1)
    placed = decoded(rows(path), lambda value, row, report: (turn(value, report), row), tally,
                     skip_bad=skip_bad)  # fmt: skip
    for one, row in placed:
        index.add(one.session or f"row-{next(lone)}", row)
    for session in index:
        yield _trace(session, index, block_tokens)


def turn(value: object, report: Report) -> Turn:
    """Return what one row states; everything that is wrong with it is reported."""
    fields = Fields(value, "", report)
    fields.closed(KNOWN)
    stated = [key for key in PROMPTS if key in fields]
    if len(stated) != 1 and not fields.bad:
        found = " and ".join(stated) or "none"
        fields.say(f"expected exactly one of {', '.join(PROMPTS)}, found {found}")
    for key, owner in (("hash_ids", "input_length"), ("tools", "messages")):
        if key in fields and owner not in fields:
            fields.say(f"{key} belong to {owner}, which this row has not")
    sized = "input_length" in fields
    call = Call(
        outer=0,
        start_ns=0,
        input_tokens=fields.whole("input_length", least=1) if sized else None,
        output_tokens=fields.optional_whole("output_length"),
        blocks=fields.blocks("hash_ids"),
        content=None if sized else _content(fields, report),
    )
    return Turn(
        session=fields.text("session_id") if fields.get("session_id") is not None else None,
        call=call,
        timestamp_ns=fields.optional_ns("timestamp", NS_PER_MS, least=0),
        delay_ns=fields.optional_ns("delay", NS_PER_MS, least=0),
    )


def _content(fields: Fields, report: Report) -> Content | None:
    if "text_input" in fields:
        return Content((Message("user", (fields.text("text_input"),)),), extra=extra(fields))
    if "messages" in fields:
        said = messages(fields, "messages", report)
        lost = unsaid(fields, "messages")
        return Content(said, whole=True, extra=extra(fields), unsaid=lost)
    if "payload" not in fields:
        return None
    body = Fields(fields.get("payload"), fields.name("payload"), report)
    if not body.bad and "messages" not in body:
        report(f"{body.name('messages')}: expected a list of messages, found nothing", NOT_TEXT)
        return None
    payload = fields.get("payload")
    kept = payload if isinstance(payload, dict) else {}
    further = {key: kept[key] for key in kept if key not in NOT_EXTRA}
    return Content(
        messages(body, "messages", report),
        whole=True,
        extra={**further, **extra(fields)},
        unsaid=unsaid(body, "messages"),
    )


def _trace(session: str, index: Index, block_tokens: int) -> Trace:
    tally = Tally()
    read = decoded(
        index.rows(session), lambda value, row, report: (turn(value, report), row), tally
    )
    turns: list[tuple[Turn, Row]] = list(read)
    arrival_ns = turns[0][0].timestamp_ns
    start_ns = 0
    calls: list[Call] = []
    for number, (one, _) in enumerate(turns):
        if number and one.delay_ns is not None:
            start_ns += one.delay_ns
        elif number and one.timestamp_ns is not None:
            start_ns = max(start_ns, one.timestamp_ns - (arrival_ns or 0))
        content = one.call.content
        if number and content is not None and not content.whole:
            content = replace(content, messages=(ANSWER, *content.messages))
        calls.append(replace(one.call, outer=number, start_ns=start_ns, content=content))
    stream = Stream(id=session, kind="main", calls=tuple(calls), after=((),) * len(calls))
    return Trace(
        id=session,
        block_tokens=block_tokens,
        streams=(stream,),
        where=turns[0][1].where,
        arrival_ns=arrival_ns,
        shared_blocks=True,
    )
