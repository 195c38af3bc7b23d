"""What reached the kernel before a crash is whole, and nothing is counted that was not seen."""

import errno
import os
import subprocess
import sys
from types import MappingProxyType

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.errors import InputError, MachineError
from infx.model.record import EndState, RequestRecord
from infx.store import journal
from infx.store.journal import Journal, Recovered, read, records, recover
from journaled import ending, endings, issue, issues


@pytest.fixture
def path(tmp_path):
    return tmp_path / "requests.jsonl.zst"


@settings(deadline=None)
@given(data=st.data())
def test_records_read_back_as_they_were(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("journal") / "requests.jsonl.zst"
    written = []
    with Journal(path) as log:
        for number in range(data.draw(st.integers(0, 6))):
            began = data.draw(issues(number))
            log.issue(began)
            if data.draw(st.booleans()):
                log.flush()
            ended = data.draw(endings(began))
            log.end(ended)
            written += [began, ended]
    assert list(read(path)) == written
    assert records(path) == tuple(v for v in written if isinstance(v, RequestRecord))


def test_lines_are_json_that_any_zstd_tool_shows(path):
    with Journal(path) as log:
        log.issue(issue(0))
        log.end(ending(issue(0), server=MappingProxyType({"predicted_ms": 1.5})))
    with zstandard.open(path, "rt") as lines:
        first, second = lines.read().splitlines()
    assert first == (
        '{"issue":{"request":0,"session":0,"turn":0,"lane":0,"phase":"profiling",'
        '"due_ns":1000,"sent_ns":1000,"asked_input":1024,"asked_output":16,"play":0}}'
    )
    assert second.startswith('{"end":{"request":0,')
    assert '"state":"ok"' in second
    assert '"server":{"predicted_ms":1.5}' in second


def test_only_a_flush_writes_and_each_flush_is_one_frame(path):
    log = Journal(path)
    log.issue(issue(0))
    assert path.stat().st_size == 0
    log.flush()
    first = path.read_bytes()
    log.flush()
    assert path.read_bytes() == first
    log.issue(issue(1))
    log.flush()
    assert path.read_bytes()[:4] == path.read_bytes()[len(first) :][:4] == b"\x28\xb5\x2f\xfd"
    assert [value.request for value in read(path)] == [0, 1]
    log.close()
    log.close()


def test_much_at_once_becomes_several_frames(path, monkeypatch):
    monkeypatch.setattr(journal, "_FRAME_CONTENT", 300)  # a line has about 130 bytes
    with Journal(path) as log:
        for number in range(10):
            log.issue(issue(number))
    assert path.read_bytes().count(b"\x28\xb5\x2f\xfd") == 4
    assert [value.request for value in read(path)] == list(range(10))


def test_a_part_is_a_frame_and_tells_whether_more_waits(path, monkeypatch):
    monkeypatch.setattr(journal, "_PART", 300)
    with Journal(path) as log:
        assert log.flush_part() is False
        for number in range(7):
            log.issue(issue(number))
        assert [log.flush_part() for _ in range(3)] == [True, True, False]
        assert [value.request for value in read(path)] == list(range(7))


def test_a_journal_is_taken_up_where_it_ended(path):
    with Journal(path) as log:
        log.issue(issue(0))
    with Journal(path) as log:
        log.end(ending(issue(0)))
    assert [record.state for record in records(path)] == [EndState.OK]


def test_a_torn_journal_is_not_written_on(path):
    with Journal(path) as log:
        log.issue(issue(0))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="infx runs recover"):
        Journal(path)


def test_an_issue_without_an_end_is_lost_because_the_client_died(path):
    with Journal(path) as log:
        log.issue(issue(1))
        log.issue(issue(0))
        log.end(ending(issue(1), EndState.ERROR, reason="refused"))
    first, second = records(path)
    assert (first.request, first.state, first.reason, first.end_ns) == (
        0,
        EndState.LOST,
        "client-died",
        None,
    )
    assert (first.sent_ns, first.asked_input) == (1000, 1024)
    assert (second.request, second.state) == (1, EndState.ERROR)


def fill(path, frames=3):
    """Write `frames` frames of an issue and the end of the one before; return where each ends."""
    ends = [0]
    log = Journal(path)
    for number in range(frames):
        log.issue(issue(number))
        if number:
            log.end(ending(issue(number - 1)))
        log.flush()
        ends.append(path.stat().st_size)
    log.close()
    return ends


def test_killed_at_every_byte_no_whole_frame_is_lost_and_the_counts_sum(path):
    ends = fill(path)
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = max(end for end in ends if end <= cut)
        issued = ends.index(kept)
        if cut != kept:
            with pytest.raises(InputError, match=f"not whole after byte {kept}"):
                records(path)
        assert len(records(path, tolerate_torn=True)) == issued
        lost = 1 if issued else 0
        assert recover(path) == Recovered(kept=kept, dropped=cut - kept, lost=lost)
        assert path.read_bytes()[:kept] == whole[:kept]
        states = [record.state for record in records(path)]
        assert states == [EndState.OK] * (issued - lost) + [EndState.LOST] * lost
        ended = {value.request for value in read(path) if isinstance(value, RequestRecord)}
        assert ended == set(range(issued))
        again = path.read_bytes()
        assert recover(path) == Recovered(kept=len(again), dropped=0, lost=0)
        assert path.read_bytes() == again


def test_garbage_after_the_last_frame_is_a_torn_tail_too(path):
    end = fill(path)[-1]
    with path.open("ab") as file:
        file.write(b"\0" * 4096)
    assert recover(path) == Recovered(kept=end, dropped=4096, lost=1)
    assert len(records(path)) == 3


def test_a_flipped_bit_anywhere_never_changes_a_record_nor_is_cut_away_with_what_follows(path):
    ends = fill(path)
    whole, good = path.read_bytes(), records(path)
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        try:
            # A few bits of a frame mean nothing; the bundle's sha256 sees those.
            assert records(path) == good
            continue
        except InputError:
            pass
        if position < ends[-2]:
            with pytest.raises(InputError, match="restore the file from a copy"):
                recover(path)
            assert path.read_bytes() == damaged


def test_a_killed_process_leaves_all_it_flushed(path, tmp_path):
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from infx.store.journal import Journal; from infx.model.record import Issue, Phase\n"
        "log = Journal(Path(sys.argv[1]))\n"
        "for n in range(3):\n"
        "    log.issue(Issue(n, 0, 0, 0, Phase.PROFILING, 1, 1, None, 1)); log.flush()\n"
        "log.issue(Issue(3, 0, 0, 0, Phase.PROFILING, 1, 1, None, 1))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, path], check=False)
    assert done.returncode == -9
    assert recover(path).lost == 3
    assert [record.state for record in records(path)] == [EndState.LOST] * 3


def full_after(monkeypatch, allowed):
    """Let the disk take `allowed` bytes, then no more; return a function that frees it."""
    real, left = os.write, [allowed]

    def write(descriptor, data):
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = bytes(data[: left[0]])
        left[0] -= len(part)
        return real(descriptor, part)

    monkeypatch.setattr(os, "write", write)
    return lambda: left.__setitem__(0, 1 << 30)


@pytest.mark.parametrize("allowed", [0, 1, 50])
def test_a_full_disk_is_said_and_what_was_whole_stays(path, monkeypatch, allowed):
    log = Journal(path)
    log.issue(issue(0))
    log.flush()
    size = path.stat().st_size
    free = full_after(monkeypatch, allowed)
    log.issue(issue(1))
    with pytest.raises(MachineError) as caught:
        log.flush()
    assert str(caught.value) == (
        f"{path}: cannot write the journal: No space left on device; "
        "free disk space, or choose another folder"
    )
    assert path.stat().st_size == size
    assert [value.request for value in read(path)] == [0]
    free()
    log.close()
    assert [value.request for value in read(path)] == [0, 1]


def test_closing_on_a_full_disk_says_so_and_closes(path, monkeypatch):
    log = Journal(path)
    log.issue(issue(0))
    full_after(monkeypatch, 0)
    with pytest.raises(MachineError, match="No space left"):
        log.close()
    log.close()
    assert path.stat().st_size == 0


def test_slow_kernels_that_take_a_part_at_a_time_get_it_all(path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data[:7])))
    with Journal(path) as log:
        log.issue(issue(0))
    assert [value.request for value in read(path)] == [0]


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(MachineError, match="cannot open the journal: No such file"):
        Journal(tmp_path / "no" / "requests.jsonl.zst")
    with pytest.raises(InputError, match="the journal cannot be read: No such file"):
        records(tmp_path / "no.zst")
