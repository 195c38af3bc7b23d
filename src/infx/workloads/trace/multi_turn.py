"""Conversations as text: one a row, whose messages are its turns.

A row has `messages`; each assistant's message is the recorded answer to a request that asked with
everything before it, and what follows the last one is a request too. Where its `content` is null
nobody recorded it: the server's own answer stands there in later requests. `session_id` names the
conversation, `output_tokens` (or `max_tokens`) limits each answer, as one number or one a request,
and `delay` is the pause in milliseconds before each request but the first, likewise.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

from infx.model.trace import Call, Content, Stream, Trace
from infx.model.workload import Message
from infx.workloads.trace.fields import NS_PER_MS, Fields, Report
from infx.workloads.trace.reading import Row, Tally, decoded, rows
from infx.workloads.trace.texts import extra, messages, unsaid

BLOCK_TOKENS = 64
"""Texts have no blocks; the number only has to be one."""
KNOWN = ("session_id", "messages", "output_tokens", "max_tokens", "delay", "tools", "extra")


def traces(path: Path, *, tally: Tally, skip_bad: bool = False) -> Iterator[Trace]:
    """Yield a trace of one stream for each row; raises InputError as `weka.traces` does."""
    seen: set[str] = set()

    def convert(value: object, row: Row, report: Report) -> Trace | None:
        return _trace(Fields(value, "", report), row, seen, report)

    return decoded(rows(path), convert, tally, skip_bad=skip_bad)


def _trace(fields: Fields, row: Row, seen: set[str], report: Report) -> Trace | None:
    fields.closed(KNOWN)
    number = row.where.rpartition(":")[2]
    name = fields.text("session_id") if "session_id" in fields else f"row-{number}"
    if name in seen:
        report(f"session_id: a second conversation {name!r}", "names are unique in a corpus")
    seen.add(name)
    asked = _requests(messages(fields, "messages", report, live=True))
    if "messages" in fields and not asked and not fields.bad:
        fields.say("messages: expected a request: a message before an assistant's, or at the end")
    if "output_tokens" in fields and "max_tokens" in fields:
        fields.say("expected one of output_tokens and max_tokens, found both")
    limit = "output_tokens" if "output_tokens" in fields else "max_tokens"
    outputs = _each(fields, limit, len(asked), report, least=1)
    delays = _each(fields, "delay", len(asked) - 1, report, least=0)
    if not asked:
        return None
    body, lost = extra(fields), unsaid(fields, "messages")
    start_ns, calls = 0, []
    for index, new in enumerate(asked):
        start_ns += round((delays[index - 1] or 0) * NS_PER_MS) if index else 0
        limit_tokens = outputs[index]
        calls.append(
            Call(
                outer=index,
                start_ns=start_ns,
                output_tokens=None if limit_tokens is None else int(limit_tokens),
                content=Content(new, extra=body, unsaid=lost),
            )
        )
    stream = Stream(id=name, kind="main", calls=tuple(calls), after=((),) * len(calls))
    return Trace(id=name, block_tokens=BLOCK_TOKENS, streams=(stream,), where=row.where)


def _requests(said: tuple[Message, ...]) -> list[tuple[Message, ...]]:
    """Return what each request adds: the answer before it, and what was said since."""
    found: list[tuple[Message, ...]] = []
    new: list[Message] = []
    for message in said:
        if message.role == "assistant" and any(m.role != "assistant" for m in new):
            found.append(tuple(new))
            new = []
        new.append(message)
    if any(message.role != "assistant" for message in new):
        found.append(tuple(new))
    return found


def _each(
    fields: Fields, key: str, count: int, report: Report, *, least: int
) -> list[float | None]:
    """Read a number for all, or a list of one for each; null and a missing member are None."""
    value, count = fields.get(key), max(count, 0)
    if value is None:
        return [None] * count
    values = value if isinstance(value, list) else [value] * count
    numbers = [number for number in values if _is_number(number, least)]
    if len(numbers) == count == len(values) and (values or isinstance(value, list)):
        return list(numbers)
    if not isinstance(value, list) and _is_number(value, least):
        return []  # one number for all of none
    expected = f"expected a number of at least {least}, or a list of {count} of them"
    report(f"{fields.name(key)}: {expected}", None)
    return [None] * count


def _is_number(value: object, least: int) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= least
