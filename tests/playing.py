"""A whole run against the truth server, in virtual time and without sockets."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from infx.clock import VirtualTimeLoop
from infx.flows.bench import Outcome, Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.model.workload import FixedWorkload
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from infx.servers.truth.server import TruthServer
from memory_transport import memory_dial

Accept = Callable[[], asyncio.Protocol]
"""Makes the server's end of a new connection."""


def play(
    out: Path,
    script: Script,
    *,
    split: int | None = None,
    connect_s: float = 0,
    before: Callable[[VirtualTimeLoop, Accept], Accept] = lambda _, accept: accept,
    **more: object,
) -> tuple[Outcome, list[Sent], list[str]]:
    """Run a bench in virtual time; return its outcome, the server's log, and what was said.

    `split` delivers the server's bytes in pieces of that many; a connection takes `connect_s` to
    make, also the one that asks for models; `before` puts something before the
    server, as it makes what accepts connections out of the server's own.
    """
    loop = VirtualTimeLoop()
    log: list[Sent] = []
    said: list[str] = []
    server = TruthServer(script, loop, log.append)
    settings: dict[str, object] = {
        "url": "http://truth.test:8000",
        "workload": FixedWorkload(isl=64, osl=32, range_ratio=1.0),
        "concurrency": (1, 2, 4),
        "out": out,
    }
    options = BenchOptions(**{**settings, **more})  # type: ignore[arg-type]
    reach = memory_dial(before(loop, server.protocol), split=split)

    async def dial(factory: Callable[[], asyncio.Protocol]) -> object:
        if connect_s:
            await asyncio.sleep(connect_s)
        return await reach(factory)

    try:
        outcome = loop.run_until_complete(
            run_bench(
                options,
                clock=loop,
                brake=Brake(),
                watch=Watch(talk=said.append),
                connect=dial,
            )
        )
    finally:
        loop.close()
    return outcome, log, said
