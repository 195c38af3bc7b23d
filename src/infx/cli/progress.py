"""The live line of a run, on stderr: what is done, what goes, what remains."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from infx.load.progress import Progress

if TYPE_CHECKING:
    from infx.model.result import PointSummary

_QUIET_S = 10.0
_CLEAR = "\r\x1b[2K"


class ProgressLine:
    """Draws one line again and again on a terminal; elsewhere says a line every ten seconds."""

    def __init__(self, now: Callable[[], float], stream: TextIO | None = None) -> None:
        self._now = now
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._drawn = False
        self._said_at = now()
        self._points: list[PointSummary] = []

    def talk(self, text: str) -> None:
        """Say a line of its own."""
        self._clear()
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def progress(self, state: Progress) -> None:
        """Show how the phase stands."""
        line = describe(state)
        if self._live:
            self._stream.write(f"{_CLEAR}{line}")
            self._stream.flush()
            self._drawn = True
        elif self._now() - self._said_at >= _QUIET_S:
            self._said_at = self._now()
            self.talk(line)

    def point(self, summary: "PointSummary") -> None:
        """Say that a point is done, and what tells it apart from those before it."""
        from infx.report.names import Names  # before the first request nothing needs it

        self._points.append(summary)
        counts = summary.ends
        failed = f", {counts.issued - counts.ok} not ok" if counts.ok < counts.issued else ""
        self.talk(f"{Names(self._points).place(summary)}: {counts.ok} ok{failed}")

    def _clear(self) -> None:
        if self._drawn:
            self._stream.write(_CLEAR)
            self._drawn = False


def _load(of: Progress) -> str:
    return f"concurrency {of.concurrency}" if of.rate is None else f"rate {of.rate:g}/s"


def describe(state: Progress) -> str:
    """Return one line that says how a phase stands."""
    total = f"/{state.total}" if state.total is not None else ""
    parts = [
        f"{_load(state)} {state.phase}",
        f"{state.done}{total} done",
        f"{state.in_flight} in flight",
        f"{state.errors} errors",
        f"{state.output_rate:.0f} tok/s",
    ]
    if state.ttft_p50 is not None and state.ttft_p99 is not None:
        parts.append(f"TTFT p50 {state.ttft_p50 * 1000:.0f} p99 {state.ttft_p99 * 1000:.0f} ms")
    if state.left_s is not None:
        parts.append(f"{state.left_s:.0f} s left")
    return " | ".join(parts)
