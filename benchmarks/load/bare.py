"""The least that a Python client can do: what every other client is held against.

One protocol a stream on uvloop. A read takes one timestamp and appends; at the end of a stream
every event is decoded as JSON. No HTTP parser, no records, no journal, no statistics on the way.

python bare.py HOST PORT STREAMS REQUESTS TOKENS PROMPT_BYTES
"""

import asyncio
import json
import os
import sys
import time
from array import array
from math import floor

import orjson
import uvloop

WORDS = b"word "
now = time.monotonic_ns


class Stream(asyncio.Protocol):
    """One connection that asks again as soon as it is answered."""

    def __init__(self, client: "Client") -> None:
        self._client = client
        self.transport: asyncio.Transport
        self._body = bytearray()
        self._times = array("q")
        self._first = 0
        self._sent = 0
        self._name = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = transport  # type: ignore[assignment]

    def ask(self) -> None:
        """Send the next request, if there is one."""
        asked = self._client.next_request()
        if asked is None:
            return
        self._name, payload = asked
        self._body, self._times, self._first = bytearray(), array("q"), 0
        self._sent = now()
        self.transport.write(payload)

    def data_received(self, data: bytes) -> None:
        """Take the moment and the bytes; ask again after the last ones."""
        moment = now()
        self._times.append(moment)
        self._body += data
        if not self._first and b'"content"' in data:
            self._first = moment
        if self._body.endswith(b"\r\n0\r\n\r\n"):
            ttft, body = self._first - self._sent, self._body
            self._client.firsts[self._name] = self._first
            self.ask()
            self._client.ended(ttft, body)


class Client:
    """All streams, and what they saw."""

    def __init__(self, requests: int, tokens: int, prompt_bytes: int) -> None:
        prompt = (WORDS * (prompt_bytes // len(WORDS) + 1))[:prompt_bytes]
        body = (
            b'{"model":"truth","stream":true,"stream_options":{"include_usage":true},'
            b'"max_tokens":%d,"messages":[{"role":"user","content":"%b"}]}' % (tokens, prompt)
        )
        self._tail = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        self._left = self._open = requests
        self.ttfts: list[int] = []
        self.firsts: dict[str, int] = {}
        self.events = 0
        self.done = asyncio.get_running_loop().create_future()

    def next_request(self) -> tuple[str, bytes] | None:
        """Return a request's id and all its bytes, None when all are sent."""
        if not self._left:
            return None
        self._left -= 1
        name = f"bare-{os.getpid()}-{self._left}"
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: bare\r\nX-Request-ID: %b\r\n"
        json_ = b"Content-Type: application/json\r\n"
        return name, head % name.encode() + json_ + self._tail

    def ended(self, ttft: int, body: bytearray) -> None:
        """Decode an answer, now that it is whole."""
        self.ttfts.append(ttft)
        for line in body.split(b"data: ")[1:]:
            text = line[: line.find(b"\n")]
            if text != b"[DONE]":
                orjson.loads(text)
                self.events += 1
        self._open -= 1
        if not self._open:
            self.done.set_result(None)


async def main(words: list[str]) -> None:
    """Connect all streams, ask all requests, print what was seen as one JSON line."""
    host, (port, streams, requests, tokens, size) = words[0], map(int, words[1:])
    client = Client(requests, tokens, size)
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Stream(client), host, port) for _ in range(streams)
    ]
    for _, stream in made:
        stream.ask()
    await client.done
    seen = sorted(client.ttfts)
    rank = (len(seen) - 1) * 0.99
    low = floor(rank)
    p99 = seen[low] + (seen[min(low + 1, len(seen) - 1)] - seen[low]) * (rank - low)
    figures = {"ttft_mean": sum(seen) / len(seen) / 1e9, "ttft_p99": p99 / 1e9}
    print(json.dumps({**figures, "firsts": client.firsts}))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1:]))
