"""Prometheus' text format, as inference servers write it on `/metrics`.

A line is a sample, `name{label="value",...} number [timestamp]`, or a comment; OpenMetrics may add
an exemplar behind a `#`. https://prometheus.io/docs/instrumenting/exposition_formats/
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from infx.errors import MachineError, Problem

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_SAMPLE = re.compile(
    rf"({_NAME})\s*"
    r'(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?'  # a brace may stand inside a quoted value
    r"\s+([^\s#]+)(?:\s+[-+0-9.eE]+)?\s*(?:#.*)?"
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n"}


class Reading(NamedTuple):
    """One sample of a page; labels are in the page's order."""

    name: str
    labels: tuple[tuple[str, str], ...]
    value: float


def parse(text: str, *, where: str | None = None) -> tuple[Reading, ...]:
    """Return every sample of a page, in its order.

    Raises MachineError for a line that is neither sample nor comment; `where` is the page's URL.
    """
    return tuple(_readings(text, where))


def _readings(text: str, where: str | None) -> Iterator[Reading]:
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        sample = _SAMPLE.fullmatch(bare)
        labels = _labels(sample[2] or "") if sample else None
        value = _number(sample[3]) if sample else None
        if sample is None or labels is None or value is None:
            what = f"line {number} is no Prometheus sample: {bare[:80]!r}"
            raise MachineError(Problem(what, where, "is this the server's /metrics page?"))
        yield Reading(sample[1], labels, value)


def _labels(text: str) -> tuple[tuple[str, str], ...] | None:
    found, position = [], 0
    while text[position:].strip():
        label = _LABEL.match(text, position)
        if label is None:
            return None
        found.append((label[1], _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), label[2])))
        position = label.end()
    return tuple(found)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def total(readings: Iterable[Reading], name: str) -> float | None:
    """Return the sum of a metric over all its label sets, None where the page does not have it."""
    values = [reading.value for reading in readings if reading.name == name]
    return sum(values) if values else None
