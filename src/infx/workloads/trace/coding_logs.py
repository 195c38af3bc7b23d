"""Session logs of coding agents become recordings: sizes and times are kept, all text is dropped.

Two kinds of JSONL logs are read, told apart by their fields. Claude Code writes a line for each
part of a message; the lines of one answer share its message id and repeat its usage, and lines with
`isSidechain` are a subagent's. Codex writes events; a `token_count` event ends a request.

A request starts when the input before it was there, and ends with its answer's last line. Logs say
how long a prompt was and not what of it was new, so blocks follow from the lengths: a prompt that
is no shorter than the one before it in its conversation begins with all of it, and a shorter one
with as much of it as the server read from its cache. Identifiers are replaced by digests.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import count
from pathlib import Path

import orjson

from infx.errors import InputError, Problem
from infx.workloads.trace.fields import Fields, Report

BLOCK_TOKENS = 64
Note = Callable[[Problem], None]
"""Told what is wrong with a log, and where."""

KINDS = frozenset(
    {
        "text", "thinking", "redacted_thinking", "image", "document", "tool_use", "tool_result",
        "server_tool_use", "web_search_tool_result", "end_turn", "max_tokens", "stop_sequence",
        "pause_turn", "refusal",
    }
)  # fmt: skip
"""Kinds of message parts, and reasons to stop, that are kept."""
MAIN = ""
"""The conversation of the session itself; subagents have the name that the log gives them."""


@dataclass(slots=True, kw_only=True)
class Asked:
    """One request that a log tells of; times are milliseconds since 1970."""

    agent: str
    start_ms: int
    end_ms: int
    model: str
    prompt: int
    cached: int
    output: int
    stop: str = ""
    input_types: tuple[str, ...] = ()
    output_types: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Log:
    """What was read of one log so far: requests by id, and each conversation's last input."""

    asked: dict[str, Asked] = field(default_factory=dict)
    ready_ms: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, list[str]] = field(default_factory=dict)
    last_ms: int = 0
    model: str = ""


def requests(path: Path, note: Note) -> list[Asked]:
    """Return the requests of one log in order of their starts.

    Lines of other kinds say nothing about requests and are passed over; bad ones are reported.
    Raises InputError where the log cannot be read.
    """
    log = _Log()
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    _line(log, line, f"{path}:{number}", note)
    except OSError as error:
        what = f"cannot read the log: {error.strerror}"
        raise InputError(Problem(what, str(path), "give session logs or their folder")) from error
    return sorted(log.asked.values(), key=lambda one: (one.start_ms, one.end_ms))


def _line(log: _Log, line: bytes, where: str, note: Note) -> None:
    def told(what: str, remedy: str | None) -> None:
        note(Problem(what, where, remedy))

    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        told(f"not JSON: {error}", None)
        return
    fields = Fields(value, "", told)
    if isinstance(fields.get("message"), dict) and fields.get("type") in ("user", "assistant"):
        _claude(log, fields, told)
    elif isinstance(fields.get("payload"), dict):
        _codex(log, fields, told)


def _claude(log: _Log, fields: Fields, report: Report) -> None:
    agent = MAIN
    if fields.get("isSidechain"):
        agent = str(fields.get("agentId") or "sidechain")
    now_ms = _time(fields)
    message = Fields(fields.get("message"), "message", report)
    if fields.get("type") == "user":
        log.ready_ms[agent] = now_ms
        log.inputs.setdefault(agent, []).extend(_types(message.get("content")))
        return
    usage = message.get("usage")
    if not isinstance(usage, Mapping):
        return
    stated = Fields(usage, "message.usage", report)
    name = str(message.get("id") or fields.get("requestId") or len(log.asked))
    if name not in log.asked:
        log.asked[name] = Asked(
            agent=agent,
            start_ms=min(now_ms, log.ready_ms.get(agent, now_ms)),
            end_ms=now_ms,
            model=message.text("model"),
            prompt=0,
            cached=0,
            output=0,
            input_types=tuple(dict.fromkeys(log.inputs.pop(agent, ()))),
        )
    one = log.asked[name]
    cached = stated.whole("cache_read_input_tokens", default=0)
    written = stated.whole("cache_creation_input_tokens", default=0)
    one.prompt = stated.whole("input_tokens") + cached + written
    one.cached, one.output = cached, stated.whole("output_tokens")
    one.end_ms = max(one.end_ms, now_ms)
    one.stop = next(_kinds([message.get("stop_reason")]), one.stop)
    one.output_types += [t for t in _types(message.get("content")) if t not in one.output_types]
    log.ready_ms[agent] = now_ms


def _codex(log: _Log, fields: Fields, report: Report) -> None:
    payload = Fields(fields.get("payload"), "payload", report)
    now_ms = _time(fields)
    kind = payload.get("type")
    if fields.get("type") == "turn_context":
        log.model = str(payload.get("model") or log.model)
    elif kind in ("user_message", "function_call_output", "custom_tool_call_output"):
        log.ready_ms[MAIN] = now_ms
        found = "text" if kind == "user_message" else "tool_result"
        log.inputs.setdefault(MAIN, []).append(found)
    elif kind == "token_count" and isinstance(payload.get("info"), Mapping):
        info = Fields(payload.get("info"), "payload.info", report)
        usage = Fields(info.get("last_token_usage"), "payload.info.last_token_usage", report)
        total = Fields(info.get("total_token_usage"), "payload.info.total_token_usage", report)
        # The event is repeated whenever the limits change; the running total is then the same.
        log.asked.setdefault(
            f"{total.whole('total_tokens')}",
            Asked(
                agent=MAIN,
                start_ms=min(now_ms, log.ready_ms.get(MAIN, now_ms)),
                end_ms=now_ms,
                model=log.model or "unknown",
                prompt=usage.whole("input_tokens"),
                cached=usage.whole("cached_input_tokens", default=0),
                output=usage.whole("output_tokens"),
                input_types=tuple(dict.fromkeys(log.inputs.pop(MAIN, ()))),
            ),
        )


def _time(fields: Fields) -> int:
    value = fields.get("timestamp")
    try:
        stamp = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        stamp = None
    if stamp is None:
        fields.wrong("timestamp", "a time such as 2026-01-31T12:00:00.000Z")
        return 0
    return round(stamp.timestamp() * 1000)


def _types(content: object) -> Iterator[str]:
    """Yield the kinds of a message's parts, never what they hold."""
    if isinstance(content, str):
        yield "text"
    parts = content if isinstance(content, list) else []
    yield from _kinds([part.get("type") for part in parts if isinstance(part, dict)])


def _kinds(found: list[object]) -> Iterator[str]:
    """Yield what is one of the words that the protocol has for kinds, and so is no text."""
    for kind in found:
        if isinstance(kind, str) and kind in KINDS:
            yield kind


class _Blocks:
    """The block ids of one session, handed out as its prompts grow."""

    def __init__(self) -> None:
        self._ids = count(1)
        self._prompts: dict[str, list[int]] = {}
        self._subagents: list[int] = []
        """The first prompt of the last subagent: the next one's tools and system prompt are its."""

    def of(self, one: Asked) -> list[int]:
        """Return the ids of a request's prompt, whole blocks only."""
        length = one.prompt // BLOCK_TOKENS
        before = self._prompts.get(one.agent)
        kept = one.cached // BLOCK_TOKENS
        if before is None:
            before = self._subagents if one.agent != MAIN else []
        elif length >= len(before):
            kept = len(before)
        ids = before[: min(kept, length)]
        ids = [*ids, *(next(self._ids) for _ in range(length - len(ids)))]
        if one.agent != MAIN and one.agent not in self._prompts:
            self._subagents = ids
        self._prompts[one.agent] = ids
        return ids


def weka(path: Path, note: Note) -> bytes | None:
    """Return one log as a line of a weka corpus; None, and a note, where it tells no request.

    Requests whose prompt does not fill one block, such as those that failed, are left out.
    """
    found = [one for one in requests(path, note) if one.prompt >= BLOCK_TOKENS]
    if not any(one.agent == MAIN for one in found):
        note(Problem("it tells of no request of a session itself", str(path)))
        return None
    start_ms, blocks = found[0].start_ms, _Blocks()
    rows = [(one.agent, _row(one, blocks.of(one), start_ms)) for one in found]
    entries: list[dict[str, object]] = []
    subagents: dict[str, list[dict[str, object]]] = {}
    for agent, row in rows:
        if agent == MAIN:
            entries.append(row)
            continue
        if agent not in subagents:
            subagents[agent] = []
            entries.append(_entry(len(subagents), row, subagents[agent]))
        subagents[agent].append({**row, "type": "n"})
    for entry in entries:
        if entry["type"] == "subagent":
            _sum(entry)
    body = {
        "id": f"session-{sha256(path.stem.encode()).hexdigest()[:12]}",
        "models": sorted({one.model for one in found}),
        "block_size": BLOCK_TOKENS,
        "hash_id_scope": "local",
        "requests": entries,
    }
    return orjson.dumps(body) + b"\n"


def _row(one: Asked, ids: list[int], start_ms: int) -> dict[str, object]:
    return {
        "t": (one.start_ms - start_ms) / 1000,
        "type": "s",
        "model": one.model,
        "in": len(ids) * BLOCK_TOKENS,
        "out": one.output,
        "hash_ids": ids,
        "api_time": (one.end_ms - one.start_ms) / 1000,
        "input_types": list(one.input_types),
        "output_types": one.output_types,
        "stop": one.stop,
    }


def _entry(
    number: int, row: Mapping[str, object], inner: list[dict[str, object]]
) -> dict[str, object]:
    return {
        "t": row["t"],
        "type": "subagent",
        "agent_id": f"agent_{number:03d}",
        "subagent_type": "agent",
        "duration_ms": None,
        "total_tokens": None,
        "tool_use_count": None,
        "status": "completed",
        "requests": inner,
        "models": [],
    }


def _sum(entry: dict[str, object]) -> None:
    inner = entry["requests"]
    assert isinstance(inner, list)
    entry["models"] = sorted({row["model"] for row in inner})
    entry["total_tokens"] = sum(row["in"] + row["out"] for row in inner)
    end = max(row["t"] + row["api_time"] for row in inner)
    start = entry["t"]
    assert isinstance(start, float | int)
    entry["duration_ms"] = round(1000 * (end - start))
