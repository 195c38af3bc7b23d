"""Two branches that both append to the changelog: one after the other, every byte kept."""

from collections.abc import Sequence

from infx.matrix.changelog import BEGIN

_LINK = b"  pr-link: "


def join(ancestor: bytes, first: bytes, second: bytes) -> bytes | None:
    """Return the ancestor, what `first` added, then what `second` added and `first` did not.

    Corrected pr-link lines of either side are kept. Returns None where the two cannot be joined so:
    history was edited in another way, one line was corrected to two links, or an addition does not
    end with LF.
    """
    ours, theirs = _parts(ancestor, first), _parts(ancestor, second)
    if ours is None or theirs is None:
        return None
    history = _corrected(ancestor, ours[0], theirs[0])
    if history is None:
        return None
    added = _entries(ours[1])
    known = {entry.strip(b"\n") for entry in added}
    more = [entry for entry in _entries(theirs[1]) if entry.strip(b"\n") not in known]
    text = history
    for entry in (*added, *more):
        if text and not text.endswith(b"\n"):
            return None
        # Both sides may have begun the file: then their first entries have no separator yet.
        text += entry if not text or entry.startswith(b"\n") else b"\n" + entry
    return text


def _parts(ancestor: bytes, text: bytes) -> tuple[bytes, bytes] | None:
    """Return the history and the additions of a side, None where it edited history."""
    if text.startswith(ancestor):
        return ancestor, text[len(ancestor) :]
    was, now = ancestor.splitlines(keepends=True), text.splitlines(keepends=True)
    if len(now) < len(was):
        return None
    for before, after in zip(was, now, strict=False):
        if before != after and not (before.startswith(_LINK) and after.startswith(_LINK)):
            return None
    return b"".join(now[: len(was)]), b"".join(now[len(was) :])


def _corrected(ancestor: bytes, first: bytes, second: bytes) -> bytes | None:
    if first == second or second == ancestor:
        return first
    if first == ancestor:
        return second
    sides = (text.splitlines(keepends=True) for text in (ancestor, first, second))
    lines = []
    for was, one, other in zip(*sides, strict=True):
        if one != other and was not in (one, other):
            return None
        lines.append(other if one == was else one)
    return b"".join(lines)


def _entries(tail: bytes) -> Sequence[bytes]:
    """Split additions into entries, each with the empty lines before it."""
    entries: list[bytes] = []
    waiting = b""
    for line in tail.splitlines(keepends=True):
        if not line.strip():
            waiting += line
            continue
        if line.startswith(BEGIN) or not entries:
            entries.append(b"")
        entries[-1] += waiting + line
        waiting = b""
    return [*entries, waiting] if waiting else entries
