"""The fields of one recorded row, asked for one by one; whatever is wrong with any is reported."""

import math
from array import array
from collections.abc import Callable, Collection, Mapping

from infx.errors import nearest
from infx.model.trace import NO_BLOCKS, block_ids
from infx.workloads.dataset_rows import kind

Report = Callable[[str, str | None], None]
"""Told what is wrong, and what to do about it where that is known."""

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
LONGEST_NS = 2**62
"""Times up to 146 years keep sums of two inside 64 bits."""


class Fields:
    """One JSON object, whose members are read by name and kind.

    A reader that meets something else reports it and returns a value to go on with, so that all
    problems of a row are told at once; the row itself is then not used.
    """

    def __init__(self, value: object, place: str, report: Report) -> None:
        self._report = report
        self._place = place
        self.bad = not isinstance(value, dict)
        self._value: Mapping[str, object] = value if isinstance(value, dict) else {}
        if self.bad:
            where = f"{place}: " if place else ""
            self._report(f"{where}expected an object, found {kind(value)}", None)

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def get(self, key: str) -> object:
        """Return a member as it is, None where it is missing."""
        return self._value.get(key)

    @property
    def value(self) -> Mapping[str, object]:
        """The object itself; empty where it is none."""
        return self._value

    def name(self, key: str) -> str:
        """Return the name of a member as a reader of the file finds it: `requests[3].in`."""
        return f"{self._place}.{key}" if self._place else key

    def wrong(self, key: str, expected: str) -> None:
        """Report that a member is not what was expected."""
        found = kind(self._value[key]) if key in self._value else "nothing"
        value = self._value.get(key)
        if isinstance(value, str | int | float) and value != "" and not isinstance(value, bool):
            found = repr(value)[:60]
        self._report(f"{self.name(key)}: expected {expected}, found {found}", None)

    def say(self, what: str) -> None:
        """Report something else about this object."""
        self._report(f"{self._place}: {what}" if self._place else what, None)

    def closed(self, known: Collection[str]) -> None:
        """Report every member that is not among the known ones."""
        for key in self._value:
            if key not in known:
                self._report(f"{self.name(key)}: unknown field", nearest(key, known))

    def text(self, key: str, default: str | None = None, *, empty: bool = False) -> str:
        """Read text, which may be `empty` or the default where there is one of these."""
        value = self._value.get(key, default)
        if isinstance(value, str) and (value or empty or default is not None):
            return value
        self.wrong(key, "text")
        return ""

    def whole(self, key: str, *, least: int = 0, default: int | None = None) -> int:
        """Read a whole number of at least `least`."""
        value = self._value.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**63:
            return value
        self.wrong(key, f"a whole number of at least {least}")
        return least

    def optional_whole(self, key: str, *, least: int = 0) -> int | None:
        """Read a whole number of at least `least`; null and a missing member are None."""
        return None if self._value.get(key) is None else self.whole(key, least=least)

    def ns(self, key: str, unit_ns: int, *, least: float = -math.inf) -> int:
        """Read a time in seconds or milliseconds, as nanoseconds."""
        value = self._value.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= least:
            time = value * unit_ns
            if abs(time) < LONGEST_NS:
                return round(time)
        expected = "a time in seconds" if unit_ns == NS_PER_S else "a time in milliseconds"
        self.wrong(key, expected + (f" of at least {least:g}" if math.isfinite(least) else ""))
        return 0

    def optional_ns(self, key: str, unit_ns: int, *, least: float = -math.inf) -> int | None:
        """Read a time; null and a missing member are None."""
        return None if self._value.get(key) is None else self.ns(key, unit_ns, least=least)

    def listed(self, key: str, *, required: bool = True) -> list[object]:
        """Read a list."""
        value = self._value.get(key, None if required else [])
        if isinstance(value, list):
            return value
        self.wrong(key, "a list")
        return []

    def words(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        """Read a list of texts; a missing one is empty where it is not required."""
        value = self.listed(key, required=required)
        words = tuple(word for word in value if isinstance(word, str))
        if len(words) < len(value):
            self.wrong(key, "a list of texts")
        return words

    def blocks(self, key: str) -> "array[int]":
        """Read block ids; a missing list is empty."""
        value = self.listed(key, required=False)
        if not value:
            return NO_BLOCKS
        if set(map(type, value)) == {int}:
            try:
                return block_ids(value)  # type: ignore[arg-type]
            except OverflowError:
                pass
        bad = next((n for n, id_ in enumerate(value) if not _is_id(id_)), 0)
        found = repr(value[bad]) if type(value[bad]) is int else kind(value[bad])
        what = f"{self.name(key)}[{bad}]: expected a whole number of at least 0, found {found}"
        self._report(what, None)
        return NO_BLOCKS


def _is_id(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**64
