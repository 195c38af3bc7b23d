"""Corpora whose sessions lie across several rows: indexed by place, then read one by one.

The index holds a few bytes a row; rows themselves are read again when their session is due.
"""

from array import array
from collections.abc import Iterator
from pathlib import Path

from infx.workloads.trace.reading import Row


class Index:
    """Where the rows of each session stand, sessions in the order of their first row."""

    def __init__(self) -> None:
        self._files: list[Path] = []
        self._places: dict[str, array[int]] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __contains__(self, session: str) -> bool:
        return session in self._places

    def add(self, session: str, row: Row) -> None:
        """Note a row of a session."""
        if not self._files or self._files[-1] != row.path:
            self._files.append(row.path)
        line = int(row.where.rpartition(":")[2]) if row.where != str(row.path) else 0
        places = self._places.setdefault(session, array("q"))
        places.extend((len(self._files) - 1, row.offset, line, len(row.text)))

    def rows(self, session: str) -> Iterator[Row]:
        """Read the rows of a session again, in the order of the corpus."""
        places = self._places[session]
        for at in range(0, len(places), 4):
            number, offset, line, size = places[at : at + 4]
            path = self._files[number]
            with path.open("rb") as file:
                file.seek(offset)
                text = file.read(size)
            yield Row(f"{path}:{line}" if line else str(path), path, offset, text)
