"""Data goes to standard output, talk to standard error."""

import os
import sys

from infx.errors import MachineError, Problem


def put(text: str) -> None:
    """Print data, and hand it to the kernel at once.

    Raises BrokenPipeError when nobody reads any more, MachineError when it cannot be written.
    """
    try:
        print(text, flush=True)
    except BrokenPipeError:
        discard()
        raise
    except OSError as error:
        discard()
        what = f"cannot write: {error.strerror}"
        raise MachineError(Problem(what, "stdout", "the bundle is kept; print it again")) from None


def discard() -> None:
    """Send what is still buffered nowhere, so that the interpreter's end cannot fail on it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say(line: object) -> None:
    """Say what is wrong on stderr, without what a terminal would obey: it may quote a server."""
    shown = "".join(c if c.isprintable() or c == "\n" else "�" for c in str(line))
    print(f"infx: {shown}", file=sys.stderr)
