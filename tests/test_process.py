"""What infx starts is told everything, is always reaped, and never outlives infx."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from infx import process
from infx.errors import MachineError
from infx.process import Command, ending, exchange, run, start, start_worker

FOR_EVER = "import time; time.sleep(600)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True)"


def python(code: str, *more: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *more)


def lines_of(fifo: Path, command: Command, count: int) -> tuple[process.Child, int, list[str]]:
    """Start a command whose log is a FIFO and read its first lines; return the reader too."""
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    child = start(command)
    return child, reader, read_lines(reader, count)


def read_lines(reader: int, count: int) -> list[str]:
    text = b""
    while text.count(b"\n") < count:
        ready, _, _ = select.select([reader], [], [], 20)
        assert ready, f"only {text!r} within 20 s"
        text += os.read(reader, 4096)
    return text.decode().split()


def assert_all_writers_are_gone(reader: int) -> None:
    """A FIFO ends once no process of any kind holds its writing end."""
    ready, _, _ = select.select([reader], [], [], 20)
    assert ready, "a process still holds the log"
    assert os.read(reader, 4096) == b""


def test_a_command_gets_the_given_environment_and_nothing_of_ours(monkeypatch):
    monkeypatch.setenv("INFX_OF_THE_PARENT", "1")
    show = "import os; print(sorted(k for k in os.environ if k != 'LC_CTYPE'))"
    done = run(Command(python(show), {"ONLY": "this"}), timeout_s=20)
    assert (done.code, done.stdout, done.stderr) == (0, b"['ONLY']\n", "")


def test_bytes_go_in_and_come_out_as_they_are():
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read() * 3)"
    given = bytes(range(256)) * 4096
    done = exchange(Command(python(code), {}), given, timeout_s=20)
    assert (done.code, done.stdout == given * 3, done.stderr) == (0, True, "")


def test_an_exchange_that_cannot_start_or_takes_too_long_is_an_error():
    with pytest.raises(MachineError, match=r"cannot start /no/such: .*; is it installed"):
        exchange(Command(("/no/such",), {}), b"", timeout_s=20)
    with pytest.raises(MachineError, match=r"did not end within 0\.1 s and was killed"):
        exchange(Command(python(FOR_EVER), {}), b"", timeout_s=0.1)


def test_a_command_keeps_its_outputs_and_exit_code_apart(tmp_path):
    code = "import sys, os; print(os.getcwd()); print('no', file=sys.stderr); sys.exit(7)"
    done = run(Command(python(code), {}, cwd=tmp_path), timeout_s=20)
    assert (done.code, done.stdout, done.stderr) == (7, f"{tmp_path.resolve()}\n".encode(), "no\n")


def test_no_shell_reads_the_words():
    done = run(Command(python("import sys; print(sys.argv[1])", "$HOME; `id` *"), {}), timeout_s=20)
    assert done.stdout == b"$HOME; `id` *\n"


def test_a_command_over_its_time_is_killed_and_said_so():
    with pytest.raises(MachineError, match=r"did not end within 0\.2 s and was killed"):
        run(Command(python(FOR_EVER), {}), timeout_s=0.2)


@pytest.mark.parametrize(
    ("argv", "cwd", "says"),
    [
        (("/nowhere/llama",), None, r"cannot start /nowhere/llama: No such file"),
        (("/etc/passwd",), None, r"cannot start /etc/passwd: Permission denied"),
        ((sys.executable,), Path("/nowhere"), r"/nowhere: cannot start"),
    ],
)
def test_what_cannot_start_is_one_clear_line(argv, cwd, says):
    with pytest.raises(MachineError, match=says):
        start(Command(argv, {}, cwd=cwd))


def test_an_unwritable_log_is_named(tmp_path):
    with pytest.raises(MachineError, match=r"no/such\.log: cannot write the log"):
        start(Command(python("pass"), {}, log=tmp_path / "no" / "such.log"))


def test_both_outputs_are_appended_to_the_log(tmp_path):
    log = tmp_path / "x.log"
    log.write_text("before\n")
    code = "import sys; print('out', flush=True); print('err', file=sys.stderr)"
    child = start(Command(python(code), {}, log=log))
    child._process.wait(20)
    assert child.poll() == 0
    assert log.read_text() == "before\nout\nerr\n"


def test_stop_sends_sigterm_first_and_reaps():
    child = start(Command(python(FOR_EVER), {}))
    assert child.poll() is None
    assert child.stop(20) == -signal.SIGTERM
    assert child.stop(20) == child.poll() == -signal.SIGTERM
    with pytest.raises(ChildProcessError):
        os.waitpid(child.pid, 0)
    with pytest.raises(ChildProcessError):
        os.waitpid(child._watcher.pid, 0)


def test_a_process_that_ignores_sigterm_is_killed_after_its_grace(tmp_path):
    command = Command(python(f"{DEAF}; {FOR_EVER}"), {}, log=tmp_path / "fifo")
    child, reader, _ = lines_of(tmp_path / "fifo", command, 1)
    assert child.stop(0.1) == -signal.SIGKILL
    assert_all_writers_are_gone(reader)
    os.close(reader)


FAMILY = f"""
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {f"{DEAF}; {FOR_EVER}"!r}])
"""


def test_stop_ends_grandchildren_too(tmp_path):
    command = Command(python(FAMILY + "time.sleep(600)"), {}, log=tmp_path / "fifo")
    child, reader, _ = lines_of(tmp_path / "fifo", command, 1)
    child.stop(20)
    assert_all_writers_are_gone(reader)
    os.close(reader)


def test_a_leader_that_ends_by_itself_takes_its_group_along(tmp_path):
    command = Command(python(FAMILY + "os._exit(5)"), {}, log=tmp_path / "fifo")
    child, reader, _ = lines_of(tmp_path / "fifo", command, 1)
    child._process.wait(20)
    assert child.poll() == 5
    assert_all_writers_are_gone(reader)
    os.close(reader)


PARENT = f"""
import sys, time
from pathlib import Path
from infx.process import Command, start
start(Command((sys.executable, "-c", {FAMILY + "time.sleep(600)"!r}), {{}}, log=Path(sys.argv[1])))
print("started", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("guards", ["both", "only the watcher"])
def test_kill_9_of_infx_leaves_no_process(tmp_path, guards):
    """The watcher alone must do where the kernel does not tie a child to its parent (macOS)."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    alone = "import infx.process as p; p.die_with_parent = lambda: None\n"
    code = PARENT if guards == "both" else alone + PARENT
    with subprocess.Popen(python(code, str(fifo)), stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"started\n"
        assert read_lines(reader, 1) == ["on"]
        parent.kill()
    assert_all_writers_are_gone(reader)
    os.close(reader)


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_a_child_whose_parent_is_already_gone_never_runs(monkeypatch, tmp_path):
    log = tmp_path / "x.log"
    monkeypatch.setattr(process.os, "getpid", lambda: 1)
    child = start(Command(python("print('ran')"), {}, log=log))
    child._process.wait(20)
    assert child.poll() == 1
    assert log.read_text() == ""


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "exit code 0"), (137, "exit code 137"), (-11, "killed by SIGSEGV")],
)
def test_an_ending_is_put_in_words(code, words):
    assert ending(code) == words


def test_a_worker_is_told_over_its_channel_and_ends_with_it(monkeypatch, tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit('a stranger')")
    monkeypatch.chdir(tmp_path)
    worker = start_worker("json.tool")
    worker.channel.sendall(b"[1]")
    worker.leave()
    assert worker.end(20) == "exit code 0: ]"
    assert worker.end(20) == "exit code 0: ]"
    with pytest.raises(ChildProcessError):
        os.waitpid(worker.pid, 0)


def test_the_last_word_of_a_worker_that_fails_is_heard():
    worker = start_worker("json.tool")
    worker.channel.sendall(b"[")
    worker.leave()
    assert worker.end(20) == "exit code 1: Expecting value: line 1 column 2 (char 1)"


def test_a_worker_that_does_not_leave_is_killed():
    worker = start_worker("json.tool")
    assert worker.end(0.1) == "killed by SIGKILL"


def test_a_worker_that_cannot_start_is_one_clear_line(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(MachineError, match="cannot start /nowhere/python: No such file"):
        start_worker("json.tool")
