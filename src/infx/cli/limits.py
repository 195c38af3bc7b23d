"""How many connections this process may hold."""

import contextlib
import resource

from infx.errors import InputError, Problem

RESERVE = 48
"""Open files beside the lanes' connections: the bundle, its journal, the loop, the streams."""


def raise_open_files() -> int:
    """Raise the limit of open files as far as the host lets us, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses its own hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return soft if soft != resource.RLIM_INFINITY else 1 << 30


def require_connections(lanes: int, *, open_loop: bool = False) -> None:
    """Raise InputError when so many connections cannot be open at the same time."""
    limit = raise_open_files()
    if lanes <= limit - RESERVE:
        return
    if open_loop:
        what = f"{lanes} requests in flight need more open files than the {limit} that are allowed"
        remedy = f"use {limit - RESERVE}, or raise the hard limit: ulimit -Hn"
        raise InputError(Problem(what, "--max-in-flight", remedy))
    what = f"concurrency {lanes} needs more open files than the {limit} that are allowed"
    raise InputError(Problem(what, "--concurrency", "raise the hard limit: ulimit -Hn"))
