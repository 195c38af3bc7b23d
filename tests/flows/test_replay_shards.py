"""A replay that several processes lead: what is asked is the plan's, and every request is counted.

That shards keep the moments of one process is shown in virtual time (tests/load/test_ensemble.py);
here are the processes, sockets and signals.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import infx
from infx.flows.runs import Run, open_run, verify_run
from infx.model.corpus import Skewed
from infx.model.record import EndState
from infx.store.journal_parts import parts_of
from infx.workloads.trace.synthetic import PRESETS, rows
from recorded import corpus, request, session
from transcript import CONSOLE, Infx, only_run
from truth_child import truth_child

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say that there are some cores, however small the machine of the tests is."""
    monkeypatch.setattr("infx.flows.options.cores", lambda: 4)


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions with subagents and hardly a pause: lanes have nearly always something in flight."""
    none, few = Skewed(mean=0.01, median=0.01), Skewed(mean=4, median=3.5)
    short = {"agent_pause": none, "agent_share": 1.0, "turns": few, "fan_out": 0.3, "traces": 5}
    path = tmp_path_factory.mktemp("corpus") / "busy.jsonl"
    path.write_bytes(b"".join(rows(PRESETS["demo"].model_copy(update=short))))
    return path


def replay(
    url: str, corpus: Path, out: Path, *, lanes: int, shards: int, **settings: object
) -> Run:
    """Replay from the first turn on without a warmup, unless settings say otherwise."""
    stated = {"window": None, "warmups_per_lane": 0, **settings}
    return infx.replay(
        url, corpus, concurrency=lanes, rule="custom", settings=stated, shards=shards, out=out
    )


def whole(run: Run) -> None:
    """Hold a run to its bundle: nothing is altered, no part is left, and the ends add up."""
    assert verify_run(run.bundle.path) == ()
    for point in run.result.points:
        for counts in (point.counts, point.warmup_counts):
            assert counts.issued == sum(getattr(counts, state) for state in EndState)
        records = run.records(point.point_id)
        assert len(records) == point.counts.issued + point.warmup_counts.issued
        assert len({one.request for one in records}) == len(records)
        assert parts_of(run.bundle.path / "points" / point.point_id / "requests.jsonl.zst") == ()


def test_every_session_is_played_once_by_the_shard_of_its_lane(tmp_path: Path, busy: Path) -> None:
    """Eight lanes, five sessions: three lanes have none."""
    asked, digests = [], []
    with truth_child("--ttft", "0.002", "--itl", "0", log=tmp_path / "log") as server:
        for shards in (1, 2):
            out = tmp_path / str(shards)
            run = replay(server.url, busy, out, lanes=8, shards=shards, duration_s=None)
            whole(run)
            (point,) = run.points
            assert point.audit["shards"] == shards
            assert len(point.audit.get("shard_cpu_s", [0])) == shards
            seen = run.records(point.point_id)
            assert {one.state for one in seen} == {EndState.OK}
            asked.append(sorted((one.lane, one.play, one.session, one.turn) for one in seen))
            digests.append((point.point_id, point.plan_digest))
            of_process = {one.lane % shards for one in seen if one.request % shards == 0}
            assert of_process == {0}, "a request's number names its process, as its lane does"
    assert {lane for lane, *_ in asked[0]} == set(range(5))
    assert len(set(asked[0])) == len(asked[0]) > 30
    assert asked[0] == asked[1]
    assert len(set(digests)) == 1


def test_the_silence_of_all_shards_is_skipped(tmp_path: Path) -> None:
    """Each lane thinks, for 5 and for 7 s, where 0.3 s may pass: about 4.7 and 1.7 s are left out.

    What is left of either is what the answers took. No shard alone may skip: the first lane's turn
    is answered while the second still has 2 s to wait.
    """
    path = corpus(
        tmp_path,
        session([request(0, [1]), request(6, [1, 2])], id="five"),
        session([request(0, [3]), request(8, [3, 4])], id="seven"),
    )
    with truth_child("--ttft", "0.01", "--itl", "0", log=tmp_path / "log") as server:
        settings = {"duration_s": None, "idle_cap_s": 0.3}
        run = replay(server.url, path, tmp_path / "runs", lanes=2, shards=2, **settings)
    whole(run)
    (point,) = run.points
    skipped = point.audit["idle_skipped"]
    assert skipped["times"] == 2
    assert skipped["s"] == pytest.approx(6.4, abs=0.3)
    assert point.audit["tree_idle_skipped"] == {"times": 0, "s": 0}


def test_failures_of_all_shards_end_a_replay(tmp_path: Path, busy: Path) -> None:
    """Every fourth request is refused; neither shard alone need have ten ends by then."""
    faults = ("--fault", "refuse:500@4+4")
    with truth_child("--ttft", "0.02", *faults, log=tmp_path / "log") as server:
        run = replay(server.url, busy, tmp_path / "runs", lanes=4, shards=2, duration_s=60.0)
    whole(run)
    (point,) = run.points
    assert "requests failed, above the 10% allowed" in str(point.audit["aborted"])
    (summary,) = run.result.points
    assert summary.counts.error / summary.counts.issued == pytest.approx(0.25, abs=0.1)
    (profiling,) = point.phases
    assert profiling.end_ns - profiling.start_ns < 50e9


@contextmanager
def client(
    folder: Path, url: str, corpus: Path, *, shards: int = 2
) -> "Iterator[subprocess.Popen[bytes]]":
    """Replay in a process of its own, in the folder."""
    argv = (
        CONSOLE, "bench", url, "--workload", f"agentic:{corpus}", "--duration", "60s",
        "--from-start", "--warmup", "0", "--concurrency", "4", "--shards", str(shards),
        "--format", "json",
    )  # fmt: skip
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(argv, cwd=folder, **pipes)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def shards_of(process: "subprocess.Popen[bytes]") -> list[int]:
    """Return the ids of the shards that a client started, once it did and they asked something."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            words = (stat.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if fields[1] == str(process.pid) and b"infx.load.shard" in words:
            found.append(int(stat.parent.name))
    return sorted(found)


def answered(log: Path, *, lines: int) -> None:
    """Wait until the server has logged so many requests of the load."""
    deadline = time.monotonic() + 60
    while not log.exists() or log.read_bytes().count(b'"infx-') < lines:
        if time.monotonic() > deadline:
            pytest.fail("the client asks too little")
        time.sleep(0.02)


@linux
def test_a_shard_that_dies_ends_the_run_and_what_it_had_open_is_lost(
    tmp_path: Path, busy: Path
) -> None:
    """The other shard is drained; the point is told with what was measured, and the run fails."""
    with (
        truth_child("--ttft", "0.2", "--itl", "0", log=tmp_path / "log") as server,
        client(tmp_path, server.url, busy) as process,
    ):
        answered(tmp_path / "log", lines=12)
        last = shards_of(process)[-1]
        os.kill(last, signal.SIGKILL)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"of 2 of the load client died (killed by SIGKILL)" in err.splitlines()[-1]
    run = open_run(only_run(tmp_path / "runs"))
    whole(run)
    assert (run.manifest.state, "run-failed" in run.result.reasons) == ("failed", True)
    (summary,) = run.result.points
    lost = [one for one in run.records(summary.point_id) if one.state is EndState.LOST]
    assert 1 <= len(lost) == summary.counts.lost <= 4 * 7
    assert len({one.lane % 2 for one in lost}) == 1
    assert json.loads(out)["points"][0]["counts"]["lost"] == len(lost)


@linux
def test_kill_9_of_the_client_leaves_no_shard_and_can_be_recovered(
    tmp_path: Path, busy: Path, infx: Infx
) -> None:
    with (
        truth_child("--ttft", "0.2", "--itl", "0", log=tmp_path / "log") as server,
        client(tmp_path, server.url, busy) as process,
    ):
        answered(tmp_path / "log", lines=16)
        shards = shards_of(process)
        assert len(shards) == 2
        path = only_run(tmp_path / "runs")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        gone(shards)
    assert infx("runs", "recover", path).code == 0
    run = open_run(path)
    whole(run)
    (summary,) = run.result.points
    assert (summary.counts.ok > 0, summary.counts.lost > 0) == (True, True)
    assert {one.lane for one in run.records(summary.point_id)} == {0, 1, 2, 3}


def gone(pids: list[int]) -> None:
    """Wait until no process has any of these ids, or it is an entry that nobody waited for."""
    deadline = time.monotonic() + 20
    while any(lives(pid) for pid in pids):
        if time.monotonic() > deadline:
            pytest.fail("a shard outlives its client")
        time.sleep(0.02)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@linux
def test_ctrl_c_drains_all_shards(tmp_path: Path, busy: Path) -> None:
    with (
        truth_child("--ttft", "0.2", "--itl", "0", log=tmp_path / "log") as server,
        client(tmp_path, server.url, busy) as process,
    ):
        answered(tmp_path / "log", lines=8)
        shards = shards_of(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert len(shards) == 2
    gone(shards)
    run = open_run(only_run(tmp_path / "runs"))
    whole(run)
    assert run.manifest.state == "interrupted"
    (summary,) = run.result.points
    assert summary.counts.issued == summary.counts.ok > 0
