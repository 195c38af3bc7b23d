"""A server that a run starts for itself."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from infx.errors import Problem


class Server(Protocol):
    """A server that the flow started itself, and the log of each of its processes."""

    @property
    def logs(self) -> Mapping[str, Path]:
        """The log file of each process by its name."""

    def died(self) -> Problem | None:
        """Say how it ended, or None while it runs."""


@dataclass(frozen=True, slots=True)
class Serving:
    """How a run gets its own server.

    `start` starts one that logs into the given folder, and stops it on leaving; `observe` reads out
    of a log what the server says it runs.
    """

    start: Callable[[Path], AbstractAsyncContextManager[Server]]
    observe: Callable[[str], Mapping[str, JsonValue]]
