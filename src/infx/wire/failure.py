"""What a server says when it does not answer, in words of our own."""

from typing import Any

import orjson

from infx.model.record import EndState

_OVERFLOW = (
    b"context length", b"maximum context", b"context_length_exceeded", b"prompt is too long",
    b"exceed_context_size_error",
)  # fmt: skip
"""Phrases of a prompt that is longer than the context; the last one is llama.cpp's."""
_REASONS = {401: "unauthorized", 403: "unauthorized", 404: "not-found", 429: "rate-limited"}


def refusal(status: int, body: bytes) -> tuple[EndState, str, str]:
    """Return end state, reason and detail of an answer with another status than 200."""
    detail = f"HTTP {status}: {_body_text(body)}"
    if is_overflow(body):
        return EndState.OVERFLOW, "context-overflow", detail
    return EndState.ERROR, _REASONS.get(status, f"http-{status}"), detail


def is_overflow(said: bytes) -> bool:
    """Whether an error, in all that came of it, says that the prompt exceeds the context."""
    lower = said.lower()
    return any(phrase in lower for phrase in _OVERFLOW)


def error_text(chunk: dict[str, Any]) -> str:
    """Return the message of an error object, and its type where it has one."""
    error = chunk.get("error", chunk)
    if isinstance(error, dict):
        kind = error.get("type") or error.get("code") or ""
        return f"{error.get('message', error)} ({kind})" if kind else str(error.get("message"))
    return str(error)


def _body_text(body: bytes) -> str:
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body[:300].decode("utf-8", "replace")
    return error_text(parsed) if isinstance(parsed, dict) else str(parsed)[:300]
