"""Ctrl-C: once drains and finishes the bundle, twice cancels; whenever it comes, all is valid."""

import contextlib
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from infx.flows.runs import open_run, verify_run
from infx.model.record import EndState, Phase
from infx.servers.truth.script import Script
from served import truth_server
from transcript import CONSOLE, anonymous, only_run
from web import openai, web_server

SMALL = ("--isl", "32", "--osl", "32", "--range-ratio", "1", "--concurrency", "4")
KEPT = "infx: interrupted; what was measured is kept in runs/RUN"
DRAINING = "draining: no new requests; press Ctrl-C again to cancel what is open"
PATIENCE_S = 60


class Holding:
    """A chat server that holds back what a test says, and tells when `count` of them have come."""

    def __init__(self, holds, count=1):
        self._answer = openai()
        self._holds = holds
        self._missing = count
        self._release = threading.Event()
        self._lock = threading.Lock()
        self.full = threading.Event()

    def __call__(self, method, path, body):
        if self._holds(method, json.loads(body or "{}")):
            with self._lock:
                self._missing -= 1
                if not self._missing:
                    self.full.set()
            self._release.wait()
        return self._answer(method, path, body)

    def __enter__(self):
        self._server = web_server(self)
        return self._server.__enter__()

    def __exit__(self, *error):
        self._release.set()
        self._server.__exit__(*error)


def models(method, body):
    return method == "GET"


def probes(method, body):
    return method == "POST" and not body.get("stream")


def streams(method, body):
    return bool(body.get("stream"))


class Client:
    """`infx` in a process of its own, in a folder of its own."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            (CONSOLE, *words), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines: list[str] = []

    def interrupt(self, number: int = signal.SIGINT) -> None:
        self.process.send_signal(number)

    def until(self, beginning: str) -> None:
        """Read stderr up to a line that begins so."""
        for line in self.process.stderr:
            self.lines.append(anonymous(line.rstrip("\n")))
            if line.startswith(beginning):
                return
        pytest.fail(f"never said {beginning!r}: {self.lines}")

    def until_there(self, pattern: str) -> None:
        """Wait until a file of the client's folder is there."""
        while not list(self.folder.glob(pattern)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                pytest.fail(f"ended with {self.process.wait(0.02)} before {pattern} was there")

    def end(self) -> tuple[int, str, list[str]]:
        """Return exit code, stdout, and the lines of stderr."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, [*self.lines, *anonymous(err).splitlines()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_drains_and_finishes_the_bundle(tmp_path, number):
    """Nothing more is issued, all that is open is waited for, and no later point begins."""
    asked, reached = iter(range(1, 1000)), threading.Event()

    def between(ask, outlet):
        if ask.stream and next(asked) == 8 + 6:  # 8 warmups, then within the first point
            reached.set()
        return outlet

    with truth_server(Script(ttft_s=0.05, itl_s=0.01), between=between) as url:
        client = Client(tmp_path, "bench", url, *SMALL[:-1], "4,2", "--format", "json")
        assert reached.wait(PATIENCE_S)
        client.interrupt(number)
        code, out, err = client.end()
    assert code == 130
    assert err[-3:] == [DRAINING, f"concurrency 4: {counts(out)['ok']} ok", KEPT]
    assert 4 <= counts(out)["issued"] < 40
    assert counts(out)["ok"] == counts(out)["issued"]
    assert json.loads(out)["reasons"][0] == "run-interrupted"
    check(tmp_path)


def counts(out):
    (point,) = json.loads(out)["points"]
    return point["counts"]


def check(folder: Path):
    """Return the run of a folder, whose bundle must be whole and interrupted."""
    path = only_run(folder / "runs")
    assert verify_run(path) == ()
    run = open_run(path)
    assert run.manifest.state == "interrupted"
    return run


def test_what_outlasts_the_grace_is_cancelled_at_the_end(tmp_path):
    server = Holding(streams, count=4)
    with server as url:
        words = ("bench", url, *SMALL, "--warmup", "0", "--grace", "300ms", "--format", "json")
        client = Client(tmp_path, *words)
        assert server.full.wait(PATIENCE_S)
        client.interrupt()
        code, out, err = client.end()
    assert (code, err[-1]) == (130, KEPT)
    assert (counts(out)["issued"], counts(out)["cancelled_at_end"]) == (4, 4)
    (point,) = check(tmp_path).points
    window = next(window for window in point.phases if window.phase is Phase.PROFILING)
    for record in check(tmp_path).bundle.records(point):
        assert record.state is EndState.CANCELLED_AT_END
        assert window.end_ns - record.sent_ns >= 300_000_000


def test_twice_cancels_what_is_open(tmp_path):
    server = Holding(streams, count=4)
    with server as url:
        words = ("bench", url, *SMALL, "--warmup", "0", "--grace", "1h", "--format", "json")
        client = Client(tmp_path, *words)
        assert server.full.wait(PATIENCE_S)
        client.interrupt()
        client.until(DRAINING)
        client.interrupt()
        code, out, err = client.end()
    assert code == 130
    assert err[-4:] == [
        DRAINING, "cancelling open requests", "concurrency 4: 0 ok, 4 not ok", KEPT,
    ]  # fmt: skip
    assert (counts(out)["issued"], counts(out)["cancelled_at_end"]) == (4, 4)
    check(tmp_path)


def test_during_warmup_nothing_is_measured(tmp_path):
    server = Holding(streams, count=4)
    with server as url:
        client = Client(tmp_path, "bench", url, *SMALL, "--grace", "1ms", "--format", "json")
        assert server.full.wait(PATIENCE_S)
        client.interrupt()
        code, out, err = client.end()
    assert (code, err[-1]) == (130, KEPT)
    assert counts(out)["issued"] == 0
    (point,) = check(tmp_path).result.points
    assert (point.warmup_counts.issued, point.warmup_counts.cancelled_at_end) == (4, 4)


def test_during_calibration_there_is_a_bundle_without_points(tmp_path):
    server = Holding(probes)
    with server as url:
        client = Client(tmp_path, "bench", url, *SMALL)
        assert server.full.wait(PATIENCE_S)
        client.interrupt()
        code, out, err = client.end()
    assert (code, out, err[-1]) == (130, "", "infx: interrupted")
    assert check(tmp_path).result.reasons == ("run-interrupted", "no-points")


def test_before_the_server_has_said_what_it_serves_there_is_none(tmp_path):
    server = Holding(models)
    with server as url:
        client = Client(tmp_path, "bench", url, *SMALL)
        assert server.full.wait(PATIENCE_S)
        client.interrupt()
        code, out, err = client.end()
    assert (code, out, err) == (130, "", ["infx: interrupted"])
    assert not (tmp_path / "runs").exists()


@pytest.mark.engine
@pytest.mark.parametrize("moment", ["while it starts", "while prompts are sized", "in a point"])
def test_quickstart_leaves_no_server_behind(weights, tmp_path, moment):
    own = tmp_path / "model.gguf"  # a path that no other server of this host has
    own.symlink_to(weights)
    client = Client(tmp_path, "quickstart", "--weights", str(own))
    client.until("starting" if moment == "while it starts" else "calibrating")
    if moment == "in a point":
        client.until_there("runs/*/points/*/requests.jsonl.zst")
    children = started_by(client.process.pid)
    assert children or moment == "while it starts"
    client.interrupt()
    code, _, err = client.end()
    assert code == 130
    assert [line for line in err if line.startswith("infx: ")] in (["infx: interrupted"], [KEPT])
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []
    assert not any(str(own) in line for line in command_lines())
    run = check(tmp_path)
    assert list((run.bundle.path / "server").glob("llamacpp.log*"))


def started_by(pid: int) -> list[int]:
    """Return the processes that a process has started and that still live (Linux)."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def command_lines() -> list[str]:
    """Return the command line of every process but this one and its parents."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name != str(os.getpid()):
            try:
                found.append((folder / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:  # gone meanwhile
                continue
    return found
