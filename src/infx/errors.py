"""What can go wrong, as values that say what happened, where, and what to do next.

Every error that a user may meet is one of the classes below; each carries its exit code.
Anything else that reaches the command line is a defect of infx (exit 4).
"""

from collections.abc import Iterable
from dataclasses import dataclass

_LISTED = 24
"""How many known words are listed where none is near."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    `where` is a `file:line`, a log path or a URL; `remedy` is what the reader can do.
    """

    what: str
    where: str | None = None
    remedy: str | None = None

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"; {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{advice}"


class InfxError(Exception):
    """An expected failure: one or more problems, reported together."""

    exit_code = 4

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = tuple(p if isinstance(p, Problem) else Problem(p) for p in problems)
        super().__init__("\n".join(map(str, self.problems)))


class InputError(InfxError):
    """The user's input cannot be used as it is (exit 2)."""

    exit_code = 2


class MachineError(InfxError):
    """The machine or the server failed: it died, refused, or had no space left (exit 3)."""

    exit_code = 3


class Interrupted(InfxError):
    """The user stopped the work (exit 130)."""

    exit_code = 130


def nearest(name: str, known: Iterable[str]) -> str:
    """Return advice that names the nearest known word, or lists what is known.

    >>> nearest("1k1kk", ["1k1k", "8k1k"])
    'did you mean 1k1k?'
    >>> nearest("zzz", ["1k1k", "8k1k"])
    'known are 1k1k, 8k1k'
    """
    from difflib import get_close_matches  # nearly no command needs it

    words = list(known)
    close = get_close_matches(name, words, n=1)
    if close:
        return f"did you mean {close[0]}?"
    more = f" and {len(words) - _LISTED} more" if len(words) > _LISTED else ""
    return f"known are {', '.join(words[:_LISTED])}{more}"
