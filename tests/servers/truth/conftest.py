"""A truth server on virtual time, asked over connections without sockets."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httptools
import orjson
import pytest

from infx.clock import NS, VirtualTimeLoop
from infx.servers.truth.faults import read_faults
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from infx.servers.truth.server import TruthServer
from memory_transport import MemoryTransport


@dataclass
class Response:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    whole: bool = False

    @property
    def json(self):
        return orjson.loads(self.body)

    @property
    def events(self) -> list[str]:
        """The data of each server-sent event, in order; anything else in the stream fails."""
        blocks = self.body.decode().split("\n\n")
        assert blocks.pop() == ""
        assert all(block.startswith("data: ") and "\n" not in block for block in blocks)
        return [block.removeprefix("data: ") for block in blocks]

    @property
    def chunks(self) -> list[dict]:
        """The JSON of each event; the stream must end with [DONE]."""
        *chunks, done = self.events
        assert done == "[DONE]"
        return [orjson.loads(chunk) for chunk in chunks]

    @property
    def deltas(self) -> list[dict]:
        return [chunk["choices"][0]["delta"] for chunk in self.chunks if chunk["choices"]]


class Client(asyncio.Protocol):
    """One connection: what was read at which moment, and the responses in it."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self.reads: list[tuple[int, bytes]] = []
        self.responses: list[Response] = []
        self.closed = False
        self._loop = loop
        self._parser = httptools.HttpResponseParser(self)

    def connection_made(self, transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.reads.append((self._loop.now(), data))
        self._parser.feed_data(data)

    def connection_lost(self, exc) -> None:
        self.closed = True

    def send(self, data: bytes) -> None:
        self.transport.write(data)

    def leave(self) -> None:
        self.transport.close()

    @property
    def response(self) -> Response:
        assert len(self.responses) == 1
        return self.responses[0]

    def on_message_begin(self) -> None:
        self.responses.append(Response())

    def on_header(self, name: bytes, value: bytes) -> None:
        self.responses[-1].headers[name.decode().lower()] = value.decode()

    def on_headers_complete(self) -> None:
        self.responses[-1].status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self.responses[-1].body += body

    def on_message_complete(self) -> None:
        self.responses[-1].whole = True


class Site:
    """The server, its clock and its log; `connect` gives a client of it."""

    def __init__(self, loop: VirtualTimeLoop, script: Script, between=None) -> None:
        self.loop = loop
        self.log: list[Sent] = []
        self.server = TruthServer(script, loop, self.log.append, between=between)

    def connect(self) -> Client:
        near, far = MemoryTransport(self.loop), MemoryTransport(self.loop)
        near.peer, far.peer = far, near
        client = Client(self.loop)
        near.protocol, far.protocol = client, self.server.protocol()
        far.protocol.connection_made(far)
        client.connection_made(near)
        return client

    def ask(self, *requests: bytes) -> Client:
        """Send requests on one new connection, and let time pass until all is quiet."""
        client = self.connect()
        client.send(b"".join(requests))
        self.wait()
        return client

    def at(self, seconds: float, call: Callable[[], object]) -> None:
        """Call at a moment after the loop's start, exactly."""
        self.loop.call_at((NS + round(seconds * NS)) / NS, call)

    def wait(self, seconds: float = 3600) -> None:
        """Let virtual time pass."""
        self.loop.run_until_complete(asyncio.sleep(seconds))


@pytest.fixture
def loop() -> Iterator[VirtualTimeLoop]:
    virtual = VirtualTimeLoop()
    yield virtual
    virtual.close()


@pytest.fixture
def start(loop) -> Callable[..., Site]:
    """Start a server with the given fields of its script."""

    def start(*, between=None, **fields) -> Site:
        return Site(loop, Script(**fields), between)

    return start


@pytest.fixture(scope="session")
def serve_all() -> Callable[..., list[Sent]]:
    """Serve completions that arrive at given microseconds on a loop of its own; return the log."""

    def serve_all(script: Script, asked: list[tuple[int, int, int]]) -> list[Sent]:
        virtual = VirtualTimeLoop()
        site = Site(virtual, script)
        for moment, words, tokens in asked:
            body = {"prompt": "w " * words, "max_tokens": tokens, "stream": True}
            request = http("/v1/completions", orjson.dumps(body))
            site.at(moment / 1e6, lambda request=request: site.connect().send(request))
        site.wait()
        virtual.close()
        return site.log

    return serve_all


def http(path: str, body: bytes = b"", *headers: str, method: str = "POST") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: here", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


@pytest.fixture
def get() -> Callable[..., bytes]:
    """Build a GET."""
    return lambda path, *headers: http(path, b"", *headers, method="GET")


@pytest.fixture
def post() -> Callable[..., bytes]:
    """Build a POST of raw bytes."""
    return http


@pytest.fixture
def chat() -> Callable[..., bytes]:
    """Build a streamed chat request; `words` is its prompt's length."""

    def chat(*headers: str, words: int = 3, max_tokens: int = 2, **fields) -> bytes:
        messages = [{"role": "user", "content": " ".join(["word"] * words)}]
        body = {"messages": messages, "max_tokens": max_tokens, "stream": True, **fields}
        return http("/v1/chat/completions", orjson.dumps(body), *headers)

    return chat


@pytest.fixture
def complete() -> Callable[..., bytes]:
    """Build a streamed completion; `prompt` may be a number of words."""

    def complete(prompt: int | str, *headers: str, max_tokens: int = 1, **fields) -> bytes:
        text = " ".join(["word"] * prompt) if isinstance(prompt, int) else prompt
        body = {"prompt": text, "max_tokens": max_tokens, "stream": True, **fields}
        return http("/v1/completions", orjson.dumps(body), *headers)

    return complete


@pytest.fixture
def play(start, chat) -> Callable[..., tuple[Client, Sent]]:
    """Ask a server with faults for three tokens, due after 1, 2 and 3 s; no chunk has the role."""

    def play(*faults: str, fields=None, **script) -> tuple[Client, Sent]:
        plain = {"ttft_s": 1.0, "itl_s": 1.0, "role_chunk": "none"}
        site = start(**{**plain, **script}, faults=read_faults(faults))
        client = site.ask(chat(max_tokens=3, **(fields or {})))
        client.leave()
        site.wait(1)
        (sent,) = site.log
        return client, sent

    return play
