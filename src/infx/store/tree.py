"""A located tree, built step by step: the part that YAML and JSON share.

A syntax module tells the tree what it meets, in document order; the tree adds its own problems and
keeps going wherever the rest of the file can still be judged. Every command that reads a catalog
waits for this loop, so a value costs one call and no event stands between syntax and tree.
"""

from enum import IntEnum

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.document import Key, Place

MAX_DEPTH = 64
MAX_ALIASES = 1_000
MAX_VALUES = 1_000_000
"""Values after aliases are expanded: what a reader of the plain data may have to walk."""

_NO_PARTS = Place(1).parts

# Half the cost of calling Place, which fills in defaults: a tenth of the time of a read.
_new = tuple.__new__

_MERGE_VALUE = "<< takes a mapping or a list of mappings"


class _Next(IntEnum):
    """What the next value is to the mapping or sequence that is open."""

    ITEM = 0
    KEY = 1
    MEMBER = 2
    SOURCE = 3
    """What a merge key names."""
    NOTHING = 4
    """The value of a key that no mapping can have."""


# Members of an enumeration are slower to load than names of the module.
_ITEM, _KEY, _MEMBER, _SOURCE, _NOTHING = _Next

# What a sequence has as members, and a mapping as items: never filled.
_NO_MEMBERS: dict[str, JsonValue] = {}
_NO_ITEMS: list[JsonValue] = []


class _Open:
    """A mapping or a sequence whose end has not been met."""

    __slots__ = (
        "anchor", "before", "items", "key", "key_line", "line", "members", "merge_line", "next",
        "parts", "sources",
    )  # fmt: skip

    def __init__(self, following: _Next, line: int, anchor: str | None, before: int) -> None:
        self.next = following
        self.line = line
        self.anchor = anchor
        self.before = before
        self.members: dict[str, JsonValue] = {} if following is _KEY else _NO_MEMBERS
        self.items: list[JsonValue] = [] if following is _ITEM else _NO_ITEMS
        self.parts: dict[Key, Place] = {}
        self.key = ""
        self.key_line = line
        self.merge_line: int | None = None
        self.sources: tuple[tuple[JsonValue, Place, int], ...] = ()


class Tree:
    """Builds the located tree of one file.

    `problems` has what is wrong. With `last_wins`, repeated keys are no problem: the last one
    counts, and each is listed in `warnings`. The steps raise InputError at once for what makes the
    rest unreadable: too deep, too large.
    """

    def __init__(self, file: str, *, last_wins: bool = False) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._file = file
        self._last_wins = last_wins
        self._top = _Open(_ITEM, 1, None, 0)
        self._around: list[_Open] = []
        self._anchors: dict[str, tuple[JsonValue, Place, int]] = {}
        self._aliases = 0
        self._values = 0

    def result(self) -> tuple[JsonValue, Place]:
        """Return the only value of the document; raises InputError with every problem."""
        if self.problems:
            raise InputError(*self.problems)
        return self._top.items[0], self._top.parts[0]

    def report(self, what: str, line: int, remedy: str | None = None) -> None:
        """Add a problem of `line`."""
        self.problems.append(Problem(what, f"{self._file}:{line}", remedy))

    def scalar(self, line: int, value: JsonValue, text: str, anchor: str | None = None) -> None:
        """Take a scalar; `text` is how it was written, without quotes."""
        self._values += 1
        if self._values > MAX_VALUES:
            raise self._too_large(line)
        top = self._top
        following = top.next
        if following is _MEMBER:
            top.members[top.key] = value
            top.parts[top.key] = _new(Place, (top.key_line, text, _NO_PARTS))
            top.next = _KEY
        elif following is _KEY and value is not None:
            if text in top.parts:
                self._repeated(text, top.parts[text].line, line)
            top.key = text
            top.key_line = line
            top.next = _MEMBER
        elif following is _ITEM:
            top.parts[len(top.items)] = _new(Place, (line, text, _NO_PARTS))
            top.items.append(value)
        else:
            self._put(value, Place(line, text))
        if anchor is not None:
            self._anchors[anchor] = (value, Place(line, text), 1)

    def merge(self, line: int) -> None:
        """Take a plain `<<`: a merge where a key may stand, a word elsewhere."""
        top = self._top
        if top.next is not _KEY:
            self.scalar(line, "<<", "<<")
            return
        if top.merge_line is not None:
            self._repeated("<<", top.merge_line, line)
        top.merge_line = line
        top.next = _SOURCE

    def mapping(self, line: int, anchor: str | None = None) -> None:
        """Open a mapping: a scalar, a value, a scalar, a value follow until `close`."""
        opened = self._open(_KEY, line, anchor)
        self._put(opened.members, Place(line, None, opened.parts))
        self._around.append(self._top)
        self._top = opened

    def sequence(self, line: int, anchor: str | None = None) -> None:
        """Open a sequence: values follow until `close`."""
        opened = self._open(_ITEM, line, anchor)
        self._put(opened.items, Place(line, None, opened.parts))
        self._around.append(self._top)
        self._top = opened

    def close(self) -> None:
        """End the mapping or sequence that was opened last."""
        top = self._top
        if top.sources:
            self._merge(top)
        if top.anchor is not None:
            value: JsonValue = top.items if top.next is _ITEM else top.members
            place = Place(top.line, None, top.parts)
            self._anchors[top.anchor] = (value, place, self._values - top.before)
        self._top = self._around.pop()

    def alias(self, line: int, name: str) -> None:
        """Take what the anchor `name` holds, once more."""
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise self._stop(
                f"the file uses more than {MAX_ALIASES} aliases", line, "split the file"
            )
        if name not in self._anchors:
            what = f"*{name} names no anchor that is complete here"
            self.report(what, line, "write the anchor above its aliases")
            self._put(None, Place(line))
            return
        value, place, size = self._anchors[name]
        if place.text is not None:
            self.scalar(line, value, place.text)
            return
        self._values += size
        if self._values > MAX_VALUES:
            raise self._too_large(line)
        self._put(value, Place(line, None, place.parts))

    def _open(self, following: _Next, line: int, anchor: str | None) -> _Open:
        before = self._values
        self._values += 1
        if self._values > MAX_VALUES:
            raise self._too_large(line)
        if len(self._around) == MAX_DEPTH:
            what = f"values are nested deeper than {MAX_DEPTH} levels"
            raise self._stop(what, line, "flatten the file")
        if anchor is not None:
            self._anchors.pop(anchor, None)
        return _Open(following, line, anchor, before)

    def _put(self, value: JsonValue, place: Place) -> None:
        """Give a value to what is open; a container is given empty, and filled afterwards."""
        top = self._top
        if top.next is _ITEM:
            top.parts[len(top.items)] = place
            top.items.append(value)
            return
        if top.next is _KEY:
            self.report("a key is neither a word nor a number", place.line, "write a plain key")
            top.next = _NOTHING
            return
        if top.next is _MEMBER:
            top.members[top.key] = value
            top.parts[top.key] = place._replace(line=top.key_line)
        elif top.next is _SOURCE:
            assert top.merge_line is not None
            top.sources += ((value, place, top.merge_line),)
        top.next = _KEY

    def _merge(self, into: _Open) -> None:
        """Add what the merge keys name, the strongest first, where nothing stands yet."""
        for value, place, line in into.sources:
            several = isinstance(value, list)
            found = value if isinstance(value, list) else [value]
            for index, source in enumerate(found):
                if not isinstance(source, dict):
                    self.report(_MERGE_VALUE, line, "merge an anchored mapping")
                    break
                parts = (place.parts[index] if several else place).parts
                for name, member in source.items():
                    if name not in into.members:
                        into.members[name] = member
                        into.parts[name] = parts[name]

    def _repeated(self, key: str, first: int, line: int) -> None:
        what = f"the key {key} stands here and on line {first}"
        if self._last_wins and key != "<<":
            where = f"{self._file}:{line}"
            self.warnings.append(Problem(what, where, f"line {first} has no effect: remove it"))
        else:
            self.report(what, line, "keep one of the two")

    def _too_large(self, line: int) -> InputError:
        what = f"the file holds more than {MAX_VALUES} values once its aliases are expanded"
        return self._stop(what, line, "split the file")

    def _stop(self, what: str, line: int, remedy: str) -> InputError:
        return InputError(*self.problems, Problem(what, f"{self._file}:{line}", remedy))
