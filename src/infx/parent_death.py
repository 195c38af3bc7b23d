"""Ties a forked child to its parent: on Linux the kernel kills the one once the other is dead."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> Callable[[], None] | None:
    """Return what the forked child runs before exec, None where the kernel knows no such tie.

    Everything that it needs is looked up before the fork.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def arm() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # The signal is only sent for deaths after the call: the parent may be gone already.
        if os.getppid() != parent:
            os._exit(1)

    return arm
