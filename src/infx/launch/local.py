"""Running a launch plan as processes of this host."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from infx.clock import NS, Clock
from infx.errors import MachineError, Problem
from infx.model.launch import Endpoint, LaunchPlan
from infx.process import Child, Command, ending, start
from infx.wire.fetch import get

GRACE_S = 10.0
"""How long a process may take to end itself before it is killed."""

_PROBE_EVERY_S = 0.1
_PROBE_LIMIT_S = 5.0
_TAIL_LINES = 20
_TAIL_BYTES = 32_768


class Running:
    """A server that was started: where it answers, its logs by process name, and whether it lives.

    `logs` holds what each process wrote on both outputs.
    """

    def __init__(
        self, endpoint: Endpoint, children: Mapping[str, Child], logs: Mapping[str, Path]
    ) -> None:
        self.endpoint = endpoint
        self.logs = logs
        self._children = children

    def died(self, stage: str = "while serving") -> Problem | None:
        """Say how the first process that has ended did so, or return None while all of them run."""
        for name, child in self._children.items():
            code = child.poll()
            if code is not None:
                log = self.logs[name]
                return Problem(f"{name} died {stage} ({ending(code)})", str(log), _advice(log))
        return None

    def check(self) -> None:
        """Raise MachineError if a process has died."""
        problem = self.died()
        if problem is not None:
            raise MachineError(problem)


@asynccontextmanager
async def running(
    plan: LaunchPlan,
    *,
    environment: Mapping[str, str],
    log_dir: Path,
    clock: Clock,
    on_wait: Callable[[float], None] = lambda _: None,
) -> AsyncIterator[Running]:
    """Start all processes of a plan, wait until the server is ready, and leave none behind.

    Each process gets `environment` with its own entries of the plan on top, and writes to
    `log_dir/NAME.log`. `on_wait` hears the seconds waited so far at each probe.
    Raises MachineError when a process cannot start, when one dies before the server is ready (with
    its log's last lines), or when the server is not ready within the plan's limit.
    Leaving blocks the event loop for at most `GRACE_S` a process, so that nothing interrupts it.
    """
    _make(log_dir)
    logs = {process.name: log_dir / f"{process.name}.log" for process in plan.processes}
    children: dict[str, Child] = {}
    with ExitStack() as started:
        for process in plan.processes:
            own = {**environment, **process.environment}
            child = start(Command(process.argv, own, log=logs[process.name]))
            children[process.name] = child
            started.callback(child.stop, GRACE_S)
        for child in children.values():
            # Called first on the way out: all end at the same time, then each is waited for.
            started.callback(child.terminate)
        server = Running(plan.endpoint, children, logs)
        await _ready(plan, server, clock, on_wait)
        yield server


def free_port(host: str = "127.0.0.1") -> int:
    """Return a TCP port of `host` that nobody listens on now; another process may still take it."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot make the folder for server logs: {error.strerror}"
        raise MachineError(Problem(what, str(folder))) from None


async def _ready(
    plan: LaunchPlan, server: Running, clock: Clock, on_wait: Callable[[float], None]
) -> None:
    url = plan.endpoint.url.rstrip("/") + plan.health_path
    begin = clock.now()
    while True:
        answer = await _answer(url)
        # First the death, then the answer: it may be a stranger's on the same port.
        problem = server.died("while starting")
        if problem is not None:
            raise MachineError(problem)
        if answer is None:
            return
        waited = (clock.now() - begin) / NS
        if waited >= plan.ready_limit_s:
            what = f"{plan.engine} was not ready within {plan.ready_limit_s:g} s: {answer}"
            log = list(server.logs.values())[-1]
            raise MachineError(Problem(what, str(log), _advice(log)))
        on_wait(waited)
        await asyncio.sleep(_PROBE_EVERY_S)


async def _answer(url: str) -> str | None:
    """Return None when the server says that it is ready, else what it said."""
    try:
        reply = await get(url, timeout_s=_PROBE_LIMIT_S)
    except MachineError as error:
        return str(error)
    return None if reply.status == 200 else f"{url} answers HTTP {reply.status}"


def _advice(log: Path) -> str:
    lines = _tail(log)
    if not lines:
        return "its log is empty"
    return "its log ends with:\n" + "\n".join(f"  {line}" for line in lines)


def _tail(log: Path) -> list[str]:
    """Return the log's last lines; what a terminal would obey is replaced."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    lines = text.replace("\t", "    ").splitlines()[-_TAIL_LINES:]
    return ["".join(c if c.isprintable() else "?" for c in line) for line in lines]
