"""The lines of a Markdown comment that its author says themselves, and the bullets among them.

Quotations, code fences and what is hidden in HTML comments are not said.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MAX_CHARACTERS = 100_000
"""GitHub takes 65,536 characters of a comment; what is beyond this is not read."""

Box = Literal["checked", "unchecked", "none"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r"([ \t]*)(?:[-*+•◦▪]|[0-9]{1,9}[.)])[ \t]+(.*)")
_BOX = re.compile(r"\[([ \t\u00a0]*[xX]?[ \t\u00a0]*)\](?=\s|$)[ \t]*")
_ID = re.compile(r"[ \t]*(?:item|id)[ \t]*[:=][ \t]*([a-z]+(?:-[a-z]+)*)[ \t]*")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a comment, by its number from 1, without what is hidden in it.

    `ids` are item ids that a hidden comment in it states (`<!-- item: evals -->`).
    """

    number: int
    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bullet:
    """One entry of a list, with its continuation lines; `depth` 0 is the outermost level."""

    line: int
    depth: int
    box: Box
    text: str
    ids: tuple[str, ...] = ()


def said(body: str) -> Iterator[Line]:
    """Yield the lines of a comment that are neither quoted, fenced nor hidden; empty ones too."""
    fence = ""
    hidden = False
    for number, row in enumerate(re.split(r"\r\n|\r|\n", body[:MAX_CHARACTERS]), 1):
        if fence:
            if _closes(row, fence):
                fence = ""
            continue
        if not hidden and (opened := _FENCE.match(row)):
            fence = opened[1]
            continue
        text, ids, hidden = _shown(row, hidden=hidden)
        if not text.lstrip(" \t").startswith(">"):
            yield Line(number, text, ids)


def bullets(lines: list[Line]) -> tuple[Bullet, ...]:
    """Return the entries of the lists in some lines, outer ones before those nested in them.

    An empty line ends an entry, and so does a line that begins another; indentation nests.
    """
    found: list[Bullet] = []
    open_indents: list[int] = []
    goes_on = False
    for line in lines:
        match = _BULLET.fullmatch(line.text)
        if match is None:
            goes_on = goes_on and bool(line.text.strip())
            if goes_on:
                last = found[-1]
                text = f"{last.text} {line.text.strip()}"
                found[-1] = Bullet(last.line, last.depth, last.box, text, last.ids + line.ids)
            continue
        indent = len(match[1].expandtabs(4))
        while open_indents and indent <= open_indents[-1]:
            open_indents.pop()
        box, text = _box(match[2])
        found.append(Bullet(line.number, len(open_indents), box, text.strip(), line.ids))
        open_indents.append(indent)
        goes_on = True
    return tuple(found)


def _closes(row: str, fence: str) -> bool:
    mark = row.strip()
    return len(mark) >= len(fence) and set(mark) == {fence[0]} and not row.startswith("    ")


def _shown(row: str, *, hidden: bool) -> tuple[str, tuple[str, ...], bool]:
    """Return what a line shows, the ids that it hides, and whether the next one begins hidden."""
    shown: list[str] = []
    ids: list[str] = []
    while row:
        if hidden:
            inside, ended, row = row.partition("-->")
            if not ended:
                break
            hidden = False
        else:
            outside, opened, rest = row.partition("<!--")
            shown.append(outside)
            row = rest
            if not opened:
                break
            inside, ended, after = rest.partition("-->")
            if not ended:
                hidden = True
                break
            row = after
            if stated := _ID.fullmatch(inside):
                ids.append(stated[1])
    return "".join(shown), tuple(ids), hidden


def _box(text: str) -> tuple[Box, str]:
    match = _BOX.match(text)
    if match is None:
        return "none", text
    return ("checked" if match[1].strip() else "unchecked"), text[match.end() :]
