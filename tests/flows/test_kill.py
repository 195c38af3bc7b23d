"""kill -9 of the client at any moment of a run: what is lost is bounded, and counted."""

import json
import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from infx.clock import NS
from infx.flows.runs import list_runs, open_run, verify_run
from infx.model.record import EndState, RequestRecord
from infx.store.journal import records
from transcript import CONSOLE, only_run, refused
from truth_child import TruthChild, truth_child

MOMENTS = 20
GROUP = 10
LAST_S = 4.0
"""The last moment, counted from a run's first line: in its second point."""
BOUND_NS = NS
PACE = ("--ttft", "0.01", "--itl", "0.01", "--tokens-per-chunk", "8")
SHAPE = ("--isl", "32", "--osl", "32", "--range-ratio", "1")
SWEEP = ("--duration", "2500ms", "--concurrency", "4,8")
"""Phases that last, so that the journal's own pace is tried and not only the end of a phase."""


@dataclass
class Victim:
    """A client that is to die, and the moment at which it did."""

    folder: Path
    process: "subprocess.Popen[bytes]"
    moment_s: float
    began_s: float = 0.0
    killed_ns: int = 0

    def kill(self) -> None:
        left = self.began_s + self.moment_s - time.monotonic()
        try:
            self.process.wait(max(left, 0))
        except subprocess.TimeoutExpired:
            self.killed_ns = time.monotonic_ns()
            self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


def start(server: TruthChild, folder: Path, *, seed: int, moment_s: float) -> Victim:
    """Start a client in a folder of its own; the seed keeps its request ids apart from others."""
    folder.mkdir()
    argv = (CONSOLE, "bench", server.url, *SHAPE, *SWEEP, "--seed", str(seed))
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return Victim(folder, subprocess.Popen(argv, cwd=folder, **pipes), moment_s)


def completed(log: Path) -> dict[str, int]:
    """Return the ids of the requests that the server answered to their end, and when."""
    rows = map(json.loads, log.read_bytes().splitlines())
    return {
        row["request_id"]: row["ended_ns"]
        for row in rows
        if row["stream"] and row["end"] == "completed"
    }


def by_id(path: Path) -> dict[str, RequestRecord]:
    """Return a run's requests by the X-Request-ID that each of them was sent with."""
    run = open_run(path)
    return {
        f"infx-{point.point_id[:12]}-r{point.repetition}-{record.request}": record
        for point in run.points
        for record in run.bundle.records(point)
    }


@pytest.mark.slow
def test_at_twenty_moments_nothing_is_lost_but_the_last_second(infx, tmp_path):
    """Only this proves the bound on the real clock, with real processes and a real kill -9.

    Twenty clients start twice in groups, and a busy machine takes its time for that.
    """
    moments = random.Random(2).sample(range(MOMENTS), MOMENTS)
    log = tmp_path / "log"
    victims: list[Victim] = []
    with truth_child(*PACE, log=log) as server:
        for first in range(0, MOMENTS, GROUP):
            group = [
                start(server, tmp_path / f"{n}", seed=n, moment_s=LAST_S * moments[n] / MOMENTS)
                for n in range(first, first + GROUP)
            ]
            for victim in group:
                assert victim.process.stderr.readline().startswith(b"bundle ")
                victim.began_s = time.monotonic()
            for victim in sorted(group, key=lambda v: v.began_s + v.moment_s):
                victim.kill()
            victims += group
    told = completed(log)
    begun = {name for victim in victims for name in prefixes(victim)}
    assert {name.rsplit("-", 1)[0] for name in told} <= begun, "a point was asked before it began"
    ends = [check(infx, victim, told) for victim in victims]
    killed = [lost for _, lost in ends if lost is not None]
    assert len(killed) >= MOMENTS - 2, "some ended before they could be killed"
    assert sum(killed), "no request was in flight at any kill"
    assert sum(protected for protected, _ in ends) > 5 * MOMENTS, "the bound was hardly tried"


def prefixes(victim: Victim) -> list[str]:
    run = open_run(only_run(victim.folder / "runs"))
    return [f"infx-{point.point_id[:12]}-r{point.repetition}" for point in run.points]


def check(infx, victim: Victim, told: dict[str, int]) -> tuple[int, int | None]:
    """Hold one bundle to the bound; return how many requests it protects, and how many are lost.

    None are lost of a run that came to its end before it could be killed.
    """
    path = only_run(victim.folder / "runs")
    own = prefixes(victim)
    killed = open_run(path).manifest.state == "running"
    if killed:
        assert victim.killed_ns, victim.process.returncode
        assert infx("runs", "recover", path).code == 0
        again = infx("runs", "recover", path)
        assert (again.code, len(again.verdict)) == (2, 1)
        assert "there is nothing to recover: the run is recovered" in again.err
    assert verify_run(path) == ()
    for point in open_run(path).result.points:
        counts = point.counts
        assert counts.issued == sum(getattr(counts, state) for state in EndState)
        every = records(path / "points" / point.point_id / "requests.jsonl.zst")
        assert len(every) == counts.issued + point.warmup_counts.issued
    seen = by_id(path)
    end_ns = victim.killed_ns if killed else max(told.values()) + BOUND_NS + 1
    protected = [
        name
        for name, ended_ns in told.items()
        if name.rsplit("-", 1)[0] in own and ended_ns < end_ns - BOUND_NS
    ]
    assert [name for name in protected if name not in seen] == []
    assert {seen[name].state for name in protected} <= {EndState.OK}
    lost = sum(record.state is EndState.LOST for record in seen.values())
    assert killed or not lost
    return len(protected), lost if killed else None


def test_a_run_that_is_going_is_not_recovered(infx, tmp_path):
    with truth_child("--ttft", "30", log=tmp_path / "log") as server:
        victim = start(server, tmp_path / "live", seed=1, moment_s=0)
        assert victim.process.stderr.readline().startswith(b"bundle ")
        (entry,) = list_runs(tmp_path / "live" / "runs")
        assert entry.alive
        said = infx("runs", "recover", entry.path)
        victim.kill()
    path = str(entry.path).replace(entry.path.name, "RUN")
    assert said == refused(2, f"{path}: the run is still going; wait for it, or end its process")
    assert infx("runs", "recover", entry.path).code == 0
    assert verify_run(entry.path) == ()
    assert open_run(entry.path).result.reasons == ("run-recovered", "no-points")
