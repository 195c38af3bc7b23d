"""What an OpenAI-compatible server is asked."""

from collections.abc import Mapping
from typing import Any

import orjson

from infx.errors import InputError, Problem
from infx.model.asked import Api
from infx.wire.usage import count

PATHS: Mapping[Api, str] = {"chat": "/v1/chat/completions", "completions": "/v1/completions"}
_RESERVED = ("messages", "prompt", "stream", "stream_options", "model", "max_tokens", "n")


def body_frame(
    *, api: Api, model: str, settings: Mapping[str, Any], extra: Mapping[str, Any]
) -> tuple[bytes, bytes, bytes]:
    """Return what stands before the token limit, between it and the prompt, and after the prompt.

    `extra` wins over `settings`; it may not touch what the plan decides.
    """
    taken = reserved_fields(extra)
    if taken:
        raise InputError(*taken)
    fields = {"model": model, **settings, **extra}
    fields |= {"stream": True, "stream_options": {"include_usage": True}}
    opening = orjson.dumps(fields)[:-1] + b',"max_tokens":'
    if api == "chat":
        return opening, b',"messages":[', b"]}"
    return opening, b',"prompt":', b"}"


def reserved_fields(extra: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return a problem for each of the extra body's fields that the plan decides."""
    remedy = f"leave out {', '.join(_RESERVED)}: infx sets them"
    return tuple(
        Problem(f"the extra body sets {key}", "--extra-body", remedy)
        for key in extra
        if key in _RESERVED
    )


def prompt_tokens(reply: object) -> int | None:
    """Return the server's count of the prompt in a whole (not streamed) answer, if it has one."""
    return count(reply.get("usage"), "prompt_tokens") if isinstance(reply, Mapping) else None
