#!/usr/bin/env python3
"""Two shards against one: how many more events a second does a second process read?

python benchmarks/load/shards.py [--lanes N] [--requests N] [--tokens N] [--rounds N]

Prints one JSON line of medians over the rounds; in each of them one shard, two shards, and one and
two processes of plain work (in_memory.py) take turns. A source of next to no CPU (source.py)
sends what the truth server said once, and every event of it has to be decoded. Rounds in which
others left less than two cores are made again; where they are too many the ratio is null, and
`verdict` says so.
"""

import argparse
import asyncio
import json
import os
import socket
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from in_memory import decode, together
from loads import HOST, Load, truth_server
from source import source

from infx.clock import NS, SystemClock, cpu_ns, event_loop
from infx.load.crew import Crew
from infx.load.planner import plan_bytes
from infx.load.target import Stop, Target
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.workload import Message, Session, Turn
from infx.store.journal import records
from infx.telemetry.host import cores
from infx.wire.address import dial, parse
from infx.wire.chat import PATHS, body_frame
from infx.wire.fetch import request_head

ENOUGH = 1.9
"""How many cores have to be free for two shards."""
ATTEMPTS = 3
"""How many rounds are tried for each that is wanted."""
EVENTS_PER_WRITE = 16
PLAIN_S = 1.0
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Used(NamedTuple):
    """CPU seconds until a moment: of the cores that we may use, and of whom they were used by.

    `shards` are the processes that carry the load, `lead` is this one, which leads them.
    """

    moment: float
    cores: float
    shards: float
    lead: float
    source: float


@dataclass(frozen=True)
class Window:
    """What one or two shards did: content chunks a second, and by whom how many cores were used.

    `free` is how many were left by everybody else, the source too.
    """

    rate: float
    free: float
    shards: float
    lead: float
    source: float


class Round(NamedTuple):
    """One and two shards, and events a second of one and two processes of plain work."""

    one: Window
    two: Window
    plain_one: float
    plain_two: float

    @property
    def free(self) -> float:
        """How many cores others left at the least."""
        return min(self.one.free, self.two.free)


def said_once(folder: Path, tokens: int) -> bytes:
    """Return the bytes of one answer of the truth server."""
    load = Load(1, ttft=0, gap=0, tokens=tokens, events_per_write=EVENTS_PER_WRITE)
    body = b'{"model":"truth","stream":true,"stream_options":{"include_usage":true},%b' % (
        b'"max_tokens":%d,"messages":[{"role":"user","content":"hi"}]}' % tokens
    )
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: truth\r\nContent-Length: %d\r\n\r\n"
    said = bytearray()
    with truth_server(load, folder) as truth, socket.create_connection((HOST, truth.port)) as peer:
        peer.sendall(head % len(body) + body)
        while not said.endswith(b"\r\n0\r\n\r\n") and (data := peer.recv(1 << 20)):
            said += data
    return bytes(said)


def used(crew: Crew, feeder: int) -> Used:
    """Read what was used until now."""
    names = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    rows = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
    # user nice system idle iowait irq softirq steal: what was stolen is not free either
    spent = [[int(word) for word in row[1:9]] for row in rows if row[0] in names]
    return Used(
        moment=time.monotonic(),
        cores=sum(sum(row) - row[3] - row[4] for row in spent) * TICK_S,
        shards=sum(crew.cpu_s),
        lead=cpu_ns() / NS,
        source=int(Path(f"/proc/{feeder}/schedstat").read_text().split()[0]) / NS,
    )


def window(start: Used, end: Used, rate: float, *, cores: int) -> Window:
    """Return what was used of so many cores between two moments."""
    lasted = end.moment - start.moment
    whole, shards, lead, source = (
        (now - then) / lasted for then, now in zip(start[1:], end[1:], strict=True)
    )
    return Window(rate, cores - (whole - shards - lead), shards, lead, source)


async def ask(
    options: argparse.Namespace, folder: Path, *, url: str, feeder: int, shards: int
) -> Window:
    """Ask the plan in `folder`; processes start, and its warmup runs, before the window."""
    address = parse(url)
    head = request_head("POST", address, PATHS["chat"], (("Content-Type", "application/json"),))
    frame = body_frame(api="chat", model="truth", settings={"ignore_eos": True}, extra={})
    target = Target(address, dial(address), head, frame, "shards")
    journal = folder / "requests.jsonl.zst"
    journal.unlink(missing_ok=True)
    plan, lanes = folder / "plan.bin", options.lanes
    crew = Crew(plan, target, journal, SystemClock(), concurrency=lanes, shards=shards)
    try:
        await crew.run((Phase.WARMUP,), Stop())
        before = used(crew, feeder)
        (lasted,) = await crew.run((Phase.PROFILING,), Stop())
        after = used(crew, feeder)
    finally:
        crew.close()
    seen = [record for record in records(journal) if record.phase is Phase.PROFILING]
    chunks = read_whole(seen, options.requests, decode((folder / "answer").read_bytes()))
    rate = chunks * NS / (lasted.end_ns - lasted.start_ns)
    return window(before, after, rate, cores=cores())


def read_whole(seen: Sequence[RequestRecord], requests: int, chunks: int) -> int:
    """Return how many content chunks were read; raise ValueError unless all that were sent."""
    if len(seen) != requests:
        raise ValueError(f"{len(seen)} of {requests} requests were asked")
    for record in seen:
        if record.state is not EndState.OK or record.chunks != chunks:
            what = f"{record.chunks} content chunks of {chunks} were read, and it is {record.state}"
            raise ValueError(f"request {record.request}: {what}")
    return len(seen) * chunks


def rounds(options: argparse.Namespace) -> Generator[Round, None, None]:
    """Measure again and again."""
    turn = Turn((Message("user", ("hi",)),), options.tokens, None)
    sessions = [Session(Phase.WARMUP, (turn,))] * options.lanes
    sessions += [Session(Phase.PROFILING, (turn,))] * options.requests
    with TemporaryDirectory() as name, asyncio.Runner(loop_factory=event_loop) as runner:
        folder = Path(name)
        answer = folder / "answer"
        answer.write_bytes(said_once(folder, options.tokens))
        (folder / "plan.bin").write_bytes(plan_bytes(sessions, api="chat"))
        with source(answer) as (url, pid):
            while True:
                one, two = (
                    runner.run(ask(options, folder, url=url, feeder=pid, shards=shards))
                    for shards in (1, 2)
                )
                yield Round(one, two, *(together(count, answer, PLAIN_S) for count in (1, 2)))


def measure(options: argparse.Namespace) -> dict[str, object]:
    """Measure until enough rounds were calm, or too many were not; return what is printed."""
    seen: list[Round] = []
    with closing(rounds(options)) as measured:
        while len(calm_of(seen)) < options.rounds and len(seen) < ATTEMPTS * options.rounds:
            seen.append(next(measured))
    return {"benchmark": "shards", "cores": cores(), **judged(seen, options.rounds)}


def calm_of(seen: Sequence[Round]) -> list[Round]:
    """Return the rounds in which two cores were free all the time."""
    return [one for one in seen if one.free >= ENOUGH]


def judged(seen: Sequence[Round], needed: int) -> dict[str, object]:
    """Return the medians over the calm rounds, or over all of them where those are too few."""
    calm = calm_of(seen)
    enough = len(calm) >= needed
    used = calm if enough else seen
    one, two = median(it.one.rate for it in used), median(it.two.rate for it in used)
    plain = median(it.plain_two for it in used) / median(it.plain_one for it in used)
    lacking = f"two cores were free in {len(calm)} of {len(seen)} rounds, and {needed} are needed"
    return {
        "rounds": len(seen),
        "calm_rounds": len(calm),
        "cores_free": round(median(it.free for it in used), 3),
        "events_per_s_1": round(one),
        "events_per_s_2": round(two),
        "ratio": round(two / one, 3) if enough else None,
        "two_processes_of_plain_work": round(plain, 3),
        "source_cpu_share": round(median(it.two.source / it.two.shards for it in used), 3),
        "verdict": f"two shards carry {two / one:.2f} times what one does"
        if enough
        else f"not judgeable: {lacking}",
        "windows": [{"1": shown(it.one), "2": shown(it.two)} for it in used],
    }


def shown(window: Window) -> dict[str, float]:
    """Return a window as it is printed."""
    return {"rate": round(window.rate)} | {
        name: round(getattr(window, name), 3) for name in ("free", "shards", "lead", "source")
    }


def main() -> None:
    """Read the flags, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lanes", type=int, default=64)
    parser.add_argument("--requests", type=int, default=1024)
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5)
    print(json.dumps(measure(parser.parse_args())))


if __name__ == "__main__":
    main()
