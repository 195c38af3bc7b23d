"""What the clients are asked to carry, and the server that says what really happened."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from infx.servers.truth.log import Sent

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Load:
    """One load. Times are seconds; `rounds` is how many requests each stream asks.

    `script` is further words for the truth server.
    """

    streams: int
    ttft: float
    gap: float
    tokens: int
    events_per_write: int = 1
    prompt_bytes: int = 285
    rounds: int = 10
    tokens_per_chunk: int = 1
    script: tuple[str, ...] = ()

    @property
    def ideal_rate(self) -> float | None:
        """Requests a second when nothing is late, None for a server without a pace."""
        lasts = self.ttft + self.gap * (self.tokens - 1)
        return self.streams / lasts if lasts else None


LOADS = {
    "paced-256": Load(256, 0.05, 0.005, 200),
    "paced-1024": Load(1024, 0.05, 0.02, 200, rounds=3),
    "full-speed": Load(64, 0, 0, 512, events_per_write=16, rounds=40),
    "long-prompts": Load(64, 0.05, 0.005, 100, prompt_bytes=256 * 1024, rounds=5),
}
"""51,000 events a second twice; as fast as the server can; and prompts of 256 KiB (T1)."""

SMOKE = "smoke"
"""Eight streams for a second or two: whether a client runs and its report is read, no figures."""
LOADS[SMOKE] = Load(8, 0.05, 0.005, 40, rounds=4)
MEASURED = tuple(name for name in LOADS if name != SMOKE)


@dataclass(frozen=True)
class Truth:
    """A running truth server: where it listens, and the log that it writes."""

    port: int
    log: Path

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://{HOST}:{self.port}"

    def size(self) -> int:
        """Return how long the log is now."""
        return self.log.stat().st_size if self.log.exists() else 0

    def since(self, start: int) -> list[Sent]:
        """Return what ended since the log was that long: streamed requests, and refused ones."""
        with self.log.open("rb") as file:
            file.seek(start)
            rows = [Sent(**orjson.loads(line)) for line in file]
        return [row for row in rows if row.stream is not False]


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Start what the block starts on one core only, where there are several."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, {cores[number]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def truth_server(load: Load, folder: Path) -> Iterator[Truth]:
    """Serve a load's script on the first core while the block runs."""
    log = folder / "truth.jsonl"
    argv = [
        sys.executable, "-m", "infx.servers.truth", "--host", HOST, "--port", "0",
        "--log", str(log), "--ttft", str(load.ttft), "--itl", str(load.gap),
        "--events-per-write", str(load.events_per_write),
        "--tokens-per-chunk", str(load.tokens_per_chunk), *load.script,
    ]  # fmt: skip
    with on_core(0):
        process = subprocess.Popen(argv, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        yield Truth(int(line.rsplit(":", 1)[1]), log)
    finally:
        process.kill()
        process.communicate()
