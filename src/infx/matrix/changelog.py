"""The bytes of the changelog: history never changes, additions stand at the end.

The contract: UTF-8, lines that end with LF, no CR, tab or NUL; an entry begins with
`- config-keys:`; exactly one empty line stands between entries; the last byte is the only LF that
ends the file. A change either appends entries, or corrects `pr-link` lines, never both. Only what a
change adds is judged: history keeps its bytes, whatever they are.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from infx.errors import Problem

BEGIN = b"- config-keys:"
_LINK_LINE = re.compile(rb"  pr-link: .*")
_ANY_LINK = re.compile(r"\s*(?:- )?pr-link:\s*(.*?)\s*")
_CANONICAL = re.compile(r"https://github\.com/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)/pull/([1-9][0-9]*)")
_PLACEHOLDER = re.compile(r"https://github\.com/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)/pull/XXX")
_FORBIDDEN = {0x0D: "a carriage return", 0x09: "a tab", 0x00: "a NUL"}


@dataclass(frozen=True, slots=True)
class Delta:
    """What a new text does to the old one.

    `tail` is what was appended, and `line` the line of its first byte, counted from 1. `corrected`
    are the lines whose pr-link changed. With `edited`, history is not what it was, and `tail` is
    empty. `problems` are violations of the byte contract.
    """

    file: str
    tail: bytes = b""
    line: int = 1
    corrected: tuple[int, ...] = ()
    edited: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Links:
    """What a pr-link may be: of this repository, and with `exact` this very pull request."""

    repository: str | None = None
    exact: str | None = None

    def problem(self, link: str, where: str, *, placeholder: bool = True) -> Problem | None:
        """Say what is wrong with a link, None when nothing is."""
        numbered = _CANONICAL.fullmatch(link)
        open_ = _PLACEHOLDER.fullmatch(link) if placeholder else None
        form = f"https://github.com/{self.repository or 'OWNER/NAME'}/pull/NUMBER"
        also = ", or XXX for a number that is not known yet" if placeholder else ""
        if link == "XXX" and placeholder:
            return None
        if numbered is None and open_ is None:
            return Problem(f"pr-link: {link!r} is no pull request", where, f"write {form}{also}")
        found = (numbered or open_ or [""])[1]
        if self.repository is not None and found != self.repository:
            what = f"pr-link: {link} is of another repository than {self.repository}"
            return Problem(what, where, f"write {form}")
        if self.exact is not None and numbered is not None and link != self.exact:
            return Problem(f"pr-link: {link} is another pull request", where, f"write {self.exact}")
        return None


def repository_of(history: bytes) -> str | None:
    """Return OWNER/NAME of the last entry whose link has a pull request's form."""
    for line in reversed(history.splitlines()):
        if line.startswith(b"  pr-link: "):
            text = line[11:].decode(errors="replace").strip()
            found = _CANONICAL.fullmatch(text) or _PLACEHOLDER.fullmatch(text)
            if found:
                return found[1]
    return None


def delta(old: bytes, new: bytes, file: str, links: Links = Links()) -> Delta:
    """Return what `new` does to `old`, with every violation of the byte contract."""
    plain = new.replace(b"\r\n", b"\n") if b"\r\n" in new and b"\r\n" not in old else new
    carriage = () if plain is new else (_carriage(new, file),)
    if plain == old:
        return Delta(file, line=old.count(b"\n") + 1, problems=carriage)
    if plain.startswith(old):
        return _appended(old, plain[len(old) :], file, carriage)
    return _changed(old, plain, file=file, links=links, before=carriage)


def _carriage(new: bytes, file: str) -> Problem:
    line = new.count(b"\n", 0, new.index(b"\r\n")) + 1
    count = new.count(b"\r\n")
    what = f"{count} lines end with CR LF, this is the first"
    if count == 1:
        what = "the line ends with CR LF"
    return Problem(what, f"{file}:{line}", "end lines with LF alone")


def _appended(old: bytes, tail: bytes, file: str, before: Sequence[Problem]) -> Delta:
    line = old.count(b"\n") + 1
    problems = [*before]
    if old and not old.endswith(b"\n"):
        what = "the history lacks the LF that ends it, so nothing can be appended"
        problems.append(Problem(what, f"{file}:{line}", "end the history with one LF first"))
    problems += _bytes(tail, file, line)
    problems += _form(tail, file, line, first=not old)
    return Delta(file, tail, line, problems=tuple(problems))


def _changed(
    old: bytes, new: bytes, *, file: str, links: Links, before: Sequence[Problem]
) -> Delta:
    was, now = old.split(b"\n"), new.split(b"\n")
    count = len(was) - 1
    differing = [index for index in range(min(count, len(now))) if was[index] != now[index]]
    only_links = len(now) > count and all(
        _LINK_LINE.fullmatch(was[index]) and _LINK_LINE.fullmatch(now[index]) for index in differing
    )
    if not only_links:
        return Delta(file, edited=True, problems=(*before, *_rewritten(was, now, file, links)))
    problems = [*before]
    # A correction is of another pull request's entry: its own number says nothing about it.
    any_number = replace(links, exact=None)
    for index in differing:
        text = now[index][11:].decode(errors="replace")
        problem = any_number.problem(text, f"{file}:{index + 1}", placeholder=False)
        problems += [problem] if problem else []
    tail = b"\n".join(now[count:]).removeprefix(was[count])
    if tail:
        what = f"entries are added here, and {_count(len(differing))} of the history corrected"
        where = f"{file}:{count + 1}"
        problems.append(Problem(what, where, "make two changes of it: corrections come alone"))
        problems += _appended(old, tail, file, ()).problems
    corrected = tuple(index + 1 for index in differing)
    return Delta(file, tail, count + 1, corrected=corrected, problems=tuple(problems))


def _rewritten(was: list[bytes], now: list[bytes], file: str, links: Links) -> Iterator[Problem]:
    """Name the lines of history that are not what they were, and bad links among the new ones."""
    start, gone, new = _difference(was, now)
    where = f"{file}:{start + 1}"
    if not gone:
        what = f"{_count(new)} inserted into the history"
        yield Problem(what, where, "append new entries at the end of the file")
    elif not new:
        yield Problem(f"{_count(gone)} of the history gone", where, "put them back")
    else:
        what = f"{_count(gone)} of the history changed"
        yield Problem(what, where, "restore them; only pr-link lines may be corrected")
    added = b"\n".join(now[start : start + new])
    yield from _bytes(added, file, start + 1)
    for index in range(start, start + new):
        link = _ANY_LINK.fullmatch(now[index].decode(errors="replace"))
        problem = links.problem(link[1], f"{file}:{index + 1}") if link else None
        if problem:
            yield problem


def _difference(was: list[bytes], now: list[bytes]) -> tuple[int, int, int]:
    """Return the first line that differs, and how many lines from there were and are."""
    count = len(was) - 1
    shorter = min(len(was), len(now))
    start = next((index for index in range(shorter) if was[index] != now[index]), shorter)
    if start < count < len(now) and was[count - 1] == now[count - 1]:
        # Edited in place: the lines still stand at their numbers, whatever was appended.
        last = max(index for index in range(count) if was[index] != now[index])
        return start, last + 1 - start, last + 1 - start
    rest = shorter - start
    end = next((back for back in range(rest) if was[-1 - back] != now[-1 - back]), rest)
    return start, len(was) - end - start, len(now) - end - start


def _bytes(text: bytes, file: str, line: int) -> Iterator[Problem]:
    for index, one in enumerate(text.split(b"\n")):
        for code, name in _FORBIDDEN.items():
            if code in one:
                yield Problem(f"the line holds {name}", f"{file}:{line + index}", "remove it")
        try:
            one.decode()
        except UnicodeDecodeError:
            where = f"{file}:{line + index}"
            yield Problem("the text is not UTF-8", where, "save the file as UTF-8")


def _form(tail: bytes, file: str, line: int, *, first: bool) -> Iterator[Problem]:
    """Check that entries stand apart by one empty line, and that one LF ends the text."""
    lines = tail.split(b"\n")
    wanted, blank = (0, 0) if first else (1, 0)
    for index, text in enumerate(lines[:-1]):
        where = f"{file}:{line + index}"
        if not text.strip(b" "):
            blank += 1
            if text:
                yield Problem("the line holds only spaces", where, "leave separators empty")
            continue
        if text.startswith(b"- "):
            if blank != wanted:
                what = f"{_blank(blank)} before the entry"
                yield Problem(what, where, f"put {'exactly one' if wanted else 'none'} there")
            wanted = 1
            if not text.startswith(BEGIN):
                yield Problem("the entry does not begin with config-keys", where, "put it first")
        elif blank:
            where = f"{file}:{line + index - 1}"
            yield Problem("an empty line stands inside an entry", where, "remove it")
        elif index == 0:
            yield Problem("the text does not begin an entry", where, "begin with - config-keys:")
        blank = 0
    if lines[-1]:
        last = f"{file}:{line + len(lines) - 1}"
        yield Problem("the file does not end with LF", last, "end the last line")
    elif blank:
        last = f"{file}:{line + len(lines) - 2}"
        yield Problem("empty lines end the file", last, "end it with the last entry's LF")


def _blank(lines: int) -> str:
    return {0: "no empty line stands", 1: "an empty line stands"}.get(
        lines, f"{lines} empty lines stand"
    )


def _count(lines: int) -> str:
    return f"{lines} line{'s' if lines != 1 else ''}"
