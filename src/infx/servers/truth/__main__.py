"""`python -m infx.servers.truth`: an OpenAI-compatible server that logs when it really sent."""

import argparse
import asyncio
import resource
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from socket import SO_RCVBUF, SOL_SOCKET

from infx.clock import SystemClock
from infx.errors import InputError, MachineError
from infx.servers.truth.faults import FAULTS, read_faults
from infx.servers.truth.log import LogFile, Sent
from infx.servers.truth.script import DIALECTS, ROLE_CHUNKS, EngineModel, Script
from infx.servers.truth.server import TruthServer

BACKLOG = 4096
"""Connections that may wait to be accepted: a load client opens all of its own at once."""

RECEIVED_AHEAD = 1 << 20
"""Bytes of a connection that the kernel takes in: a long prompt need not wait until it is read."""

UVLOOP_GRAIN_NS = 1_000_000
"""The resolution of uvloop's timers."""


NUMBERS: dict[str, dict[str, tuple[str, str]]] = {
    "answers": {
        "tokens-per-chunk": ("tokens_per_chunk", "tokens of one event"),
        "template-tokens": ("template_tokens", "prompt tokens that a chat template adds"),
        "tokens-per-word": ("tokens_per_word", "prompt tokens of one word"),
        "default-tokens": ("default_tokens", "answer tokens where the request states no limit"),
        "reasoning-share": ("reasoning_share", "share of a chat answer that is reasoning"),
    },
    "scripted timing": {
        "ttft": ("ttft_s", "seconds from request to first chunk"),
        "itl": ("itl_s", "seconds between chunks"),
        "events-per-write": ("events_per_write", "chunks that leave in one write"),
    },
}
"""Flags that are numbers of the script, by group: their field and help."""

ENGINE_NUMBERS = {
    "slots": ("slots", "requests that run at once"),
    "prefill-rate": ("prefill_rate", "prompt tokens a second, shared by all in prefill"),
    "step-base": ("step_base_s", "seconds of a decode step"),
    "step-per-sequence": ("step_per_sequence_s", "seconds that each sequence adds to a step"),
    "block-size": ("block_size", "tokens of a block of the prefix cache"),
    "kv-tokens": ("kv_tokens", "tokens of the KV pool"),
}
"""Flags of engine mode, likewise."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the server's own arguments."""
    script = Script()
    root = argparse.ArgumentParser(
        prog="python -m infx.servers.truth",
        description="An OpenAI-compatible server that logs when it really sent.",
        allow_abbrev=False,
    )
    add = root.add_argument
    add("--host", default="127.0.0.1", help="address to listen on")
    add("--port", type=int, default=8000, help="port to listen on; 0 picks a free one")
    add("--log", type=Path, metavar="FILE", help="append one JSON line for each request")
    add("--model", default=script.model, help="the served model's name")
    add("--api-key", metavar="KEY", help="refuse /v1 requests without this bearer token")
    add("--dialect", choices=DIALECTS, default=script.dialect, help="words of /metrics")
    add("--role-chunk", choices=ROLE_CHUNKS, default=script.role_chunk, help="when it is sent")
    for title, numbers in NUMBERS.items():
        _add_numbers(root.add_argument_group(title), numbers, script)
    faults = root.add_argument_group("faults of streamed answers", "NAMES: " + ", ".join(FAULTS))
    faults.add_argument(
        "--fault",
        dest="faults",
        action="append",
        default=[],
        metavar="NAME[:ARGUMENT][@WHEN]",
        help="play a fault, on every request or as @4 (each fourth), @4+1, @10%% say; repeatable",
    )
    faults.add_argument(
        "--fault-seed", type=int, default=0, metavar="N", help="decides what is left to chance"
    )
    engine = root.add_argument_group("engine mode: moments depend on the load")
    engine.add_argument("--engine", action="store_true", help="use it instead of the script's")
    _add_numbers(engine, ENGINE_NUMBERS, EngineModel())
    return root


def _add_numbers(
    group: argparse._ArgumentGroup,
    numbers: Mapping[str, tuple[str, str]],
    defaults: Script | EngineModel,
) -> None:
    for flag, (field, about) in numbers.items():
        default = getattr(defaults, field)
        group.add_argument(
            f"--{flag}",
            dest=field,
            type=type(default),
            default=default,
            metavar="N" if isinstance(default, int) else "X",
            help=f"{about} (default {default})",
        )


def script_of(options: argparse.Namespace) -> Script:
    """Return the script that the arguments state; raises InputError."""
    fields = {
        name: getattr(options, name) for name in ("model", "api_key", "dialect", "role_chunk")
    }
    for numbers in NUMBERS.values():
        fields |= {field: getattr(options, field) for field, _ in numbers.values()}
    figures = {field: getattr(options, field) for field, _ in ENGINE_NUMBERS.values()}
    return Script(
        **fields,
        engine=EngineModel(**figures) if options.engine else None,
        faults=read_faults(options.faults),
        fault_seed=options.fault_seed,
    )


async def serve(server: TruthServer, host: str, port: int) -> None:
    """Listen until SIGTERM or SIGINT, then cut what is open."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    listener = await loop.create_server(server.protocol, host, port, backlog=BACKLOG)
    for one in listener.sockets:  # what is accepted inherits it
        one.setsockopt(SOL_SOCKET, SO_RCVBUF, RECEIVED_AHEAD)
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
