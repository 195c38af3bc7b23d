"""Servers and disks that give up while a run goes: said on one line, and the bundle is kept."""

import os
import subprocess
import sys
import threading
from itertools import cycle
from pathlib import Path

import pytest

from infx.flows.runs import list_runs, open_run, verify_run
from infx.model.record import EndState
from infx.servers.truth.refusal import Refusal
from infx.servers.truth.script import Script
from served import truth_server
from transcript import CONSOLE, anonymous, only_run
from truth_child import truth_child

SMALL = ("--isl", "32", "--osl", "8", "--range-ratio", "1")


def kill_at(process, log, requests):
    """Kill a process as soon as it has logged that many requests; the log is a named pipe."""

    def read():
        with log.open("rb") as lines:
            for _, _ in zip(range(requests), lines, strict=False):
                pass
            process.kill()

    os.mkfifo(log)
    thread = threading.Thread(target=read)
    thread.start()
    return thread


class Killed:
    """Stands for a child that does not run yet."""

    def kill(self):
        self.process.kill()


def test_a_server_that_dies_mid_run(infx, tmp_path):
    """7 probes and 12 requests of the first point are answered, then some of the second."""
    victim = Killed()
    reader = kill_at(victim, tmp_path / "log", requests=7 + 12 + 9)
    with truth_child("--ttft", "0.01", "--itl", "0.001", log=tmp_path / "log") as child:
        victim.process = child.process
        said = infx("bench", child.url, *SMALL, "--concurrency", "1,2,4")
    reader.join()
    assert said.code == 3
    assert said.verdict == [
        (
            f"infx: {child.url}: the server went away: connection refused; "
            "its own log says why; the bundle is kept"
        )
    ]
    assert said.out
    run = only_run(tmp_path / "runs")
    opened = open_run(run)
    assert (opened.manifest.state, opened.result.reasons[0]) == ("failed", "run-failed")
    assert verify_run(run) == ()
    first, second = opened.result.points
    assert (first.counts.issued, first.counts.ok) == (10, 10)
    assert second.counts.ok + second.counts.error == second.counts.issued
    assert second.counts.error > 0
    assert second.counts.issued < 20, "it went on against a server that was gone"
    records = opened.records(second.point_id)
    assert sum(record.state is EndState.OK for record in records) >= 9
    failed = [record.reason for record in records if record.state is EndState.ERROR]
    assert set(failed) <= {"reset", "truncated", "refused"}


def test_a_server_that_is_gone_before_the_second_point(infx, tmp_path):
    """What the first point said is printed all the same."""
    victim = Killed()
    reader = kill_at(victim, tmp_path / "log", requests=7 + 12)
    with truth_child("--ttft", "0.01", "--itl", "0.001", log=tmp_path / "log") as child:
        victim.process = child.process
        said = infx("bench", child.url, *SMALL, "--concurrency", "1,2", "--format", "json")
    reader.join()
    assert (said.code, len(said.verdict)) == (3, 1)
    assert said.verdict[0].startswith(f"infx: {child.url}: ")
    run = only_run(tmp_path / "runs")
    assert open_run(run).manifest.state == "failed"
    assert verify_run(run) == ()
    points = open_run(run).result.points
    assert [point.counts.ok for point in points if point.concurrency == 1] == [10]


def test_a_server_that_fails_more_than_is_allowed(infx):
    """Not dead, but no longer good: exit 1 with the shares."""
    faulty = cycle([True, False])

    def refuse(ask, outlet):
        if ask.stream and next(faulty):
            raise Refusal(503, "no slot is free")
        return outlet

    with truth_server(Script(ttft_s=0, itl_s=0), between=refuse) as url:
        said = infx("bench", url, *SMALL)
        allowed = infx("bench", url, *SMALL, "--max-error", "0.6")
    assert said.code == 1
    assert said.verdict == ["infx: 5 of 10 requests failed; --max-error 0.1 allows less"]
    assert (allowed.code, allowed.verdict) == (0, [])


FULL = """
import os, sys
left = int(sys.argv[1])
real = os.write
def write(descriptor, data):
    global left
    if not left:
        raise OSError(28, os.strerror(28))
    written = real(descriptor, bytes(data)[:left])
    left -= written
    return written
os.write = write
from infx.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
"""`infx` on a disk with so many bytes left."""


def bench_on(folder: Path, bytes_left: int, url: str) -> "subprocess.Popen[str]":
    folder.mkdir()
    flags = (*SMALL, "--concurrency", "2", "--seed", str(bytes_left))
    return subprocess.Popen(
        (sys.executable, "-c", FULL, str(bytes_left), "bench", url, *flags),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def size(tmp_path_factory) -> int:
    """Return how many bytes such a run writes, give or take the journal's compression."""
    folder = tmp_path_factory.mktemp("size") / "run"
    with truth_server(Script(ttft_s=0, itl_s=0)) as url:
        bench_on(folder, 1 << 30, url).communicate()
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_a_disk_that_fills_up_at_any_moment(infx, tmp_path, size):
    """One line names a file and the way out; what was written can be finished and verified."""
    shares = (0.02, 0.15, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
    with truth_server(Script(ttft_s=0.01, itl_s=0.001)) as url:
        children = [
            (tmp_path / f"at-{share}", bench_on(tmp_path / f"at-{share}", int(share * size), url))
            for share in shares
        ]
        ends = [(folder, *child.communicate(), child.returncode) for folder, child in children]
    files, begun = set(), 0
    for folder, _, err, code in ends:
        assert code == 3, err
        (line,) = [line for line in err.splitlines() if line.startswith("infx: ")]
        assert "No space left on device; free disk space, or choose another folder" in line
        assert anonymous(line).startswith("infx: runs/RUN")
        files.add(line.split(": ")[1].rsplit("/", 1)[-1])
        for entry in list_runs(folder / "runs"):
            begun += 1
            if entry.manifest.state == "running":
                assert infx("runs", "recover", entry.path).code == 0
            assert verify_run(entry.path) == ()
            assert open_run(entry.path).manifest.state in ("failed", "recovered")
    assert begun >= len(shares) - 1
    assert len(files) > 2, "the disk always filled up at the same file"


def test_a_disk_that_is_full_from_the_beginning(tmp_path):
    with truth_server(Script()) as url:
        child = bench_on(tmp_path / "full", 0, url)
        _, err = child.communicate()
    assert child.returncode == 3
    assert anonymous(err) == (
        "infx: runs/RUN/manifest.json: cannot write the file: No space left on device; "
        "free disk space, or choose another folder\n"
    )
    assert list((tmp_path / "full" / "runs").iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(tmp_path):
    """The measurement is not lost with it."""
    with truth_server(Script(ttft_s=0, itl_s=0)) as url, Path("/dev/full").open("w") as full:
        done = subprocess.run(
            (CONSOLE, "bench", url, *SMALL), stdout=full, stderr=subprocess.PIPE, cwd=tmp_path,
            check=False, text=True,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "infx: stdout: cannot write: No space left on device; the bundle is kept; print it again"
    )
    assert verify_run(only_run(tmp_path / "runs")) == ()


def test_a_reader_that_has_seen_enough(tmp_path):
    """As in `infx bench ... | head -1`."""
    read, write = os.pipe()
    os.close(read)
    with truth_server(Script(ttft_s=0, itl_s=0)) as url:
        done = subprocess.run(
            (CONSOLE, "bench", url, *SMALL), stdout=write, stderr=subprocess.PIPE, cwd=tmp_path,
            check=False, text=True,
        )  # fmt: skip
    os.close(write)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "concurrency 1: 10 ok"
    assert verify_run(only_run(tmp_path / "runs")) == ()
