"""How many processes ask changes nothing of what is asked, and nothing is lost between them."""

import asyncio
import fcntl
import json
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import infx
from infx.clock import SystemClock
from infx.errors import InputError
from infx.flows.asking import is_late
from infx.flows.bench import Outcome, Watch, run_bench
from infx.flows.options import BenchOptions
from infx.flows.point import Brake
from infx.flows.runs import Run, open_run, verify_run
from infx.model.record import EndState, Phase
from infx.model.workload import FixedWorkload
from infx.store.journal_parts import parts_of
from journaled import ending, issue
from transcript import CONSOLE, Infx, only_run
from truth_child import truth_child

SMALL = FixedWorkload(isl=32, osl=4, range_ratio=1.0, requests=18, warmups=6)


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say that there are some cores, however small the machine of the tests is."""
    monkeypatch.setattr("infx.flows.options.cores", lambda: 4)


def asked(run: Run) -> list[tuple[Phase, int, int]]:
    """Return what was asked in a run of one point, once for each time."""
    (point,) = run.points
    return sorted((one.phase, one.session, one.turn) for one in run.bundle.records(point))


def test_any_number_of_shards_asks_the_same_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    runs: list[Run] = []
    with truth_child("--ttft", "0.002", "--itl", "0", log=log) as server:
        for shards in (1, 2, 3):
            out = tmp_path / str(shards)
            runs.append(
                infx.bench(server.url, workload=SMALL, concurrency=6, shards=shards, out=out)
            )
    points = [run.points[0] for run in runs]
    assert [point.audit["shards"] for point in points] == [1, 2, 3]
    assert len({(point.point_id, point.plan_digest) for point in points}) == 1
    assert asked(runs[0]) == asked(runs[1]) == asked(runs[2])
    assert len(set(asked(runs[0]))) == 6 + 18
    for run in runs:
        assert verify_run(run.bundle.path) == ()
        (summary,) = run.result.points
        assert (summary.counts.issued, summary.counts.ok) == (18, 18)
        assert (summary.warmup_counts.issued, summary.warmup_counts.ok) == (6, 6)
        assert parts_of(run.bundle.path / "points" / summary.point_id / "requests.jsonl.zst") == ()
    ids = Counter(json.loads(line)["request_id"] for line in log.read_bytes().splitlines())
    of_load = {name: times for name, times in ids.items() if (name or "").startswith("infx-")}
    assert set(of_load.values()) == {3}, "request ids are the same for any number of shards"
    assert len(of_load) == 24


def test_a_point_has_no_more_shards_than_lanes(tmp_path: Path) -> None:
    with truth_child("--ttft", "0", "--itl", "0", log=tmp_path / "log") as server:
        run = infx.bench(server.url, workload=SMALL, concurrency=1, shards=4, out=tmp_path / "r")
    assert run.points[0].audit["shards"] == 1
    assert len(asked(run)) == 24


def test_numbers_of_shards_that_are_not_possible(tmp_path: Path) -> None:
    for shards in (0, 5):
        with pytest.raises(InputError) as caught:
            infx.bench("http://127.0.0.1:1", shards=shards, out=tmp_path)
        assert str(caught.value) == (
            f"--shards: {shards} shards are not possible: infx may use 4 cores; use 1 to 4"
        )


def bench(
    url: str, out: Path, *, hogged: bool, said: list[str], shards: int | None = None
) -> Outcome:
    """Measure; where it is `hogged`, other work keeps the client's loop busy for 20 ms of 22.

    Requests leave between two busy stretches, so content that comes 10 ms later waits for another
    10, whatever else the machine does.
    """

    async def hog() -> None:
        loop = asyncio.get_running_loop()
        while True:
            end = loop.time() + 0.02
            while loop.time() < end:
                pass
            await asyncio.sleep(0.002)

    async def run() -> Outcome:
        work = asyncio.create_task(hog()) if hogged else None
        options = BenchOptions(url=url, workload=SMALL, concurrency=(6,), out=out, shards=shards)
        watch = Watch(talk=said.append)
        try:
            return await run_bench(options, clock=SystemClock(), brake=Brake(), watch=watch)
        finally:
            if work is not None:
                work.cancel()

    return asyncio.run(run())


def test_a_late_warmup_adds_a_shard_and_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    with truth_child("--ttft", "0.01", "--itl", "0.001", log=tmp_path / "log") as server:
        outcome = bench(server.url, tmp_path / "runs", hogged=True, said=said)
        held = bench(server.url, tmp_path / "held", hogged=True, said=[], shards=1)
    (point,) = outcome.run.points
    assert point.audit["shards"] == 2
    assert "this client was late in the warmup: 2 processes measure the point" in said
    assert len(set(asked(outcome.run))) == 24
    numbers = [record.request for record in outcome.run.bundle.records(point)]
    assert numbers == list(range(24))
    assert verify_run(outcome.run.bundle.path) == ()
    assert held.run.points[0].audit["shards"] == 1, "a number that is given stays"


@pytest.mark.parametrize(("late_ns", "late"), [(None, False), (700_000, False), (720_000, True)])
def test_late_is_what_would_not_be_certified(late_ns: int | None, late: bool) -> None:
    """The bound over the root of two is the bias of the mean TTFT; 0.5 ms of it is tolerated."""
    seen = [
        ending(issue(number, Phase.WARMUP), first_content_ns=1_200 + number, late_ns=late_ns)
        for number in range(20)
    ]
    assert is_late(seen) is late


def test_kill_9_of_the_client_can_be_recovered(tmp_path: Path, infx: Infx) -> None:
    with truth_child("--ttft", "0.1", "--itl", "0", log=tmp_path / "log") as server:
        argv = (
            CONSOLE, "bench", server.url, "--isl", "32", "--osl", "4", "--shards", "2",
            "--concurrency", "4", "--duration", "60s", "--warmup", "0",
        )  # fmt: skip
        process = subprocess.Popen(argv, cwd=tmp_path, stderr=subprocess.PIPE)
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"bundle ")
        path = only_run(tmp_path / "runs")
        parts = written(path)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for part in parts:
            with part.open("rb") as file:  # its lock falls when the shard is dead
                fcntl.flock(file, fcntl.LOCK_EX)
    assert infx("runs", "recover", path).code == 0
    assert verify_run(path) == ()
    (point,) = open_run(path).points
    seen = open_run(path).bundle.records(point)
    states = Counter(record.state for record in seen)
    assert set(states) == {EndState.OK, EndState.LOST}
    assert 1 <= states[EndState.LOST] <= 4
    assert {record.lane for record in seen} == {0, 1, 2, 3}
    assert parts_of(path / "points" / point.point_id / "requests.jsonl.zst") == ()


def written(run: Path) -> tuple[Path, ...]:
    """Wait until two shards have written more than once, and return their parts."""
    deadline = SystemClock.now() + 30_000_000_000
    while SystemClock.now() < deadline:
        for folder in run.glob("points/*"):
            parts = parts_of(folder / "requests.jsonl.zst")
            if len(parts) == 2 and all(part.stat().st_size > 500 for part in parts):
                return parts
    raise AssertionError("no parts within 30 s")
