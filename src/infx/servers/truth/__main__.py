"""`python -m infx.servers.truth`: an OpenAI-compatible server that logs when it really sent."""

import argparse
import asyncio
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from infx.clock import SystemClock
from infx.errors import InputError, MachineError
from infx.servers.truth.log import LogFile, Sent
from infx.servers.truth.script import DIALECTS, ROLE_CHUNKS, EngineModel, Script
from infx.servers.truth.server import TruthServer

BACKLOG = 4096
"""Connections that may wait to be accepted: a load client opens all of its own at once."""

UVLOOP_GRAIN_NS = 1_000_000
"""The resolution of uvloop's timers."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the server's own arguments."""
    script, engine = Script(), EngineModel()
    root = argparse.ArgumentParser(
        prog="python -m infx.servers.truth", description=__doc__, allow_abbrev=False
    )
    add = root.add_argument
    add("--host", default="127.0.0.1", help="address to listen on")
    add("--port", type=int, default=8000, help="port to listen on; 0 picks a free one")
    add("--log", type=Path, metavar="FILE", help="append one JSON line for each request")
    add("--model", default=script.model, help="the served model's name")
    add("--api-key", metavar="KEY", help="refuse /v1 requests without this bearer token")
    add("--dialect", choices=DIALECTS, default=script.dialect, help="words of /metrics")
    add("--role-chunk", choices=ROLE_CHUNKS, default=script.role_chunk, help="when it is sent")
    add("--reasoning-share", type=float, default=0.0, metavar="F", help="share of the tokens")
    add("--tokens-per-chunk", type=int, default=1, metavar="N", help="tokens of one event")
    add("--template-tokens", type=int, default=script.template_tokens, metavar="N")
    add("--tokens-per-word", type=float, default=1.0, metavar="R", help="prompt tokens a word")
    add("--default-tokens", type=int, default=script.default_tokens, metavar="N")
    scripted = root.add_argument_group("scripted timing")
    scripted.add_argument("--ttft", type=float, default=script.ttft_s, metavar="S")
    scripted.add_argument("--itl", type=float, default=script.itl_s, metavar="S")
    scripted.add_argument("--events-per-write", type=int, default=1, metavar="N")
    modelled = root.add_argument_group("engine mode: timing that depends on the load")
    modelled.add_argument("--engine", action="store_true", help="use it")
    figure = modelled.add_argument
    figure("--slots", type=int, default=engine.slots, metavar="N")
    figure("--prefill-rate", type=float, default=engine.prefill_rate, metavar="TOKENS/S")
    figure("--step-base", type=float, default=engine.step_base_s, metavar="S")
    figure("--step-per-sequence", type=float, default=engine.step_per_sequence_s, metavar="S")
    figure("--block-size", type=int, default=engine.block_size, metavar="TOKENS")
    figure("--kv-tokens", type=int, default=engine.kv_tokens, metavar="TOKENS")
    return root


def script_of(options: argparse.Namespace) -> Script:
    """Return the script that the arguments state; raises InputError."""
    engine = EngineModel(
        slots=options.slots,
        prefill_rate=options.prefill_rate,
        step_base_s=options.step_base,
        step_per_sequence_s=options.step_per_sequence,
        block_size=options.block_size,
        kv_tokens=options.kv_tokens,
    )
    return Script(
        model=options.model,
        api_key=options.api_key,
        ttft_s=options.ttft,
        itl_s=options.itl,
        tokens_per_chunk=options.tokens_per_chunk,
        events_per_write=options.events_per_write,
        role_chunk=options.role_chunk,
        reasoning_share=options.reasoning_share,
        template_tokens=options.template_tokens,
        tokens_per_word=options.tokens_per_word,
        default_tokens=options.default_tokens,
        dialect=options.dialect,
        engine=engine if options.engine else None,
    )


async def serve(server: TruthServer, host: str, port: int) -> None:
    """Listen until SIGTERM or SIGINT, then cut what is open."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    listener = await loop.create_server(server.protocol, host, port, backlog=BACKLOG)
    bound = listener.sockets[0].getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"listening on http://{shown}:{bound}\n")
    sys.stderr.flush()
    await stopped.wait()
    listener.close()
    server.stop()
    await asyncio.sleep(0)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's factory where it is installed."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


def ignore(_: Sent) -> None:
    """Log nothing."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the server; exit 2 for bad arguments, 3 when log or address cannot be had."""
    command = parser()
    options = command.parse_args(arguments)
    log: Callable[[Sent], None] = ignore
    try:
        script = script_of(options)
        if options.log is not None:
            log = LogFile(options.log)
    except InputError as error:
        command.error("; ".join(map(str, error.problems)))
    except MachineError as error:
        command.exit(MachineError.exit_code, f"{error}\n")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    factory = loop_factory()
    grain = UVLOOP_GRAIN_NS if factory else 1
    server = TruthServer(script, SystemClock(), log, grain_ns=grain)
    try:
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(serve(server, options.host, options.port))
    except OSError as error:
        where = f"{options.host}:{options.port}"
        command.exit(MachineError.exit_code, f"{where}: cannot listen: {error.strerror}\n")


if __name__ == "__main__":
    main()
