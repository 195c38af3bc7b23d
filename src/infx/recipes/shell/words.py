"""Words of a shell script: quotes, expansions and substitutions, in one pass over the text."""

import re
from bisect import bisect_right
from itertools import groupby
from typing import NoReturn

from infx.recipes.shell.syntax import Part, Statement, Substitution, Text, Variable, Word, computed

MAX_DEPTH = 30
"""Levels of nesting that are followed; people write five."""

META = frozenset(" \t\n|&;()<>")
_PLAIN = re.compile(r"[^\s|&;()<>\\'\"`$]+")
_PLAIN_IN_BRACES = re.compile(r"[^}\\'\"`$]+")
_SPECIAL = re.compile(r"[\\'\"`$<>]")
_IN_QUOTES = re.compile(r"[^\\\"`$]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!_-]")
_PREFIX = re.compile(r"!|#(?=[A-Za-z_])")
_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!_-]")
_OPERATOR = re.compile(r":-|:=|:\+|:\?|##|%%|//|\^\^|,,|[-=+?#%/^,@:]")
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "", "b": "", "e": "", "f": "", "v": ""}


class Unreadable(Exception):
    """The text from `line` on is not shell, or nests too deep."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


class Words:
    """A place in a text, and the words that are read from there."""

    def __init__(self, text: str, *, line: int = 1, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self._first = line
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def line(self, at: int | None = None) -> int:
        """Return the line of a place, the present one by default."""
        return self._first + bisect_right(self._ends, (self.at if at is None else at) - 1)

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        """Say that the text cannot be read on."""
        raise Unreadable(self.line(at), what)

    def char(self) -> str:
        """Return the next character, empty at the end."""
        return self.text[self.at : self.at + 1]

    def sees(self, what: str) -> bool:
        """Return whether the text goes on with `what`."""
        return self.text.startswith(what, self.at)

    def statements(self, end: str) -> tuple[Statement, ...]:
        """Read commands up to `end`, and `end`; the grammar does it."""
        raise NotImplementedError

    def word(self) -> Word:
        """Read one word."""
        start = self.at
        parts: list[Part] = []
        while self.at < len(self.text):
            if self.char() not in META:
                self._piece(parts, _PLAIN)
            elif not self._process(parts):
                break
        source = self.text[start : self.at]
        plain = None if _SPECIAL.search(source) else source
        return Word(_merged(parts), self.line(start), plain)

    def _argument(self, *, quoted: bool) -> Word:
        """Read what stands after an operator in `${...}`, up to the brace."""
        start = self.at
        parts: list[Part] = []
        while self.char() not in ("}", ""):
            if quoted and self.char() == "'":
                self.at += 1
                parts.append(Text("'"))
            else:
                self._piece(parts, _PLAIN_IN_BRACES)
        return Word(_merged(parts), self.line(start))

    def document(self, text: str, line: int) -> Word:
        """Return a here-document with its expansions; `line` is that of its first line."""
        inner = self.inside(text, line)
        parts: list[Part] = []
        while inner.at < len(text):
            inner.quoted_piece(parts, end="")
        return Word(_merged(parts), line)

    def inside(self, text: str, line: int) -> "Words":
        """Return a reader of the same kind for a text that stands inside this one."""
        return type(self)(text, line=line, depth=self.deeper())

    def deeper(self) -> int:
        """Return the depth of what stands inside; fails where it nests too deep."""
        if self.depth >= MAX_DEPTH:
            self.fail(f"nests deeper than {MAX_DEPTH} levels")
        return self.depth + 1

    def balanced(self, opens: str, closes: str) -> str:
        """Read up to the bracket that closes the one just read, and return what is between."""
        start, level = self.at, 1
        brackets = re.compile(f"[{re.escape(opens + closes)}]")
        while match := brackets.search(self.text, self.at):
            self.at = match.end()
            level += 1 if match[0] == opens else -1
            if level == 0:
                return self.text[start : match.start()]
        return self.fail(f"{opens} is never closed", start)

    def quoted_piece(self, parts: list[Part], *, end: str) -> None:
        """Read one piece of a text where only `$`, backquotes and backslashes mean something."""
        char = self.char()
        if char == "\\":
            follower = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            if follower != "\n":
                parts.append(
                    Text(follower if follower in f"$`\\{end}" and follower else f"\\{follower}")
                )
        elif char in "$`" and self._expansion(parts, quoted=True):
            return
        elif match := _IN_QUOTES.match(self.text, self.at):
            parts.append(Text(match[0]))
            self.at = match.end()
        else:
            parts.append(Text(char))
            self.at += 1

    def _piece(self, parts: list[Part], plain: re.Pattern[str]) -> None:
        char = self.char()
        if char == "\\":
            follower = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            parts.append(Text("" if follower == "\n" else follower))
        elif char == "'":
            parts.append(Text(self._until("'")))
        elif char == '"':
            self._double_quoted(parts)
        elif self.sees("$'"):
            self.at += 1
            parts.append(Text(self._ansi()))
        elif char in "$`" and self._expansion(parts, quoted=False):
            return
        elif match := plain.match(self.text, self.at):
            self.at = match.end()
            parts.append(Text(match[0]))
            if match[0][-1] in "@!+?*" and self.char() == "(":
                self.at += 1
                parts.append(Text(f"({self.balanced('(', ')')})"))
        else:
            parts.append(Text(char))
            self.at += 1

    def _until(self, quote: str) -> str:
        end = self.text.find(quote, self.at + 1)
        if end < 0:
            self.fail(f"the quote {quote} is never closed")
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        return inside

    def _ansi(self) -> str:
        match = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL).match(self.text, self.at)
        if match is None:
            self.fail("the quote ' is never closed")
        self.at = match.end()
        return re.sub(r"\\(.)", lambda found: _ANSI.get(found[1], found[1]), match[1])

    def _double_quoted(self, parts: list[Part]) -> None:
        start = self.at
        self.at += 1
        parts.append(Text(""))
        while (char := self.char()) != '"':
            if not char:
                self.fail('the quote " is never closed', start)
            self.quoted_piece(parts, end='"')
        self.at += 1

    def _process(self, parts: list[Part]) -> bool:
        """Read `<(commands)` or `>(commands)`, and return whether it was one."""
        if not (self.sees("<(") or self.sees(">(")):
            return False
        start = self.at
        self.at += 2
        body = self._commands()
        parts.append(Substitution(body, self.text[start + 2 : self.at - 1], True, True))
        return True

    def _commands(self) -> tuple[Statement, ...]:
        self.depth = self.deeper()
        body = self.statements(")")
        self.depth -= 1
        return body

    def _expansion(self, parts: list[Part], *, quoted: bool) -> bool:
        """Read what `$` or a backquote begins, and return whether it begins anything."""
        start = self.at
        if self.char() == "`":
            text = self._backquoted()
            inner = self.inside(text, self.line(start))
            parts.append(Substitution(inner.statements(""), text, quoted))
        elif self.sees("$((") and self._arithmetic():
            parts.append(Text(computed(self.text[start : self.at])))
        elif self.sees("$("):
            self.at += 2
            body = self._commands()
            parts.append(Substitution(body, self.text[start + 2 : self.at - 1], quoted))
        elif self.sees("${"):
            self.at += 2
            parts.append(self._braced(quoted=quoted))
        elif match := _SIMPLE_NAME.match(self.text, self.at + 1):
            self.at = match.end()
            parts.append(Variable(match[0], quoted))
        else:
            return False
        return True

    def _backquoted(self) -> str:
        match = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL).match(self.text, self.at)
        if match is None:
            self.fail("a backquote is never closed")
        self.at = match.end()
        return re.sub(r"\\([`$\\])", r"\1", match[1])

    def _arithmetic(self) -> bool:
        """Skip `$((...))`; `$((` may begin a substitution of a subshell too, which is no number."""
        start = self.at
        self.at += 3
        self.balanced("(", ")")
        if self.sees(")"):
            self.at += 1
            return True
        self.at = start
        return False

    def _braced(self, *, quoted: bool) -> Variable:
        start = self.at
        prefix = _PREFIX.match(self.text, start)
        self.at += 1 if prefix else 0
        name = _NAME.match(self.text, self.at)
        if name is None:
            self.balanced("{", "}")
            return Variable("?", quoted, "?")
        self.at = name.end()
        subscript = ""
        if self.char() == "[":
            self.at += 1
            subscript = f"[{self.balanced('[', ']')}]"
        operator = _OPERATOR.match(self.text, self.at)
        argument = None
        if operator is not None:
            self.at = operator.end()
            self.depth = self.deeper()
            argument = self._argument(quoted=quoted)
            self.depth -= 1
        if self.char() != "}":
            self.fail("${ is never closed", start)
        self.at += 1
        shown = prefix[0] if prefix else (operator[0] if operator else "")
        if subscript in ("[@]", "[*]") and not shown:
            return Variable(name[0], quoted, "[@]")
        return Variable(name[0], quoted, shown, argument)


def _merged(parts: list[Part]) -> tuple[Part, ...]:
    """Return parts with neighbouring texts as one; an empty text stays: quotes make a word."""
    merged: list[Part] = []
    for are_texts, group in groupby(parts, key=lambda part: isinstance(part, Text)):
        if are_texts:
            merged.append(Text("".join(part.text for part in group if isinstance(part, Text))))
        else:
            merged += group
    return tuple(merged)
