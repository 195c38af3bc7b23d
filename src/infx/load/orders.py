"""What a crew and its shards say to each other: one JSON object a line, over a socket of theirs."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from infx.errors import Problem
from infx.load.progress import Progress
from infx.load.rules import Failures, Rules, Skipped
from infx.load.sender import Share
from infx.load.target import Stop
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase

LINE_LIMIT = 1 << 28
"""Bytes; above any line, as prompts are in the plan file and never sent."""


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a shard is told of a point. `head` and `frame` are bytes, written as latin-1.

    `plan` and `part` are the paths of the plan and of the shard's part of the journal. With `rules`
    the plan's session trees are played.
    """

    share: Share
    plan: str
    part: str
    url: str
    head: str
    frame: tuple[str, str, str]
    name: str
    concurrency: int
    keep_text: tuple[int, ...]
    rules: Rules | None = None
    kind: Literal["setup"] = "setup"


@dataclass(frozen=True, slots=True)
class Run:
    """Connect for these phases, say `Ready`, and wait for `Go`."""

    phases: tuple[Phase, ...]
    stop: Stop
    kind: Literal["run"] = "run"


@dataclass(frozen=True, slots=True)
class Go:
    """Begin the phases at this moment; a replay's turns come so much earlier, as `Start` says."""

    moment_ns: int
    early_ns: int = 0
    kind: Literal["go"] = "go"


@dataclass(frozen=True, slots=True)
class Skip:
    """Move all turns of a replay that wait earlier by so much: every shard is silent."""

    by_ns: int
    kind: Literal["skip"] = "skip"


@dataclass(frozen=True, slots=True)
class Halt:
    """Drain, or cancel, as `Driver` does."""

    word: Literal["drain", "cancel"]
    kind: Literal["halt"] = "halt"


@dataclass(frozen=True, slots=True)
class Ready:
    """The shard's lanes are connected. `first_ns` is how long a replay's first turn waits."""

    first_ns: int | None = None
    kind: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Going:
    """How the phase goes. A replay says how many failed so far, and why it stopped itself."""

    progress: Progress
    failures: Failures = field(default_factory=Failures)
    aborted: Problem | None = None
    kind: Literal["going"] = "going"


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing is in flight before `until_ns`, and no silence may last longer than `cap_ns`."""

    until_ns: int
    cap_ns: int
    kind: Literal["idle"] = "idle"


@dataclass(frozen=True, slots=True)
class Done:
    """The phases are over. `cpu_ns` is what they cost; the rest is what the load says of itself."""

    windows: tuple[PhaseWindow, ...]
    resets: int
    exhausted: bool
    gone: Problem | None
    cpu_ns: int
    tree_idle: Skipped = field(default_factory=Skipped)
    kind: Literal["done"] = "done"


@dataclass(frozen=True, slots=True)
class Failed:
    """The phases cannot go on, and why."""

    problems: tuple[Problem, ...]
    kind: Literal["failed"] = "failed"


Order = Setup | Run | Go | Skip | Halt
Report = Ready | Going | Idle | Done | Failed

_ORDER: TypeAdapter[Order] = TypeAdapter(Annotated[Order, Field(discriminator="kind")])
_REPORT: TypeAdapter[Report] = TypeAdapter(Annotated[Report, Field(discriminator="kind")])


def order_line(order: Order) -> bytes:
    """Return an order as it is sent."""
    return _ORDER.dump_json(order) + b"\n"


def report_line(report: Report) -> bytes:
    """Return a report as it is sent."""
    return _REPORT.dump_json(report) + b"\n"


async def orders(reader: asyncio.StreamReader) -> AsyncIterator[Order]:
    """Yield what a shard is told, until its crew is gone."""
    while text := await _line(reader):
        yield _ORDER.validate_json(text)


async def reports(reader: asyncio.StreamReader) -> AsyncIterator[Report]:
    """Yield what a shard tells, until it is gone."""
    while text := await _line(reader):
        yield _REPORT.validate_json(text)


async def _line(reader: asyncio.StreamReader) -> bytes:
    """Return the next line; nothing at the end, and for a line that a death cut off."""
    try:
        text = await reader.readline()
    except ConnectionError:
        return b""
    return text if text.endswith(b"\n") else b""
