"""The bytes of a streamed answer, piece by piece."""

import orjson

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
DONE = b"data: [DONE]\n\n"
END = b"0\r\n\r\n"


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body)


def event(**fields: object) -> bytes:
    return b"data: " + orjson.dumps(fields) + b"\n\n"


def delta(*, finish: str | None = None, **delta: object) -> bytes:
    return event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}])


def usage(prompt: int, completion: int, **more: object) -> bytes:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, **more}
    return event(choices=[], usage=counts)
