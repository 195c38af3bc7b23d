"""What was read of a server's metrics pages: raw, so that better readers can read it again.

These are dataclasses, because one exists per second and page; the journal holds them as JSON lines.
All moments are nanoseconds of the host's monotonic clock.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """A whole metrics page. `source` is its URL; it was asked for and had come at the moments."""

    source: str
    sent_ns: int
    received_ns: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A page that has the lines of the one before it, but for some numbers at their ends.

    `values` pairs the number of a line, from 0, with what its last word has become.
    """

    source: str
    sent_ns: int
    received_ns: int
    values: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """A page that could not be read; `reason` is a word, `detail` the server's or system's text."""

    source: str
    sent_ns: int
    received_ns: int
    reason: str
    detail: str | None = None


Scrape = Page | Change | Miss
