"""Session trees played on lanes in virtual time, against a server whose answers a test scripts."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from infx.clock import NS, VirtualTimeLoop
from infx.load.ensemble import Part, Silence, Start
from infx.load.plan import Plan
from infx.load.planner import plan_chunks
from infx.load.replay import Replay
from infx.load.rules import Rules
from infx.load.sender import Share
from infx.load.target import Stop, Target
from infx.model.record import Phase, RequestRecord
from infx.model.replay import Seat, Tree, TreeStream, TreeTurn
from infx.model.workload import MARKER, Message, Turn
from infx.store.journal import Journal, records
from infx.wire.address import parse
from infx.wire.chat import body_frame
from memory_transport import MemoryTransport, memory_dial

TOKEN = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]}\n\n'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWER = HEAD + b"%x\r\n%b\r\n0\r\n\r\n" % (len(TOKEN), TOKEN)
TOO_LONG = b'{"error":{"message":"This exceeds the maximum context length"}}'
OVERFLOW = b"HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n%b" % (len(TOO_LONG), TOO_LONG)
BROKEN = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"


@dataclass
class Seen:
    """One request as the server saw it: when it came, its text, limit, headers and messages."""

    at: float
    text: str
    limit: int
    headers: dict[str, str]
    messages: list[dict[str, Any]]


@dataclass
class Server:
    """`lasts` and `answer` map a request's text to its duration in seconds and its answer."""

    loop: VirtualTimeLoop
    lasts: Callable[[str], float] = lambda _: 1
    answer: Callable[[str], bytes] = lambda _: ANSWER
    seen: list[Seen] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = self.loop.now()

    def protocol(self) -> asyncio.Protocol:
        return Connection(self)


class Connection(asyncio.Protocol):
    def __init__(self, server: Server) -> None:
        self.server = server

    def connection_made(self, transport: MemoryTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        asked = orjson.loads(body)
        text = "".join(message["content"] for message in asked["messages"])
        pairs = (line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        limit = asked["max_tokens"]
        loop, bare = self.server.loop, re.sub(r"^\[rid:\w+\]\n\n", "", text)
        at = (loop.now() - self.server.start) / NS
        self.server.seen.append(Seen(at, text, limit, dict(pairs), asked["messages"]))
        last, answer = self.server.lasts(bare), self.server.answer(bare)
        loop.call_later(last, self.transport.write, answer)


def turn(text: str, base: int | None, *holds: int, after: float = 0) -> TreeTurn:
    message = Message("user", (MARKER, text))
    return TreeTurn(Turn((message,), 8, 5, round(after * NS)), base, holds)


def tree(name: str, *streams: Sequence[TreeTurn]) -> Tree:
    rows = [
        TreeStream(f"{name}{n}", 0 if n else None, tuple(turns)) for n, turns in enumerate(streams)
    ]
    return Tree(name, tuple(rows))


@dataclass
class Ran:
    """What a replay came to. `asked` are the texts with the seconds at which they came.

    `replay` is the first of its shards.
    """

    replay: Replay
    records: tuple[RequestRecord, ...]
    seen: list[Seen]

    @property
    def asked(self) -> list[tuple[float, str]]:
        return [(round(one.at, 6), one.text) for one in self.seen]


class Hub:
    """Ties shards of one loop together, as a crew does over sockets; nothing takes time here."""

    def __init__(self, loop: VirtualTimeLoop, shards: int) -> None:
        self.loop = loop
        self.silence = Silence(shards)
        self.replays: list[Replay] = []
        self.waiting: list[tuple[int | None, asyncio.Future[Start]]] = []

    def part(self, index: int, shards: int) -> Part:
        def idle(until_ns: int, cap_ns: int) -> None:
            self.silence.tell(index, until_ns, cap_ns)
            self.skip()

        return Part(Share(index, shards), self.gate, idle)

    async def gate(self, first_ns: int | None) -> Start:
        mine: asyncio.Future[Start] = self.loop.create_future()
        self.waiting.append((first_ns, mine))
        if len(self.waiting) == len(self.replays):
            waiting, self.waiting = self.waiting, []
            early = min((first for first, _ in waiting if first is not None), default=0)
            self.silence.begin()
            for _, one in waiting:
                one.set_result(Start(self.loop.now(), early))
        return await mine

    async def run(self, phase: Phase, stop: Stop) -> None:
        async def one(index: int, replay: Replay) -> None:
            await replay.run((phase,), stop)
            self.silence.over(index)
            self.skip()

        await asyncio.gather(*(one(*pair) for pair in enumerate(self.replays)))

    def skip(self) -> None:
        if by := self.silence.skip(self.loop.now()):
            for replay in self.replays:
                self.loop.call_soon(replay.skip, by)


class Stage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loop = VirtualTimeLoop()
        self.server = Server(self.loop)

    def run(
        self,
        trees: Sequence[Tree],
        *,
        seats: Sequence[Seat] = (),
        lanes: int = 1,
        rules: Rules | None = None,
        duration: float | None = None,
        grace: float = 30,
        shards: int = 1,
        **at: float,
    ) -> Ran:
        """Play the trees, warmup first where lanes begin in the middle or rules ask for one."""
        rules = rules or Rules(seed=1, cache_bust=False)
        plan = Plan(memoryview(b"".join(plan_chunks(api="chat", trees=trees, seats=seats))))
        frame = body_frame(api="chat", model="m", settings={}, extra={})
        address = parse("http://server.test")
        dial = memory_dial(self.server.protocol)
        target = Target(address, dial, b"POST / HTTP/1.1\r\n", frame, "t")
        paths = [self.folder / f"requests{n or ''}.jsonl.zst" for n in range(shards)]
        journals = [Journal(path) for path in paths]
        hub = Hub(self.loop, shards)
        for index, journal in enumerate(journals):
            part = hub.part(index, shards) if shards > 1 else None
            more = {"concurrency": lanes, "rules": rules, "part": part}
            hub.replays.append(Replay(plan, target, journal, self.loop, **more))  # type: ignore[arg-type]
        stop = Stop(round(duration * NS) if duration else None, round(grace * NS))

        async def phases() -> None:
            for name, second in at.items():
                for replay in hub.replays:
                    self.loop.call_later(second, getattr(replay, name))
            if seats or rules.warmups:
                await hub.run(Phase.WARMUP, stop)
            if not any(replay.aborted for replay in hub.replays):
                await hub.run(Phase.PROFILING, stop)

        try:
            self.loop.run_until_complete(phases())
        finally:
            for replay, journal in zip(hub.replays, journals, strict=True):
                replay.close()
                journal.close()
            self.loop.close()
        seen = [record for path in paths for record in records(path)]
        seen.sort(key=lambda one: one.request)
        return Ran(hub.replays[0], tuple(seen), self.server.seen)
