"""The texts that a script may run or source: those that are given, and those that it wrote."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from infx.recipes.shell.values import plain

_LAST_OPEN = re.compile("^.*\ue001/?")


@dataclass(frozen=True, slots=True)
class Source:
    """A text, and the name by which it is known."""

    name: str
    text: str


class Sources:
    """Texts by their paths."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._made: dict[str, str] = {}

    def made(self, path: str, text: str) -> None:
        """Keep a text that the script itself writes to a path."""
        if len(self._made) < 200:
            self._made[plain(path)] = text

    def find(self, path: str, beside: str) -> Source | None:
        """Return the text at a path: written, given, or given under the same end of its path.

        Where several given files have that end, the one in the folder of `beside` is meant.
        """
        value = plain(path)
        if value in self._made:
            return Source(value, self._made[value])
        if value in self._files:
            return Source(value, self._files[value])
        tail = _LAST_OPEN.sub("", value).lstrip("./")
        if not tail:
            return None
        same = [name for name in self._files if _ends(name, tail) or _ends(tail, name)]
        if len(same) > 1:
            folder = beside.rpartition("/")[0]
            same = [name for name in same if name.rpartition("/")[0] == folder] or []
        return Source(same[0], self._files[same[0]]) if len(same) == 1 else None


def _ends(path: str, tail: str) -> bool:
    return path == tail or path.endswith(f"/{tail}")
