"""The only place that starts processes.

What is started leads a process group of its own and does not outlive infx. Two guards see to it,
also when infx is killed with SIGKILL: on Linux the kernel kills the leader with its parent, and on
every POSIX system a small watcher, which holds the reading end of a pipe, kills the whole group
once the pipe's other end is gone. A process that leaves its group (a daemon) is out of reach.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from infx.errors import MachineError, Problem
from infx.parent_death import die_with_parent

_WATCHER = """
import os, sys
sys.stdin.buffer.read()
try:
    os.killpg(int(sys.argv[1]), 9)
except OSError:
    pass
"""


@dataclass(frozen=True, slots=True)
class Command:
    """What to start: argv (never a shell line) and the whole environment, of which none is ours.

    Output of both kinds is appended to the file `log`; without one it is discarded. Only where the
    environment is None is it our own.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] | None
    cwd: Path | None = None
    log: Path | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """How a short command ended, and what it wrote: bytes, and what it said of faults as text."""

    code: int
    stdout: bytes
    stderr: str


def ending(code: int) -> str:
    """Say how a process ended: its exit code, or the name of the signal that killed it.

    >>> ending(3), ending(-9)
    ('exit code 3', 'killed by SIGKILL')
    """
    if code >= 0:
        return f"exit code {code}"
    known = {int(one): one.name for one in signal.Signals}
    return f"killed by {known.get(-code, f'signal {-code}')}"


class Child:
    """A started process and its group."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", watcher: "subprocess.Popen[bytes]"
    ) -> None:
        self._process = process
        self._watcher = watcher
        self._finished = False
        self._asked_to_stop = False

    @property
    def pid(self) -> int:
        """The process id of the leader, which is also the id of its group."""
        return self._process.pid

    def poll(self) -> int | None:
        """Return the leader's exit code (negative: minus the signal), or None while it runs.

        Once the leader has ended, the rest of its group is killed.
        """
        code = self._process.poll()
        if code is not None:
            self._finish()
        return code

    def terminate(self) -> None:
        """Send SIGTERM to the group, once; do not wait."""
        if not self._asked_to_stop and self.poll() is None:
            self._asked_to_stop = True
            self._signal(signal.SIGTERM)

    def stop(self, grace_s: float) -> int:
        """End the group: SIGTERM, after `grace_s` SIGKILL. Blocks; return the leader's exit code.

        Returns at once when everything has ended before.
        """
        self.terminate()
        return self.wait(grace_s)

    def wait(self, grace_s: float) -> int:
        """Let the leader end by itself, and kill the group after `grace_s`. Blocks; as `stop`."""
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(grace_s)
        finally:
            self._finish()
        return self._process.returncode

    def communicate(self, timeout_s: float) -> tuple[bytes, bytes]:
        """Read both outputs to their ends and wait; raise TimeoutError after `timeout_s`."""
        try:
            output, errors = self._process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            self._finish()
        return output, errors

    def _finish(self) -> None:
        if self._finished:
            return
        self._signal(signal.SIGKILL)
        with self._process:
            pass  # leaving closes its pipes and reaps it
        self._finished = True
        self._watcher.kill()
        self._watcher.communicate()

    def _signal(self, number: signal.Signals) -> None:
        # macOS answers EPERM for a group of which only zombies are left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


class Worker:
    """A child Python that runs a module of ours; `channel` is our end of the socket to it."""

    def __init__(self, child: Child, channel: socket.socket, errors: BinaryIO) -> None:
        self._child = child
        self._errors = errors
        self._end = ""
        self.channel = channel

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    def leave(self) -> None:
        """Shut our end of the channel, which tells the worker to end; do not wait."""
        with contextlib.suppress(OSError):  # its own end may be closed already
            self.channel.shutdown(socket.SHUT_RDWR)

    def end(self, grace_s: float) -> str:
        """Wait until it ends, kill it after `grace_s`, and say how it ended and its last word.

        Blocks; call `leave` before.
        """
        code = self._child.wait(grace_s)
        if not self._errors.closed:
            with self._errors:
                self._errors.seek(0)
                lines = self._errors.read().decode(errors="replace").split("\n")
            last = next((f": {line}" for line in reversed(lines) if line.strip()), "")
            self._end = f"{ending(code)}{last}"
        return self._end


def start_worker(module: str) -> Worker:
    """Start `python -m module` with our environment and a socket as its standard input.

    What it is to do, secrets too, goes through the socket: argv and environment can be read by
    others. Raises MachineError; the thread must live as long, as for `start`.
    """
    # -P: a module in the working directory is never taken for one of ours.
    command = Command((sys.executable, "-P", "-m", module), None)
    with contextlib.ExitStack() as opened:
        try:
            ours, its = map(opened.enter_context, socket.socketpair())
            errors = opened.enter_context(tempfile.TemporaryFile())
        except OSError as error:
            raise MachineError(f"cannot start another process: {error.strerror}") from None
        child = _spawn(command, stdin=its.fileno(), stdout=errors, stderr=errors)
        opened.pop_all()
    its.close()
    return Worker(child, ours, errors)


def start(command: Command) -> Child:
    """Start a process in a session of its own; raise MachineError when that fails.

    Call it from a thread that lives as long as the child: Linux ties the child to that thread.
    """
    if command.log is None:
        return _spawn(command)
    try:
        with command.log.open("ab") as log:
            return _spawn(command, stdout=log, stderr=subprocess.STDOUT)
    except OSError as error:
        what = f"cannot write the log of {command.argv[0]}: {error.strerror}"
        raise MachineError(Problem(what, str(command.log))) from None


def run(command: Command, *, timeout_s: float) -> Completed:
    """Run a short command to its end; raise MachineError if it cannot start or takes too long."""
    child = _spawn(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = child.communicate(timeout_s)
    except TimeoutError:
        raise _too_slow(command, timeout_s) from None
    return Completed(child.stop(0), output, errors.decode(errors="replace"))


def exchange(command: Command, given: bytes, *, timeout_s: float) -> Completed:
    """Run a short filter with `given` as its standard input.

    Nothing guards it, which spares it a fork and a watcher: a filter ends with its pipes.
    Raises MachineError as `run` does.
    """
    try:
        done = subprocess.run(
            command.argv,
            input=given,
            capture_output=True,
            check=False,
            cwd=command.cwd,
            env=command.environment,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired:
        raise _too_slow(command, timeout_s) from None
    except OSError as error:
        raise _cannot_start(command, error) from None
    return Completed(done.returncode, done.stdout, done.stderr.decode(errors="replace"))


def _too_slow(command: Command, timeout_s: float) -> MachineError:
    return MachineError(f"{command.argv[0]} did not end within {timeout_s:g} s and was killed")


def _cannot_start(command: Command, error: OSError) -> MachineError:
    what = f"cannot start {command.argv[0]}: {error.strerror}"
    where = str(command.cwd) if command.cwd and not command.cwd.is_dir() else None
    return MachineError(Problem(what, where, "is it installed, and is its path right?"))


def _spawn(
    command: Command,
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int | BinaryIO = subprocess.DEVNULL,
    stderr: int | BinaryIO = subprocess.DEVNULL,
) -> Child:
    environment = None if command.environment is None else dict(command.environment)
    try:
        process = subprocess.Popen(
            command.argv,
            env=environment,
            cwd=command.cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 - two system calls, looked up before
        )
    except OSError as error:
        raise _cannot_start(command, error) from None
    try:
        return Child(process, _watch(process.pid, environment))
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise


def _watch(group: int, environment: dict[str, str] | None) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            (sys.executable, "-I", "-S", "-c", _WATCHER, str(group)),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        what = f"cannot start a second Python that watches over process group {group}"
        raise MachineError(Problem(f"{what}: {error.strerror}", sys.executable)) from None
