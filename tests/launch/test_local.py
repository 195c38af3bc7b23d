"""A server is ready, dead or too slow; the launcher says which, and leaves nothing running."""

import asyncio
import os
import signal
import sys

import pytest

from infx import process
from infx.clock import SystemClock, VirtualTimeLoop
from infx.errors import MachineError
from infx.launch import local
from infx.launch.local import free_port, running
from infx.model.launch import Endpoint, LaunchPlan, ProcessPlan

SERVER = """
import os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    asked = 0
    def do_GET(self):
        Handler.asked += 1
        loading = Handler.asked <= int(sys.argv[2])
        self.send_response(503 if loading else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()
print("speaks", os.environ.get("OWN"), os.environ.get("SHARED"), flush=True)
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
FOR_EVER = "import time; time.sleep(600)"


def python(name: str, code: str, *more: str, **environment: str) -> ProcessPlan:
    return ProcessPlan(name=name, argv=(sys.executable, "-c", code, *more), environment=environment)


def plan(*processes: ProcessPlan, port: int = 1, limit_s: float = 60.0) -> LaunchPlan:
    endpoint = Endpoint(url=f"http://127.0.0.1:{port}", model="m")
    return LaunchPlan(engine="test", processes=processes, endpoint=endpoint, ready_limit_s=limit_s)


def pids(server) -> list[int]:
    return [child.pid for child in server._children.values()]


def assert_gone(numbers: list[int]) -> None:
    for pid in numbers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_server_that_loads_first_is_ready_after_its_first_200(tmp_path):
    async def story():
        port, waits = free_port(), []
        asked = plan(
            python("side", FOR_EVER),
            python("server", SERVER, str(port), "2", OWN="mine", SHARED="plan"),
            port=port,
        )
        async with running(
            asked,
            environment={"SHARED": "base"},
            log_dir=tmp_path / "server",
            clock=SystemClock(),
            on_wait=waits.append,
        ) as server:
            assert server.endpoint.url == f"http://127.0.0.1:{port}"
            assert list(server.logs) == ["side", "server"]
            assert server.died() is None
            server.check()
            started = pids(server)
        return waits, started

    waits, started = asyncio.run(story())
    assert len(waits) >= 2
    assert waits == sorted(waits)
    assert_gone(started)
    assert (tmp_path / "server" / "server.log").read_text().startswith("speaks mine plan\n")


def test_a_server_that_dies_at_start_is_reported_with_code_log_and_tail(tmp_path):
    """Its log holds 30 lines, the last with a terminal escape; the last 20 are shown, harmless."""
    code = "for n in range(29): print('line', n)\nprint('\\x1b[2Jend'); raise SystemExit(3)"

    async def story():
        asked = plan(python("server", code), port=free_port())
        async with running(asked, environment={}, log_dir=tmp_path, clock=SystemClock()):
            pytest.fail("it never was ready")

    with pytest.raises(MachineError) as caught:
        asyncio.run(story())
    shown = "\n".join(f"  line {n}" for n in range(10, 29))
    assert str(caught.value) == (
        f"{tmp_path / 'server.log'}: server died while starting (exit code 3); "
        f"its log ends with:\n{shown}\n  ?[2Jend"
    )


def test_a_death_by_signal_names_the_signal(tmp_path):
    async def story():
        asked = plan(python("server", "import os; os.kill(os.getpid(), 9)"), port=free_port())
        async with running(asked, environment={}, log_dir=tmp_path, clock=SystemClock()):
            pytest.fail("it never was ready")

    with pytest.raises(MachineError, match=r"killed by SIGKILL\); its log is empty"):
        asyncio.run(story())


def test_a_stranger_on_the_port_does_not_make_a_dead_server_ready(tmp_path):
    async def story():
        port = free_port()
        stranger = plan(python("stranger", SERVER, str(port), "0"), port=port)
        late = plan(python("late", "raise SystemExit(1)"), port=port)
        kwargs = {"environment": {}, "clock": SystemClock()}
        async with running(stranger, log_dir=tmp_path / "a", **kwargs) as server:
            # Waited for, so that the probe cannot come before the death.
            late_running = running(late, log_dir=tmp_path / "b", **kwargs)
            async with late_running as second:
                second._children["late"]._process.wait(20)
                second.check()
            server.check()

    with pytest.raises(MachineError, match="late died"):
        asyncio.run(story())


def test_a_server_that_is_never_ready_is_too_slow_and_gone(tmp_path):
    """Thirty seconds of waiting pass on the virtual clock."""
    loop = VirtualTimeLoop()
    waits: list[float] = []

    async def story():
        asked = plan(python("server", FOR_EVER), port=free_port(), limit_s=30.0)
        async with running(
            asked, environment={}, log_dir=tmp_path, clock=loop, on_wait=waits.append
        ):
            pytest.fail("it never was ready")

    with (
        asyncio.Runner(loop_factory=lambda: loop) as runner,
        pytest.raises(MachineError, match=r"server\.log: test was not ready within 30 s: http://"),
    ):
        runner.run(story())
    assert 0 <= waits[0] < waits[-1] < 30


def test_a_second_process_that_cannot_start_takes_the_first_along(tmp_path, monkeypatch):
    started = []

    def remember(command):
        started.append(process.start(command))
        return started[-1]

    monkeypatch.setattr(local, "start", remember)

    async def story():
        broken = ProcessPlan(name="b", argv=("/nowhere/engine",))
        asked = plan(python("a", FOR_EVER), broken)
        async with running(asked, environment={}, log_dir=tmp_path, clock=SystemClock()):
            pytest.fail("it never was ready")

    with pytest.raises(MachineError, match="cannot start /nowhere/engine"):
        asyncio.run(story())
    assert_gone([child.pid for child in started])


@pytest.mark.parametrize("way", ["error", "cancel"])
def test_leaving_by_error_or_cancellation_leaves_nothing(tmp_path, way):
    seen: list[int] = []

    async def story():
        port = free_port()
        asked = plan(python("server", SERVER, str(port), "0"), port=port)
        async with running(asked, environment={}, log_dir=tmp_path, clock=SystemClock()) as server:
            seen.extend(pids(server))
            if way == "error":
                raise ValueError("of the story")
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(0)

    with pytest.raises(ValueError if way == "error" else asyncio.CancelledError):
        asyncio.run(story())
    assert_gone(seen)


def test_a_death_while_serving_is_noticed(tmp_path):
    async def story():
        port = free_port()
        asked = plan(python("server", SERVER, str(port), "0"), port=port)
        async with running(asked, environment={}, log_dir=tmp_path, clock=SystemClock()) as server:
            os.kill(pids(server)[0], signal.SIGKILL)
            server._children["server"]._process.wait(20)
            problem = server.died()
            assert problem is not None
            server.check()

    with pytest.raises(MachineError, match=r"server died while serving \(killed by SIGKILL\)"):
        asyncio.run(story())


def test_an_unwritable_log_folder_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")

    async def story():
        folder = tmp_path / "file" / "logs"
        asked = plan(python("server", FOR_EVER))
        async with running(asked, environment={}, log_dir=folder, clock=SystemClock()):
            pytest.fail("it never was ready")

    with pytest.raises(MachineError, match="cannot make the folder for server logs"):
        asyncio.run(story())
