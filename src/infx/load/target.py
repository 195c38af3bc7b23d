"""Where a plan's requests go, and when a phase of them ends."""

from dataclasses import dataclass

from infx.clock import NS
from infx.load.lane import Manner
from infx.load.plan import Plan
from infx.model.record import Issue
from infx.wire.address import Address, Dial


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go, and all of their bytes that do not depend on the turn.

    `head` is the request line and headers without Content-Length; `frame` what stands around the
    token limit and the prompt in the body. `name` prefixes the X-Request-ID of each request.
    """

    address: Address
    dial: Dial
    head: bytes
    frame: tuple[bytes, bytes, bytes]
    name: str

    def payload(self, plan: Plan, issue: Issue, number: int, manner: Manner | None) -> bytes:
        """Return one whole request, ready for one write.

        `manner` adds header lines, each with its line end, and the marker's JSON text.
        """
        opening, middle, closing = self.frame
        pieces = (
            plan.prompt(number, manner.marker, manner.answers) if manner else plan.prompt(number)
        )
        if fields := plan.fields(number):
            pieces += (memoryview(closing[:-1]), *fields)
            closing = closing[-1:]
        limit = b"%d" % issue.asked_output
        size = sum(map(len, pieces)) + len(limit) + len(opening) + len(middle) + len(closing)
        ids = b"X-Request-ID: %b-%d\r\n" % (self.name.encode(), issue.request)
        more = manner.headers if manner else b""
        length = b"Content-Length: %d\r\n\r\n" % size
        return b"".join((self.head, ids, more, length, opening, limit, middle, *pieces, closing))


@dataclass(frozen=True, slots=True)
class Stop:
    """When a phase ends: after all its sessions, or after `duration_ns`; then `grace_ns` to drain.

    Without a duration there is no grace: every request is waited for, unless the run is stopped.
    Lanes begin evenly spread over `ramp_ns`. A request that has not ended `request_limit_ns` after
    it was sent is given up as an error. When requests are in flight and none has ended for
    `stall_ns`, the server is taken to be gone.
    """

    duration_ns: int | None = None
    grace_ns: int = 30 * NS
    ramp_ns: int = 0
    request_limit_ns: int | None = None
    stall_ns: int | None = None
