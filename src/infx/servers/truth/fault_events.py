"""Faults that change what events say or how they are written, never when they leave."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

from infx.servers.truth.answer import usage
from infx.servers.truth.cue import Cue
from infx.servers.truth.events import (
    choice_of,
    is_done,
    read_event,
    tokens_of,
    write_event,
)
from infx.servers.truth.passing import Rewrite

MULTIBYTE = str.maketrans(
    {"a": "\u00e4", "e": "\u00e9", "i": "\u20ac", "o": "\u8a9e", "u": "\U0001f642"}
)
"""Letters to characters of two, three and four bytes in UTF-8."""


def prompt_count(cue: Cue) -> Rewrite:
    """Return a rewrite that multiplies the prompt's length in usage."""
    factor = float(cue.argument)

    def recount(chunk: dict[str, Any]) -> None:
        counts = chunk.get("usage")
        if counts:
            counts["prompt_tokens"] = round(cue.ask.prompt_tokens * factor)
            counts["total_tokens"] = counts["prompt_tokens"] + counts["completion_tokens"]

    return _changing(recount)


def channels(cue: Cue) -> Rewrite:
    """Return a rewrite that lets texts go through the named channels of a chat delta in turn."""
    names = cycle(cue.argument.split("+"))
    called = False

    def move(chunk: dict[str, Any]) -> None:
        nonlocal called
        delta = (choice_of(chunk) or {}).get("delta") or {}
        text = delta.get("content") or delta.get("reasoning_content")
        if not text:
            return
        delta.pop("content", None)
        delta.pop("reasoning_content", None)
        name = next(names)
        if name != "tool_calls":
            delta[name] = text
            return
        call: dict[str, Any] = {"index": 0, "function": {"arguments": text}}
        if not called:
            called = True
            call |= {"id": "call-0", "type": "function"}
            call["function"] = {"name": "write", "arguments": text}
        delta[name] = [call]

    return _changing(move)


def multibyte(_: Cue) -> Rewrite:
    """Return a rewrite to characters of two, three and four bytes."""

    def translate(chunk: dict[str, Any]) -> None:
        choice = choice_of(chunk) or {}
        for part in (choice, choice.get("delta") or {}):
            for name in ("text", "content", "reasoning", "reasoning_content"):
                if isinstance(part.get(name), str):
                    part[name] = part[name].translate(MULTIBYTE)

    return _changing(translate)


def finish_apart(_: Cue) -> Rewrite:
    """Return a rewrite that states the finish reason in an event of its own, without text."""

    def part(event: bytes) -> bytes:
        chunk = read_event(event)
        choice = choice_of(chunk)
        if chunk is None or choice is None or not choice.get("finish_reason"):
            return event
        reason, choice["finish_reason"] = choice["finish_reason"], None
        return write_event(chunk) + _silent(chunk, {"finish_reason": reason})

    return part


def usage_always(cue: Cue) -> Rewrite:
    """Return a rewrite that puts usage so far into every chunk, asked for or not."""
    done = 0

    def state(event: bytes) -> bytes:
        nonlocal done
        done += tokens_of(event)
        chunk = read_event(event)
        if chunk is None or "choices" not in chunk or chunk.get("usage"):
            return event
        return write_event({**chunk, "usage": usage(cue.ask, done=done, cached=None)})

    return state


def usage_never(_: Cue) -> Rewrite:
    """Return a rewrite without usage, and without the chunk that has nothing else."""

    def strip(event: bytes) -> bytes:
        chunk = read_event(event)
        if chunk is None or "usage" not in chunk:
            return event
        del chunk["usage"]
        return write_event(chunk) if chunk.get("choices") else b""

    return strip


def empty_deltas(_: Cue) -> Rewrite:
    """Return a rewrite that sends an empty delta and one of empty text before each text."""

    def precede(event: bytes) -> bytes:
        chunk = read_event(event)
        if chunk is None or not tokens_of(event):
            return event
        silent = _silent(chunk, {})
        if "delta" not in chunk["choices"][0]:
            return silent + event
        return silent + _silent(chunk, {"delta": {"content": ""}}) + event

    return precede


def no_done(_: Cue) -> Rewrite:
    """Return a rewrite without `[DONE]`."""
    return lambda event: b"" if is_done(event) else event


def comments(_: Cue) -> Rewrite:
    """Return a rewrite with a comment before each event, and one inside it."""
    return lambda event: b": keep-alive\n\n: of this event\n" + event


def no_space(_: Cue) -> Rewrite:
    """Return a rewrite without the space after `data:`."""
    return lambda event: event.replace(b"data: ", b"data:", 1)


def crlf(_: Cue) -> Rewrite:
    """Return a rewrite whose lines end with CRLF."""
    return lambda event: event.replace(b"\n", b"\r\n")


def _changing(change: Callable[[dict[str, Any]], None]) -> Rewrite:
    """Return a rewrite that changes the JSON object of each event in place."""

    def rewrite(event: bytes) -> bytes:
        chunk = read_event(event)
        if chunk is None:
            return event
        change(chunk)
        return write_event(chunk)

    return rewrite


def _silent(chunk: dict[str, Any], more: dict[str, Any]) -> bytes:
    """Return an event like `chunk` whose choice has no text, and `more`."""
    choice = choice_of(chunk) or {}
    empty: dict[str, Any] = {"delta": {}} if "delta" in choice else {"text": ""}
    silent = {"index": 0, **empty, "logprobs": None, "finish_reason": None, **more}
    return write_event({**chunk, "choices": [silent]})
