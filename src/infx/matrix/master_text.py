"""The text of a master configuration, cut into its entries without reading it as YAML.

A change touches few of the entries, and only these have to be parsed. The cut is by column: an
entry begins where a line begins with a key. Where the text has anything that could reach over an
entry's end, it is not cut, and the caller reads all of it.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

_AT_MARGIN = re.compile(rb"^[^ \n#].*$", re.MULTILINE)
_KEY = re.compile(rb"([A-Za-z0-9][A-Za-z0-9._-]*): *(?:#.*)?")
_REACHES = re.compile(rb"[&*](?<=[\s\[{,:].)[^\s&*,\]}]")
"""Anchors and aliases."""

_ODD = (b"<<:", b"\t", b"\r")
"""Merges; and tabs and carriage returns, which may make lines of their own."""


@dataclass(frozen=True, slots=True)
class Block:
    """Where one entry begins and ends in the text: from its key to the next one."""

    start: int
    end: int


def blocks(text: bytes) -> dict[str, Block] | None:
    """Return each entry's block in the order of the file, None where the text cannot be cut."""
    if any(part in text for part in _ODD) or _REACHES.search(text):
        return None
    starts: dict[str, int] = {}
    for line in _AT_MARGIN.finditer(text):
        key = _KEY.fullmatch(line[0])
        name = key[1].decode() if key else None
        if name is None or name in starts:
            return None
        starts[name] = line.start()
    ends = [*list(starts.values())[1:], len(text)]
    first = next(iter(starts.values()), len(text))
    if any(
        line.strip() and not line.lstrip().startswith(b"#") for line in text[:first].split(b"\n")
    ):
        return None
    return {name: Block(starts[name], end) for name, end in zip(starts, ends, strict=True)}


def narrowed(text: bytes, cut: dict[str, Block], keys: Collection[str]) -> bytes:
    """Return the text with the lines of all other entries left empty: line numbers stay."""
    parts = []
    position = 0
    for name, block in cut.items():
        if name in keys:
            parts.append(b"\n" * text.count(b"\n", position, block.start))
            parts.append(text[block.start : block.end])
            position = block.end
    return b"".join(parts)
