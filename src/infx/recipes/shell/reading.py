"""Simple commands, redirections and here-documents; the space between them."""

import re

from infx.recipes.shell.syntax import Assignment, Redirect, Simple, Text, Word
from infx.recipes.shell.words import META, Words

_BLANK = re.compile(r"(?:[ \t\r]|\\\n)+")
_REDIRECT = re.compile(
    r"(?:[0-9]*|\{[A-Za-z_][A-Za-z0-9_]*\})(&>>|&>|<<<|<<-|<<|>>|>\||>&|<&|<>|>|<)"
)
_ASSIGN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]\s]{0,200}\])?(\+?=)")
_KEYWORD = re.compile(r"(?:\{|\}|!|\[\[|[a-z]+)(?=[\s;&|()<>]|\Z)")
_CLOSING = frozenset({"then", "do", "done", "fi", "else", "elif", "esac", "}"})

DECLARES = frozenset({"export", "local", "declare", "readonly", "typeset"})
"""Commands whose arguments are assignments that stay."""


class Reading(Words):
    """A reader of simple commands."""

    def __init__(self, text: str, *, line: int = 1, depth: int = 0) -> None:
        super().__init__(text, line=line, depth=depth)
        self._jumps: dict[int, int] = {}
        self._source = ""

    def space(self, *, lines: bool = False) -> None:
        """Pass blanks and comments; with `lines` line ends too, and the documents after them."""
        while self.at < len(self.text):
            if match := _BLANK.match(self.text, self.at):
                self.at = match.end()
            elif self.char() == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif lines and self.char() == "\n":
                self.at = self._jumps.get(self.at, self.at + 1)
            else:
                return

    def keyword(self) -> str:
        """Return the word that comes next if it may be a reserved one, without passing it."""
        match = _KEYWORD.match(self.text, self.at)
        return match[0] if match else ""

    def is_next(self, end: str) -> bool:
        """Return whether a reserved word or a sign comes next."""
        return self.keyword() == end if end[0].isalpha() or end == "}" else self.sees(end)

    def expect(self, end: str) -> None:
        """Pass a reserved word or a sign, which has to come."""
        self.space(lines=True)
        if not self.is_next(end):
            self.fail(f"{end} is missing")
        self.at += len(end)

    def words(self) -> list[Word]:
        """Read the words up to the end of the command."""
        found: list[Word] = []
        while True:
            self.space()
            before = self.at
            if self.at >= len(self.text):
                return found
            word = self.word()
            if self.at == before:
                return found
            found.append(word)

    def simple(self) -> Simple:
        """Read a simple command: assignments, words and redirections in their order."""
        start, line = self.at, self.line()
        if (closing := self.keyword()) in _CLOSING:
            self.fail(f"unexpected {closing}")
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        documents = ""
        while True:
            self.space()
            redirect = self._redirect()
            if redirect is not None:
                redirects.append(redirect)
                documents += f"\n{self._source}" if redirect.document is not None else ""
                continue
            declares = not words or words[0].plain in DECLARES
            assignment = self._assignment() if declares else None
            if assignment is not None:
                assignments.append(assignment)
                continue
            before = self.at
            word = self.word()
            if self.at == before:
                break
            words.append(word)
        text = self.text[start : self.at] + documents
        return Simple(line, text, tuple(assignments), tuple(words), tuple(redirects))

    def redirects(self) -> tuple[Redirect, ...]:
        """Read the redirections that follow a compound command."""
        found: list[Redirect] = []
        while True:
            self.space()
            redirect = self._redirect()
            if redirect is None:
                return tuple(found)
            found.append(redirect)

    def test(self) -> None:
        """Pass `[[ ... ]]`."""
        start = self.at
        self.at += 2
        while True:
            self.space(lines=True)
            if self.sees("]]"):
                self.at += 2
                return
            if self.at >= len(self.text):
                self.fail("[[ is never closed", start)
            if self.char() in META and not self.sees("<(") and not self.sees(">("):
                self.at += 1
            else:
                self.word()

    def skip_arithmetic(self) -> bool:
        """Pass `((...))`, and return whether it was one and not two subshells."""
        start = self.at
        self.at += 2
        self.balanced("(", ")")
        if self.char() == ")":
            self.at += 1
            return True
        self.at = start
        return False

    def _assignment(self) -> Assignment | None:
        match = _ASSIGN.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        appends = match[2] == "+="
        if self.char() != "(":
            return Assignment(match[1], (self.word(),), is_array=False, appends=appends)
        self.at += 1
        words: list[Word] = []
        while True:
            self.space(lines=True)
            before = self.at
            if self.char() == ")":
                self.at += 1
                return Assignment(match[1], tuple(words), is_array=True, appends=appends)
            words.append(self.word())
            if self.at == before:
                self.fail("an array is never closed")

    def _redirect(self) -> Redirect | None:
        if self.sees("<(") or self.sees(">("):
            return None
        match = _REDIRECT.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        self.space()
        start = self.at
        target = self.word()
        if self.at == start:
            self.fail(f"{match[1]} has no target")
        if match[1] not in ("<<", "<<-"):
            return Redirect(match[1], target)
        document = self._document(self.text[start : self.at], target, tabs=match[1] == "<<-")
        return Redirect(match[1], target, document)

    def _document(self, source: str, target: Word, *, tabs: bool) -> Word:
        """Return a here-document; reading will jump over it at the end of its line."""
        newline = self.text.find("\n", self.at)
        if newline < 0:
            self.fail("a here-document has no text")
        begin = max(newline + 1, self._jumps.get(newline, 0))
        delimiter = "".join(part.text for part in target.parts if isinstance(part, Text))
        lead = "\t*" if tabs else ""
        close = re.compile(rf"^{lead}{re.escape(delimiter)}$", re.MULTILINE)
        match = close.search(self.text, begin)
        end = match.start() if match else len(self.text)
        self._jumps[newline] = min(match.end() + 1, len(self.text)) if match else len(self.text)
        line = self.line(begin)
        self._source = self.text[begin:end]
        text = re.sub(r"(?m)^\t+", "", self._source) if tabs else self._source
        if source == delimiter:
            return self.document(text, line)
        return Word((Text(text),), line)
