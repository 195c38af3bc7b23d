"""What commands print, as far as their words say it: the values of substitutions and of pipes."""

from infx.recipes.shell.step import Input
from infx.recipes.shell.syntax import Branches, Pipeline, Simple, Statement, Substitution
from infx.recipes.shell.targets import joined
from infx.recipes.shell.values import FIELD, Scope, Values, is_open, plain, unresolved

MAX_SHOWN = 4000
"""Characters of a command that are kept to say what a value is made from."""


class Printed:
    """What commands of one script print."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def piped(self, statement: Statement, scope: Scope) -> Input:
        """Return what a stage of a pipeline gives to the next one."""
        text = None
        if isinstance(statement, Simple):
            words = [plain(word) for word in self._words(statement, scope)]
            document = next((r.document for r in statement.redirects if r.document), None)
            if words[:1] in (["echo"], ["printf"]):
                text = "\n".join(word for word in words[1:] if not word.startswith("-"))
            elif words[:1] == ["cat"] and document is not None:
                text = plain(self._values.forms(document, scope)[0])
        return Input(self.shown(statement, scope).replace(FIELD, " "), text, statement.line)

    def output(self, part: Substitution, scope: Scope) -> str:
        """Return what a substitution prints; open, unless a path function of known words."""
        first = part.body[0] if part.body else None
        if isinstance(first, Simple) and not part.is_process:
            words = self._words(first, scope)
            known = _path(words, scope.folder) if len(part.body) == 1 else None
            if len(part.body) == 2 and words[:1] == ["cd"] and len(words) > 1:
                rest = self.shown(part.body[1], scope).split(FIELD)
                known = joined(scope.folder, words[-1]) if rest[0] == "pwd" else None
            if known is not None:
                return known
        text = "; ".join(self.shown(one, scope) for one in part.body[:8])
        return unresolved(f"$({text.replace(FIELD, ' ')[:1000]})")

    def shown(self, statement: Statement, scope: Scope) -> str:
        """Return a command as text with its values in it, its words parted by `FIELD`."""
        if isinstance(statement, Simple):
            documents = [one.document for one in statement.redirects if one.document is not None]
            texts = [self._values.forms(one, scope)[0] for one in documents]
            return FIELD.join([*self._words(statement, scope), *texts])[:MAX_SHOWN]
        if isinstance(statement, Pipeline):
            return " | ".join(self.shown(one, scope) for one in statement.stages[:8])
        if isinstance(statement, Branches):
            first = [one for body in statement.bodies[:4] for one in body[:8]]
            return "; ".join(self.shown(one, scope) for one in first)
        return "commands"

    def _words(self, command: Simple, scope: Scope) -> list[str]:
        rows = [self._values.fields(word, scope)[0] for word in command.words]
        return [one for row in rows for one in row]


def _path(words: list[str], folder: str) -> str | None:
    """Return what a function of paths prints, None for any other command."""
    name, last = (words[0], words[-1]) if words else ("", "")
    if name == "pwd":
        return folder or "."
    if name == "mktemp":
        return "/" + "tmp/mktemp"
    if name in ("echo", "printf"):
        return " ".join(one for one in words[1:] if one not in ("-n", "-e", "%s", "%s\\n"))
    if len(words) < 2:
        return None
    if name in ("realpath", "readlink"):
        return last
    if name == "basename":
        return last.rpartition("/")[2]
    if name != "dirname":
        return None
    head = last.rpartition("/")[0]
    if not head and is_open(last):
        return unresolved("folder", last)
    return head or ("/" if last.startswith("/") else ".")
