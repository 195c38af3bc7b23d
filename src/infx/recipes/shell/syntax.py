"""The parts of a shell script, as far as they say which commands run with which words."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that stand for themselves."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """`$NAME` or `${NAME op argument}`; `operator` is empty, `:-`, `##`, `[@]` or another one.

    `name` is a variable, a digit, or `@`. An unquoted one is split into fields.
    """

    name: str
    quoted: bool
    operator: str = ""
    argument: "Word | None" = None


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(script)`, or `<(script)` where `is_process`: the output of commands."""

    body: tuple["Statement", ...]
    text: str
    quoted: bool
    is_process: bool = False


ASSUMED, END = "\ue002", "\ue003"
"""Around the name of a variable whose default was taken, or what a number is computed from."""


def computed(text: str) -> str:
    """Return the value of `$((...))`: some number, as it names no place, with what it is made of.

    >>> computed("$((2 * N))").encode("ascii", "ignore")
    b'$((2 * N))0'
    """
    return f"{ASSUMED}{text[:200]}{END}0"


Part = Text | Variable | Substitution


@dataclass(frozen=True, slots=True)
class Word:
    """One word; `plain` is its text where it has no quotes and nothing to expand, else None."""

    parts: tuple[Part, ...]
    line: int
    plain: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value` or `name=(words)`; with `appends` it is `+=`."""

    name: str
    words: tuple[Word, ...]
    is_array: bool
    appends: bool


@dataclass(frozen=True, slots=True)
class Redirect:
    """`operator` and its target; a here-document has its text in `document`, lines from `line`."""

    operator: str
    target: Word
    document: Word | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """One command. `text` is its source, here-documents included."""

    line: int
    text: str
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands whose output is the next one's input."""

    line: int
    stages: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Commands in braces, or in parentheses where `is_subshell`, with redirections of all."""

    line: int
    body: tuple["Statement", ...]
    is_subshell: bool
    redirects: tuple[Redirect, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Branches:
    """One of several bodies runs; none of them may run unless `is_exhaustive`."""

    line: int
    bodies: tuple[tuple["Statement", ...], ...]
    is_exhaustive: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """A body that runs any number of times, for each of `words` in `name` where it has one."""

    line: int
    body: tuple["Statement", ...]
    name: str | None = None
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A definition: nothing runs until the name is called."""

    line: int
    name: str
    body: tuple["Statement", ...]


Statement = Simple | Pipeline | Group | Branches | Loop | Function


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed text. `faults` are lines that could not be parsed, with what is wrong there."""

    body: tuple[Statement, ...]
    faults: tuple[tuple[int, str], ...] = field(default=())
