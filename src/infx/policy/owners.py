"""Who owns a path: CODEOWNERS as GitHub reads it.

Patterns are those of gitignore without `!` and `[ ]`; the last one that matches a path decides, and
owners do not add up. A line of a pattern alone leaves its paths without an owner.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

from infx.errors import Problem
from infx.policy.globs import fits

MAX_BYTES = 3 * 1024 * 1024
"""GitHub reads no larger CODEOWNERS file."""

MAX_PATTERN = 1000
"""Longer than any pattern that people write; a bound for the time that one comparison takes."""

_LOGIN = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,79})"
_OWNER = re.compile(rf"@{_LOGIN}|@{_LOGIN}/[A-Za-z0-9_.-]{{1,100}}|[^@\s]{{1,64}}@[^@\s]{{1,250}}")
_CATCH_ALL = frozenset({"*", "**", "**/*", "/**"})
_WORD = re.compile(r"(?:\\.|[^\s\\])+|\\")

Standing = Literal["named", "through-team", "team-unknown", "any-owner", "not-owner"]
"""What a person is to a path.

`named`: its line names them. `through-team`: it names a team of theirs. `team-unknown`: it names
only teams whose members are not known. `any-owner`: the path has no line of its own, and they own
something. `not-owner`: none of these.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the file: a pattern, and the owners of what it matches (maybe none)."""

    line: int
    pattern: str
    owners: tuple[str, ...]
    segments: tuple[str, ...] = field(repr=False, compare=False, default=())

    @property
    def catches_all(self) -> bool:
        """Whether the pattern says nothing about its paths."""
        return self.pattern in _CATCH_ALL

    def matches(self, path: str) -> bool:
        """Return whether the pattern covers a path from the repository's root."""
        return fits(self.segments, path.split("/"), star="**", same=_same_segment)


@dataclass(frozen=True, slots=True)
class Codeowners:
    """A whole file. With `problems` it decides nothing: GitHub would skip those lines silently."""

    rules: tuple[Rule, ...]
    problems: tuple[Problem, ...] = ()

    def rule(self, path: str) -> Rule | None:
        """Return the line that decides on a path: the last one that matches it."""
        return next((rule for rule in reversed(self.rules) if rule.matches(path)), None)

    def names(self, login: str) -> bool:
        """Return whether any line names a person, by login."""
        return any(_is(login, owner) for rule in self.rules for owner in rule.owners)

    def teams(self) -> tuple[str, ...]:
        """Return every team of the file, as `@organisation/team`, in order."""
        found = (owner for rule in self.rules for owner in rule.owners if _is_team(owner))
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Ownership:
    """What a person is to one path, by which line."""

    path: str
    standing: Standing
    rule: Rule | None


def parse(text: str, *, file: str = "CODEOWNERS") -> Codeowners:
    """Read a CODEOWNERS file; every line that GitHub would refuse is a problem at its line.

    A file that names no owner at all is a problem too: it would exempt every change.
    """
    if len(text) > MAX_BYTES:
        return Codeowners((), (Problem(f"larger than {MAX_BYTES} bytes", file, "split it"),))
    rules: list[Rule] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = _words(line)
        if not words:
            continue
        faults = list(_faults(words))
        problems += [Problem(fault, f"{file}:{number}") for fault in faults]
        if not faults:
            pattern = words[0].replace("\\ ", " ")
            rules.append(Rule(number, pattern, tuple(words[1:]), _segments(pattern)))
    if not any(rule.owners for rule in rules):
        problems.append(Problem("names no owner", file, "give at least `*` an owner"))
    return Codeowners(tuple(rules), tuple(problems))


def changed_paths(files: Iterable[tuple[str, str | None]]) -> tuple[str, ...]:
    """Return the paths that need an owner's word: of each file its path and, renamed, its old one.

    >>> changed_paths([("b.yaml", "a.yaml"), ("c.yaml", None)])
    ('b.yaml', 'a.yaml', 'c.yaml')
    """
    return tuple(dict.fromkeys(path for pair in files for path in pair if path is not None))


def ownership(
    codeowners: Codeowners,
    path: str,
    login: str,
    *,
    teams: Collection[str] = (),
    unknown_teams: Collection[str] = (),
) -> Ownership:
    """Return what a person is to a path.

    `teams` are those they are known to belong to (`@organisation/team`), `unknown_teams` those
    whose members could not be read.
    """
    rule = codeowners.rule(path)
    mine = {team.casefold() for team in teams}
    unknown = {team.casefold() for team in unknown_teams}
    if rule is None or rule.catches_all or not rule.owners:
        everyone = [owner for each in codeowners.rules for owner in each.owners]
        standing = _standing(everyone, login, mine, unknown)
        if standing in ("named", "through-team"):
            standing = "any-owner"
    else:
        standing = _standing(rule.owners, login, mine, unknown)
    return Ownership(path, standing, rule)


def _standing(owners: Iterable[str], login: str, mine: set[str], unknown: set[str]) -> Standing:
    owners = tuple(owners)
    groups = {owner.casefold() for owner in owners if _is_team(owner)}
    if any(_is(login, owner) for owner in owners):
        return "named"
    if groups & mine:
        return "through-team"
    return "team-unknown" if groups & unknown else "not-owner"


def _is(login: str, owner: str) -> bool:
    """Return whether an owner is a login. Only ASCII is folded: a look-alike is someone else."""
    return login.isascii() and owner.casefold() == f"@{login.removeprefix('@').casefold()}"


def _is_team(owner: str) -> bool:
    return owner.startswith("@") and "/" in owner


def _words(line: str) -> list[str]:
    """Return the words of a line up to a comment, which starts a word with `#`."""
    words: list[str] = []
    for match in _WORD.finditer(line.rstrip("\r")):
        if match[0].startswith("#"):
            break
        words.append(match[0])
    return words


def _faults(words: list[str]) -> Iterable[str]:
    pattern = words[0]
    if pattern.startswith("!"):
        yield f"the pattern {pattern} negates, which CODEOWNERS cannot"
    if "[" in pattern or "]" in pattern:
        yield f"the pattern {pattern} has a character range, which CODEOWNERS cannot"
    if "\\" in pattern.replace("\\ ", ""):
        yield f"the pattern {pattern} escapes more than a space"
    if len(pattern) > MAX_PATTERN:
        yield f"the pattern is longer than {MAX_PATTERN} characters"
    if not pattern.strip("/"):
        yield f"the pattern {pattern} has no name"
    for owner in words[1:]:
        if not _OWNER.fullmatch(owner):
            yield f"{owner} is no owner: a login, a team or an e-mail address"


def _segments(pattern: str) -> tuple[str, ...]:
    """Return a pattern as the segments of a whole path, `**` for any number of them."""
    body = pattern.strip("/")
    segments = [part for part in body.split("/") if part]
    if "/" not in pattern.rstrip("/"):
        segments.insert(0, "**")
    if segments[-1] == "**":
        segments.append("*")
    elif pattern.endswith("/"):
        segments += ["**", "*"]
    elif segments[-1] != "*" or segments[:-1] == ["**"]:
        # A name matches a folder too, with all in it; `folder/*` is only what lies right there.
        segments.append("**")
    return tuple(segments)


def _same_segment(pattern: str, segment: str) -> bool:
    return fits(pattern, segment, star="*", same=_same_character)


def _same_character(pattern: str, character: str) -> bool:
    return pattern in ("?", character)
