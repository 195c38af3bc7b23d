"""The bytes of an answer: its events, their constant parts encoded once, and its whole body."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from infx.servers.truth.ask import Ask

DONE = b"data: [DONE]\n\n"

_CLOSE = b"}\n\n"


@dataclass(frozen=True, slots=True)
class Form:
    """What stands around the changing parts of every event of one answer.

    `content` and `reasoning` come before the text, `going` and `final` after it. `role` and
    `empty` are whole events without text.
    """

    content: bytes
    reasoning: bytes
    going: bytes
    final: bytes
    role: bytes
    empty: bytes


def form(ask: Ask, *, identity: str, created: int, model: str) -> Form:
    """Encode the constant parts of the events of one answer."""
    chat = ask.api == "chat"
    kind = "chat.completion.chunk" if chat else "text_completion"
    about = {"id": identity, "object": kind, "created": created, "model": model}
    head = b'data: %b,"choices":[' % orjson.dumps(about)[:-1]
    choice = b'%b{"index":0,' % head
    brace = b"}" if chat else b""
    unfinished = b',"logprobs":null,"finish_reason":null}]%b' % _CLOSE
    return Form(
        content=choice + (b'"delta":{"content":"' if chat else b'"text":"'),
        reasoning=choice + b'"delta":{"reasoning_content":"',
        going=b'"%b%b' % (brace, unfinished),
        final=b'"%b,"logprobs":null,"finish_reason":"length"}]%b' % (brace, _CLOSE),
        role=b'%b"delta":{"role":"assistant","content":""}%b' % (choice, unfinished),
        empty=b"%b]%b" % (head, _CLOSE),
    )


def with_usage(event: bytes, counts: Mapping[str, object]) -> bytes:
    """Return a whole event with the usage object in it."""
    return b'%b,"usage":%b%b' % (event[: -len(_CLOSE)], orjson.dumps(counts), _CLOSE)


def usage(ask: Ask, *, done: int, cached: int | None) -> dict[str, object]:
    """Return the usage object after `done` tokens; `cached` is None where there is no cache."""
    counts: dict[str, object] = {
        "prompt_tokens": ask.prompt_tokens,
        "completion_tokens": done,
        "total_tokens": ask.prompt_tokens + done,
    }
    if cached is not None:
        counts["prompt_tokens_details"] = {"cached_tokens": cached}
    if ask.reasoning_tokens:
        reasoning = min(done, ask.reasoning_tokens)
        counts["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return counts


def whole(
    ask: Ask, about: Mapping[str, object], *, texts: tuple[str, str], cached: int | None
) -> bytes:
    """Return the body of an answer that is not streamed; `texts` are its reasoning and content."""
    reasoning, content = texts
    choice: dict[str, object] = {"index": 0, "logprobs": None, "finish_reason": "length"}
    if ask.api == "chat":
        message: dict[str, object] = {"role": "assistant", "content": content}
        if reasoning:
            message["reasoning_content"] = reasoning
        choice["message"] = message
    else:
        choice["text"] = content
    kind = "chat.completion" if ask.api == "chat" else "text_completion"
    counts = usage(ask, done=ask.tokens, cached=cached)
    return orjson.dumps({**about, "object": kind, "choices": [choice], "usage": counts})
