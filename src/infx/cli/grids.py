"""How commands print: tables as text or Markdown, foreign text that obeys nobody, annotations.

Imports nothing but the standard library: every command that prints a table starts with it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grid:
    """A table before it has a format: heads and units of its columns, and its rows."""

    title: str
    heads: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def printable(text: str) -> str:
    """Return foreign text without anything that a terminal would obey or a line would break on."""
    return "".join(char if char.isprintable() else "�" for char in text)


def printable_lines(text: str) -> str:
    """Return foreign text as `printable` does, line by line."""
    return "\n".join(map(printable, text.split("\n")))


def aligned(grid: Grid) -> list[str]:
    """Return a table as lines of text, every column as wide as its widest cell."""
    rows = [row for row in (grid.heads, grid.units, *grid.rows) if any(row)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def markdown_grid(grid: Grid) -> str:
    """Return a table in GitHub's Markdown."""
    named = (
        f"{head} ({unit_name})" if unit_name else head
        for head, unit_name in zip(grid.heads, grid.units, strict=True)
    )
    rule = ("--:",) * len(grid.heads)
    rows = [tuple(map(markdown_text, row)) for row in (tuple(named), *grid.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))


def markdown_text(text: str) -> str:
    """Return text that Markdown and its HTML show as it is."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>|~#@!" else char for char in printable(text))


def annotation(level: str, title: str, text: str) -> str:
    """Return a workflow command of GitHub that shows a text: `error`, `warning` or `notice`."""
    return f"::{level} title={_property(title)}::{_data(text)}"


def _data(text: str) -> str:
    """Escape the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
