#!/usr/bin/env python3
"""Two shards against one: how many more events a second does a second process read?

python benchmarks/load/shards.py [--servers N] [--lanes N] [--requests N] [--rounds N]

Prints one JSON line: medians over the rounds, and their ratio. N truth servers share one port
(SO_REUSEPORT), send without delay, 16 events a write, and are asked until all requests ended. The
ratio tells of the shards only where each process has a core of its own and nothing else wants it;
elsewhere it is null, and `verdict` says so.
"""

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from infx.clock import NS, SystemClock, event_loop
from infx.load.crew import Crew
from infx.load.planner import plan_bytes
from infx.load.target import Stop, Target
from infx.model.record import EndState, Phase
from infx.model.workload import Message, Session, Turn
from infx.servers.truth.script import Script
from infx.servers.truth.server import TruthServer
from infx.store.journal import records
from infx.telemetry.host import cores, cpu_waited_us
from infx.wire.address import dial, parse
from infx.wire.chat import PATHS, body_frame
from infx.wire.fetch import request_head

TOKENS = 512
MOST_WAITED = 0.1
"""The largest share of the time in which a process of a fair comparison may lack its core."""
SCRIPT = Script(ttft_s=0, itl_s=0, events_per_write=16)


def listen(port: int) -> socket.socket:
    """Return a socket on a port that others listen on too."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    found.bind(("127.0.0.1", port))
    return found


async def serve(port: int) -> None:
    """Be one of the servers, until killed."""
    server = TruthServer(SCRIPT, SystemClock(), lambda _: None)
    listener = listen(port)
    await asyncio.get_running_loop().create_server(server.protocol, sock=listener, backlog=4096)
    print("listening", flush=True)
    await asyncio.Event().wait()


@contextmanager
def servers(count: int) -> Iterator[str]:
    """Run so many servers behind one URL."""
    holder = listen(0)  # it does not listen: it keeps the port
    port = holder.getsockname()[1]
    argv = [sys.executable, __file__, "--serve", str(port)]
    started = [subprocess.Popen(argv, stdout=subprocess.PIPE) for _ in range(count)]
    try:
        for one in started:
            if one.stdout is None or one.stdout.readline() != b"listening\n":
                raise RuntimeError("a server did not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        for one in started:
            one.kill()
            one.communicate()
        holder.close()


async def ask(folder: Path, url: str, lanes: int, shards: int) -> float:
    """Ask the plan in `folder`, and return the content chunks read a second."""
    address = parse(url)
    head = request_head("POST", address, PATHS["chat"], (("Content-Type", "application/json"),))
    frame = body_frame(api="chat", model=SCRIPT.model, settings={"ignore_eos": True}, extra={})
    target = Target(address, dial(address), head, frame, "shards")
    journal = folder / "requests.jsonl.zst"
    journal.unlink(missing_ok=True)
    crew = Crew(
        folder / "plan.bin", target, journal, SystemClock(), concurrency=lanes, shards=shards
    )
    try:
        (window,) = await crew.run((Phase.PROFILING,), Stop())
    finally:
        crew.close()
    seen = records(journal)
    if any(record.state is not EndState.OK for record in seen):
        raise RuntimeError("a request failed")
    return sum(record.chunks for record in seen) * NS / (window.end_ns - window.start_ns)


def measure(options: argparse.Namespace) -> dict[str, object]:
    """Measure one and two shards in turn, and return what is printed."""
    turn = Turn((Message("user", ("hi",)),), TOKENS, None)
    sessions = [Session(Phase.PROFILING, (turn,))] * options.requests
    rates: dict[int, list[float]] = {1: [], 2: []}
    began = _moment()
    with TemporaryDirectory() as name, servers(options.servers) as url:
        folder = Path(name)
        (folder / "plan.bin").write_bytes(plan_bytes(sessions, api="chat"))
        with asyncio.Runner(loop_factory=event_loop) as runner:
            for _ in range(options.rounds):
                for shards, found in rates.items():
                    found.append(runner.run(ask(folder, url, options.lanes, shards)))
    waited = _share_waited(began)
    one, two = median(rates[1]), median(rates[2])
    lacking = list(_lacking(options.servers + 2, waited))
    verdict = f"two shards carry {two / one:.2f} times what one does"
    return {
        "benchmark": "shards",
        "cores": cores(),
        "servers": options.servers,
        "cpu_pressure": waited,
        "events_per_s_1": round(one),
        "events_per_s_2": round(two),
        "ratio": None if lacking else round(two / one, 3),
        "verdict": f"not judgeable: no two free cores ({'; '.join(lacking)})"
        if lacking
        else verdict,
    }


def _moment() -> tuple[int, int | None]:
    return time.monotonic_ns(), cpu_waited_us()


def _share_waited(began: tuple[int, int | None]) -> float | None:
    """Return the share of the time since then in which something of this host waited for a core."""
    (start, before), (end, after) = began, _moment()
    if before is None or after is None:
        return None
    return round((after - before) * 1000 / (end - start), 3)


def _lacking(needed: int, waited: float | None) -> Iterator[str]:
    """Yield what keeps the shards from having cores of their own."""
    if cores() < needed:
        yield f"{needed} processes need {needed} cores, and here are {cores()}"
    elif waited is None:
        yield "this kernel does not tell whether something waited for a core"
    elif waited > MOST_WAITED:
        yield f"something waited for a core in {waited:.0%} of the time"


def main() -> None:
    """Read the flags, and serve or measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--lanes", type=int, default=64)
    parser.add_argument("--requests", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", type=int, metavar="PORT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        asyncio.run(serve(options.serve))
    else:
        print(json.dumps(measure(options)))


if __name__ == "__main__":
    main()
