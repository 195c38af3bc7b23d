"""The project's own text: pages that people write, and pages that are generated."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"

GENERATED = sorted(REFERENCE.glob("*.md"))
WRITTEN = [
    ROOT / "README.md",
    *sorted((ROOT / "changes").glob("*.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path not in GENERATED),
]
"""Pages that people write."""


class Fence(NamedTuple):
    """A fenced block: its language and its text."""

    language: str
    text: str


def fences(page: Path) -> Iterator[Fence]:
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        yield Fence(match[1], match[2])


def prose(page: Path) -> str:
    """Return a page's text without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()
