"""Replays on a server that fails: the bundle is whole, and the reasons and exit codes are right.

2 % of the connections reset, 0.5 % of the prompts exceed the context, and once nothing comes for
40 s. What 40 s are depends on the profile: more than its 5 % or not.
"""

import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from infx.cli.verdict import judge
from infx.flows.bench import Outcome
from infx.flows.runs import open_run, verify_run
from infx.model.record import EndState
from infx.model.result import MetricValue
from overheard import Wire
from replaying import Replayed, issued_is_the_sum_of_ends, replay
from transcript import CONSOLE, only_run
from truth_child import truth_child

FAULTS = ("reset:0.5@50+7", "overflow@200+51")
SHORT, LONG = 120.0, 900.0


def drill(out: Path, duration_s: float, **wire: int) -> Replayed:
    slow = {"ttft_s": 0.4, "itl_s": 0.02}
    return replay(out, *FAULTS, wire=Wire(**wire), script=slow, duration_s=duration_s, lanes=2)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    return drill(tmp_path_factory.mktemp("short"), SHORT, stall_at=100)


def codes(outcome: Outcome) -> tuple[int, int]:
    """Return the exit codes with and without --strict."""
    strict, loose = (judge(outcome, max_error=0.1, strict=strict).code for strict in (True, False))
    return strict, loose


def ends(drilled: Replayed) -> Counter[tuple[EndState, str | None]]:
    return Counter((one.state, one.reason) for one in drilled.profiled)


def is_whole(drilled: Replayed) -> None:
    assert verify_run(drilled.outcome.run.bundle.path) == ()
    issued_is_the_sum_of_ends(drilled.outcome)
    again = drilled.outcome.run.points[0].audit["keep_alive_resets"]
    assert len(drilled.records) == len(drilled.wire.heard) + ends(drilled)[REFUSED] - again


REFUSED = (EndState.ERROR, "refused")


def test_a_stall_of_more_than_5_percent_is_a_reason(short: Replayed) -> None:
    is_whole(short)
    struck = Counter(name for one in short.profiled for name in short.log[one.request].faults)
    assert ends(short)[EndState.ERROR, "reset"] == struck["reset:0.5"] > 3
    assert short.point.counts.overflow == struck["overflow"] > 0
    assert set(ends(short)) == {
        (EndState.OK, None),
        (EndState.ERROR, "reset"),
        (EndState.OVERFLOW, "context-overflow"),
    }
    assert short.point.reasons == ("mid-run-stall",)
    assert short.point.replay.coverage.silence_s == pytest.approx(40, abs=0.5)
    assert codes(short.outcome) == (1, 0)


def test_the_same_faults_in_a_longer_profile_cross_no_limit(tmp_path: Path) -> None:
    long = drill(tmp_path, LONG, stall_at=100)
    is_whole(long)
    counts = long.point.counts
    assert counts.error / counts.issued == pytest.approx(0.02, abs=0.002)
    assert counts.overflow / counts.issued == pytest.approx(0.005, abs=0.002)
    assert (long.point.reasons, codes(long.outcome)) == ((), (0, 0))


def test_a_death_at_80_percent_ends_the_run(short: Replayed, tmp_path: Path) -> None:
    """Two lanes endure two refusals; the third says that the server is gone."""
    last = len(short.wire.heard) * 8 // 10
    dead = drill(tmp_path, SHORT, stall_at=100, die_at=last)
    is_whole(dead)
    assert len(dead.wire.heard) == last
    assert ends(dead)[REFUSED] == 3
    outcome = dead.outcome
    assert (outcome.run.manifest.state, outcome.run.result.reasons) == (
        "failed", ("run-failed", "profile-coverage", "mid-run-stall"),
    )  # fmt: skip
    assert "the server went away: connection refused" in str(outcome.failure)
    assert codes(outcome) == (3, 3)
    (profiling,) = [one for one in outcome.run.points[0].phases if one.phase == "profiling"]
    assert profiling.end_ns - profiling.start_ns < 0.9 * SHORT * 1e9, "it waited for nobody"


def test_a_replay_that_is_killed_is_recovered(infx, tmp_path):
    """Only this tries a kill -9 of real processes: what is left adds up, theory included."""
    flags = [word for fault in FAULTS for word in ("--fault", fault)]
    with truth_child("--ttft", "0.05", *flags, log=tmp_path / "log") as server:
        client = subprocess.Popen(
            (CONSOLE, "bench", server.url, "--workload", "agentic:demo", "--demo",
             "--concurrency", "8"),
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_for(tmp_path / "log", lines=150)
        client.send_signal(signal.SIGKILL)
        client.communicate()
    path = only_run(tmp_path / "runs")
    assert open_run(path).manifest.state == "running"
    assert infx("runs", "recover", path).code == 0
    assert verify_run(path) == ()
    (point,) = open_run(path).result.points
    counts = point.counts
    assert counts.issued == sum(getattr(counts, state) for state in EndState)
    assert (counts.ok > 50, counts.lost > 0) == (True, True)
    records = open_run(path).records(point.point_id)
    assert len(records) == counts.issued + point.warmup_counts.issued
    assert {"run-recovered", "profile-unknown"} <= set(open_run(path).result.reasons)
    assert isinstance(point.metrics["theoretical_prefix_hit"], MetricValue)


def wait_for(log: Path, *, lines: int) -> None:
    """Wait until the server has logged so many requests."""
    deadline = time.monotonic() + 60
    while not log.exists() or log.read_bytes().count(b"\n") < lines:
        if time.monotonic() > deadline:
            pytest.fail("the client asks too little")
        time.sleep(0.05)
