"""The grammar of shell commands: lists, pipelines, compound commands, functions, redirections.

Written by hand, so that time and memory are bounded by the length of a hostile text.
"""

import re
from collections.abc import Callable

from infx.recipes.shell.reading import Reading
from infx.recipes.shell.syntax import (
    Assignment,
    Branches,
    Function,
    Group,
    Loop,
    Pipeline,
    Script,
    Simple,
    Statement,
    Word,
)
from infx.recipes.shell.words import Unreadable

MAX_CHARACTERS = 256 * 1024
"""Characters of one script that are read."""

MAX_FAULTS = 8
"""Lines that may fail to parse before the rest of a script is given up."""

MARKS = re.compile("[\ue000-\ue00f]")
"""Characters that the analysis uses for marks of its own; a script has none."""

_FUNCTION = re.compile(r"([^\s|&;()<>\"'`$\\=]+)[ \t]*\([ \t]*\)")


def parse(text: str, *, line: int = 1) -> Script:
    """Return a script's commands, and the lines from which it could not be read.

    `line` is the number of its first line.
    Bytes of zero are dropped, as a shell does. After a fault reading goes on at the next line.
    """
    if len(text) > MAX_CHARACTERS:
        return Script((), ((line, f"longer than {MAX_CHARACTERS} characters"),))
    text = MARKS.sub("\ufffd", text.replace("\0", "").replace("\r\n", "\n"))
    body: list[Statement] = []
    faults: list[tuple[int, str]] = []
    reader = Grammar(text, line=line)
    while True:
        start = reader.at
        try:
            body += reader.statements("")
            break
        except Unreadable as fault:
            faults.append((fault.line, fault.what))
            body += reader.kept
            after = text.find("\n", max(start, reader.begun))
            if after < 0 or len(faults) >= MAX_FAULTS:
                break
            reader = Grammar(text, line=line)
            reader.at = after + 1
    return Script(tuple(body), tuple(faults))


class Grammar(Reading):
    """A reader of commands. `begun` and `kept` tell how far it came before a fault."""

    def __init__(self, text: str, *, line: int = 1, depth: int = 0) -> None:
        super().__init__(text, line=line, depth=depth)
        self.begun = 0
        self.kept: list[Statement] = []
        self._nested = 0

    def statements(self, end: str) -> tuple[Statement, ...]:
        """Read commands up to the word or sign `end` and past it; up to the end when empty."""
        found = self._list((end,) if end else ())
        if end:
            self.expect(end)
        return found

    def _list(self, ends: tuple[str, ...]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        if not self._nested:
            self.kept = found
        self._nested += 1
        while True:
            self.space(lines=True)
            if self.at >= len(self.text) or any(self.is_next(end) for end in ends):
                break
            if self._nested == 1:
                self.begun = self.at
            before = self.at
            statements = self._and_or()
            found += statements if self.at > before else []
            self.space()
            if self.char() in ("&", ";") and not self.sees(";;") and not self.sees(";&"):
                self.at += 1
            elif self.at == before:
                self.fail(f"unexpected {self.text[self.at : self.at + 10]!r}")
        self._nested -= 1
        return tuple(found)

    def _and_or(self) -> list[Statement]:
        found = [self._pipeline()]
        while True:
            self.space()
            if not (self.sees("&&") or self.sees("||")):
                return found
            line = self.line()
            self.at += 2
            self.space(lines=True)
            found.append(Branches(line, ((self._pipeline(),),), is_exhaustive=False))

    def _pipeline(self) -> Statement:
        stages = [self._command()]
        line = self.line()
        while True:
            self.space()
            if self.sees("||") or self.char() != "|":
                break
            self.at += 2 if self.sees("|&") else 1
            self.space(lines=True)
            stages.append(self._command())
        return stages[0] if len(stages) == 1 else Pipeline(line, tuple(stages))

    def _command(self) -> Statement:
        self.space()
        start, line = self.at, self.line()
        word = self.keyword()
        if word in ("!", "time", "coproc"):
            self.at += len(word)
            return self._inner(self._command)
        if word == "function" or _FUNCTION.match(self.text, self.at):
            return self._inner(self._function)
        if self.sees("((") and self.skip_arithmetic():
            return Simple(line, self.text[start : self.at], (), (), self.redirects())
        if self.char() == "(" or word == "{":
            return self._inner(self._group)
        if word == "[[":
            self.test()
            return Simple(line, self.text[start : self.at], (), (), self.redirects())
        compound = {
            "if": self._if,
            "for": self._for,
            "select": self._for,
            "while": self._while,
            "until": self._while,
            "case": self._case,
        }.get(word)
        if compound is None:
            return self.simple()
        statement = self._inner(compound)
        redirects = self.redirects()
        if not redirects:
            return statement
        return Group(line, (statement,), False, redirects, self.text[start : self.at])

    def _inner(self, read: Callable[[], Statement]) -> Statement:
        self.depth = self.deeper()
        statement = read()
        self.depth -= 1
        return statement

    def _group(self) -> Statement:
        start, line = self.at, self.line()
        is_subshell = self.char() == "("
        self.at += 1
        body = self.statements(")" if is_subshell else "}")
        redirects = self.redirects()
        return Group(line, body, is_subshell, redirects, self.text[start : self.at])

    def _function(self) -> Statement:
        line = self.line()
        if self.keyword() == "function":
            self.at += len("function")
            self.space()
            name = self.word().plain or "?"
            self.space()
            if self.char() == "(":
                self.at += 1
                self.space()
                self.expect(")")
        else:
            match = _FUNCTION.match(self.text, self.at)
            assert match is not None
            name = match[1]
            self.at = match.end()
        self.space(lines=True)
        return Function(line, name, (self._command(),))

    def _if(self) -> Statement:
        line = self.line()
        self.at += len("if")
        tests: list[Statement] = []
        bodies: list[tuple[Statement, ...]] = []
        while True:
            tests += self.statements("then")
            bodies.append(self._list(("elif", "else", "fi")))
            if self.keyword() != "elif":
                break
            self.at += len("elif")
        is_exhaustive = self.keyword() == "else"
        if is_exhaustive:
            self.at += len("else")
            bodies.append(self._list(("fi",)))
        self.expect("fi")
        branches = Branches(line, tuple(bodies), is_exhaustive)
        return Group(line, (*tests, branches), is_subshell=False)

    def _for(self) -> Statement:
        line = self.line()
        self.at += len(self.keyword())
        self.space()
        name: str | None = None
        words: list[Word] = []
        if self.sees("(("):
            self.skip_arithmetic()
        else:
            name = self.word().plain
            self.space(lines=True)
            if self.is_next("in"):
                self.at += len("in")
                words = self.words()
        self.space(lines=True)
        if self.char() == ";":
            self.at += 1
            self.space(lines=True)
        self.expect("do")
        return Loop(line, self.statements("done"), name, tuple(words))

    def _while(self) -> Statement:
        line = self.line()
        self.at += len(self.keyword())
        test = self.statements("do")
        return Loop(line, (*test, *self.statements("done")))

    def _case(self) -> Statement:
        line = self.line()
        self.at += len("case")
        self.space()
        subject = self.word()
        self.space(lines=True)
        self.expect("in")
        bodies: list[tuple[Statement, ...]] = []
        is_exhaustive = False
        while True:
            self.space(lines=True)
            if self.is_next("esac"):
                break
            is_exhaustive |= self._patterns()
            bodies.append(self._list((";;&", ";;", ";&", "esac")))
            for mark in (";;&", ";;", ";&"):
                if self.sees(mark):
                    self.at += len(mark)
                    break
        self.expect("esac")
        asked = Simple(line, "", (Assignment("_", (subject,), False, False),), (), ())
        return Group(line, (asked, Branches(line, tuple(bodies), is_exhaustive)), False)

    def _patterns(self) -> bool:
        """Read the patterns of one arm, and return whether they fit everything."""
        if self.char() == "(":
            self.at += 1
        fits_all = False
        while True:
            self.space(lines=True)
            before = self.at
            fits_all |= self.word().plain == "*"
            self.space(lines=True)
            if self.char() == "|":
                self.at += 1
            elif self.char() == ")":
                self.at += 1
                return fits_all
            elif self.at == before:
                self.fail("a pattern of `case` has no end")
