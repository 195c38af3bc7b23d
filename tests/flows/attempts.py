"""A check that tries all that a judge may not, and finds what it was let do."""

import os
from pathlib import Path

from infx.model.verdict import Finding

NEEDS = ()


def _socket():
    import socket

    socket.socket().close()


def _resolve():
    import socket

    socket.getaddrinfo("localhost", 1)


def _listen():
    import asyncio

    asyncio.run(asyncio.start_server(print, "127.0.0.1", 0))


def _subprocess():
    import subprocess

    subprocess.run(["true"], check=True)


def _system():
    os.system("true")


def _fork():
    if os.fork() == 0:
        os._exit(0)


def _spawn():
    os.posix_spawn("/bin/true", ["true"], {})


def _execute():
    os.execv("/nowhere/true", ["true"])


def _kill():
    os.kill(os.getpid(), 0)


def _foreign_code():
    import ctypes

    ctypes.CDLL(None)


def _write():
    Path("a.txt").write_text("x")


def _append():
    Path("/dev/null").open("a").close()


def _update():
    Path("/dev/null").open("r+").close()


def _create():
    os.close(os.open("b.txt", os.O_RDONLY | os.O_CREAT))


def _folder():
    Path("c").mkdir()


def _remove():
    Path("nothing").unlink()


def _rename():
    Path("nothing").rename("else")


def _link():
    Path("d").symlink_to("nothing")


def _mode():
    Path().chmod(0o755)


def _truncate():
    os.truncate("nothing", 0)


def _database():
    import sqlite3

    sqlite3.connect("e.db").close()


TRIED = {
    name.removeprefix("_"): function
    for name, function in list(globals().items())
    if name.startswith("_") and not name.startswith("__")
}


def check(submission, context):
    for name, attempt in TRIED.items():
        try:
            attempt()
        except PermissionError as error:
            yield Finding(status="PASS", message=f"{name}: {error}")
        except OSError as error:
            yield Finding(status="FAIL", message=f"{name}: let, and {type(error).__name__}")
        else:
            yield Finding(status="FAIL", message=f"{name}: let")
    yield Finding(status="N/A", message=",".join(sorted(os.environ)))
