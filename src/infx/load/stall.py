"""When a server that answers no more is given up."""

from infx.clock import NS
from infx.errors import Problem


def stalled(limit_ns: int | None, silent_ns: int, *, in_flight: int) -> Problem | None:
    """Say that the server is gone where requests are open and none has ended for the limit."""
    if limit_ns is None or not in_flight or silent_ns < limit_ns:
        return None
    what = f"no request has ended for {limit_ns / NS:g} s, with {in_flight} open"
    return Problem(what, None, "the server's log says why; the bundle is kept")
