"""What the server writes about each request: the moments at which it really sent.

All moments are nanoseconds of the host's monotonic clock, so a client on the same host can
compare its own. A write is stamped just before it is handed to the transport, which passes it to
the kernel at once: no reader can have seen it earlier.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

from infx.errors import MachineError, Problem

End = Literal["completed", "client-closed", "server-closed", "refused"]


@dataclass(frozen=True, slots=True)
class Sent:
    """One generation request from arrival to end.

    `request_id` is the X-Request-ID header. `received_ns` is the read that completed the request,
    `admitted_ns` when it left the queue. `writes` holds moment and tokens of each write of the
    answer (a role-only chunk, and usage with `[DONE]`, are writes of 0 tokens; the tokens of an
    event that leaves in pieces stand with the piece that ends its data). `first_token_ns` and
    `last_token_ns` are when tokens came into being: in a stream just before they are written,
    otherwise before the only write.
    `stalls` counts how often the client's socket would not take a write whole: later moments of
    that answer are when it was handed over, not when it left. `faults` are those of the script that
    struck the request. Absent figures are null.
    """

    request_id: str | None
    api: str
    stream: bool | None
    status: int
    end: End
    received_ns: int
    ended_ns: int
    admitted_ns: int | None = None
    first_token_ns: int | None = None
    last_token_ns: int | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    asked_tokens: int | None = None
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    stalls: int = 0
    writes: tuple[tuple[int, int], ...] = ()
    faults: tuple[str, ...] = ()


class LogFile:
    """Appends one JSON line for each ended request; a line is in the kernel when the call returns.

    Raises MachineError when the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            remedy = "name a file in a folder that can be written"
            what = f"the log cannot be opened: {error.strerror}"
            raise MachineError(Problem(what, str(path), remedy)) from error

    def __call__(self, sent: Sent) -> None:
        """Write one line."""
        self._file.write(orjson.dumps(sent, option=orjson.OPT_APPEND_NEWLINE))

    def close(self) -> None:
        """Close the file."""
        self._file.close()
