"""What words stand for when a script runs: every value that its text allows, or where it is open.

A value is text with marks in it: an open part, a default that was assumed, a border of fields.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate
from itertools import product
from math import prod

from infx.recipes.shell.syntax import ASSUMED, END, Substitution, Text, Variable, Word

OPEN, CLOSE = "\ue000", "\ue001"
"""Around the name of what nobody states."""

FIELD = "\ue004"
"""Between the fields of one value."""

MAX_FORMS = 8
"""Values of one word that are followed; with more it is open."""

MAX_LENGTH = 4096
"""Characters of one value; what grows longer is open."""

_NUMBERS = frozenset("#?$!-")
_SPACE = re.compile(r"\s+")
_OPEN = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}?")
_ASSUMPTION = re.compile(f"{ASSUMED}([^{END}]*){END}?")
_COMPUTED = re.compile(rf"{ASSUMED}(\$\(\([^{END}]*){END}0")


@dataclass(slots=True)
class Scope:
    """What a command sees: variables, arguments, the folder, and what it passes on.

    `arguments` is None where nobody knows them. `folder` is empty for the one that the script
    starts in. `environments` are isolated Python environments that were made, `active` the one
    that is in use. `injections` are places of effects on programs that start from here, `exported`
    the variables that those get, with the line that exported each last.
    """

    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    arguments: tuple[str, ...] | None = None
    folder: str = ""
    environments: tuple[str, ...] = ()
    active: str = ""
    injections: tuple[int, ...] = ()
    exported: dict[str, tuple[str, int]] = field(default_factory=dict)

    def copy(self) -> "Scope":
        """Return a scope of the same content whose changes stay in it."""
        return replace(self, variables=dict(self.variables), exported=dict(self.exported))


def unresolved(name: str, about: str = "") -> str:
    """Return the value of what nobody states; `about` keeps what is known of it."""
    inner = f"{name}={about}" if about else name
    return OPEN + inner.replace(OPEN, "${").replace(CLOSE, "}") + CLOSE


def is_open(value: str) -> bool:
    """Return whether a part of a value is stated nowhere."""
    return OPEN in value


def shown(value: str) -> str:
    """Return a value as people read it: open parts as `${NAME}`, or `$(command)`."""

    def name(match: re.Match[str]) -> str:
        return match[1] if match[1].startswith("$(") else f"${{{match[1]}}}"

    return _OPEN.sub(name, _ASSUMPTION.sub("", value)).replace(FIELD, " ")


def assumptions(values: Iterable[str]) -> tuple[str, ...]:
    """Return the variables whose defaults stand in some values."""
    found = (m[1] for value in values for m in _ASSUMPTION.finditer(value))
    return tuple(dict.fromkeys(one for one in found if not one.startswith("$((")))


def written(value: str) -> str:
    """Return a value as people read it, with computed numbers as the script writes them."""
    return shown(_COMPUTED.sub(lambda match: match[1], value))


def is_computed(value: str) -> bool:
    """Return whether a part of a value is a number that the script computes."""
    return _COMPUTED.search(value) is not None


def plain(value: str) -> str:
    """Return a value without what it assumes."""
    return _ASSUMPTION.sub("", value)


def assumed(value: str) -> str:
    """Return the marks of what a value assumes, without the value."""
    return "".join(match[0] for match in _ASSUMPTION.finditer(value))


class Values:
    """Gives the values of words. `output` tells what a substitution prints."""

    def __init__(
        self, environment: Mapping[str, str], output: Callable[[Substitution, Scope], str]
    ) -> None:
        self._environment = environment
        self._output = output

    def look_up(self, name: str, scope: Scope) -> tuple[str, ...] | None:
        """Return the values that a variable may have, None for one that nobody sets."""
        if name in scope.variables:
            return scope.variables[name]
        stated = self._environment.get(name)
        return None if stated is None else (stated,)

    def forms(self, word: Word, scope: Scope) -> tuple[str, ...]:
        """Return the values of a word, each with `FIELD` between its fields."""
        found = [""]
        for part in word.parts:
            if isinstance(part, Text):
                values: tuple[str, ...] = (part.text,)
            elif isinstance(part, Variable):
                values = tuple(_split(one, part) for one in self._variable(part, scope))
            else:
                values = (self._output(part, scope),)
            found = [short(before + value) for before in found for value in values]
            if len(found) > MAX_FORMS:
                about = " ".join(found[: 2 * MAX_FORMS])
                found = [*found[: MAX_FORMS - 1], short(unresolved("one of many", about))]
        return tuple(dict.fromkeys(found))

    def fields(self, word: Word, scope: Scope) -> tuple[tuple[str, ...], ...]:
        """Return the values of a word, each as its fields; an unquoted empty one has none."""
        is_quoted = not word.parts or any(isinstance(part, Text) for part in word.parts)
        parts = [part for part in word.parts if not (isinstance(part, Text) and not part.text)]
        is_list = len(parts) == 1 and _is_list(parts[0])
        found = []
        for form in self.forms(word, scope):
            fields = form.split(FIELD) if form or not is_list else []
            found.append(tuple(fields) if is_quoted and len(fields) == 1 else _filled(fields))
        return tuple(dict.fromkeys(found))

    def _variable(self, part: Variable, scope: Scope) -> Iterator[str]:
        if part.name in _NUMBERS or (part.operator == "#" and part.argument is None):
            yield "0"
            return
        known = _argument(part.name, scope) if part.name in "@*" or part.name.isdigit() else None
        if known is None:
            known = self.look_up(part.name, scope)
        operator = part.operator
        if operator in (":-", "-", ":=", "="):
            yield from self._default(part, known, scope)
        elif operator in (":+", "+"):
            assert part.argument is not None
            yield from () if known else ("",)
            yield from self.forms(part.argument, scope)
        elif operator == "!":
            names = known or (unresolved(part.name),)
            for name in names:
                yield from self.look_up(name, scope) or (unresolved(f"!{part.name}", name),)
        elif known is None:
            yield unresolved(part.name)
        elif operator in ("", "[@]", "?", ":?"):
            yield from known
        else:
            yield from (self._changed(part, value, scope) for value in known)

    def _default(
        self, part: Variable, known: tuple[str, ...] | None, scope: Scope
    ) -> Iterator[str]:
        assert part.argument is not None
        marked = [f"{ASSUMED}{part.name}{END}{one}" for one in self.forms(part.argument, scope)]
        if known is None:
            # Empty is no assumption that matters: it names no place.
            yield from (one if plain(one) else "" for one in marked)
            if "=" in part.operator:
                scope.variables[part.name] = tuple(marked)
            return
        for value in known:
            if value == unresolved(part.name):
                yield from marked
            elif value or part.operator in ("-", "="):
                yield value
            else:
                yield from self.forms(part.argument, scope)

    def _changed(self, part: Variable, value: str, scope: Scope) -> str:
        """Return a value after `#`, `##`, `%`, `%%`, `/` or `//` of a pattern."""
        pattern = self.forms(part.argument, scope)[0] if part.argument else ""
        is_small = len(value) <= 512 and len(pattern) <= 64 and "[" not in pattern
        if not is_small or is_open(pattern):
            return unresolved(part.name, value)
        if part.operator in ("#", "##", "%", "%%"):
            return _stripped(value, pattern, part.operator)
        if part.operator in ("/", "//"):
            old, _, new = pattern.partition("/")
            if old and not set(old) & set("*?"):
                return value.replace(old, new, 1 if part.operator == "/" else -1)
        return unresolved(part.name, value)


def array(words: Sequence[tuple[tuple[str, ...], ...]]) -> tuple[str, ...]:
    """Return the values of an array by those of its words, each word's fields in their order.

    Where there are too many, words of one field each are open, and then all that have a choice.
    """
    chosen = [list(rows) for rows in words]
    for is_too_wide in (_is_scalar, lambda rows: True):
        if prod(len(rows) or 1 for rows in chosen) <= MAX_FORMS:
            break
        for at, rows in enumerate(chosen):
            if len(rows) > 1 and is_too_wide(rows):
                about = " ".join(field for row in rows for field in row)
                chosen[at] = [(unresolved("one of", about[:500]),)]
    forms = product(*(rows or [()] for rows in chosen))
    return tuple(dict.fromkeys(FIELD.join(one for row in form for one in row) for form in forms))


def _is_scalar(rows: Sequence[tuple[str, ...]]) -> bool:
    return all(len(row) == 1 for row in rows)


def _argument(name: str, scope: Scope) -> tuple[str, ...] | None:
    arguments = scope.arguments
    if name == "0":
        return scope.variables.get("0")
    if arguments is None:
        return (unresolved(name),)
    if name in "@*":
        return (FIELD.join(arguments),)
    at = int(name) - 1
    return (arguments[at],) if at < len(arguments) else None


def _split(value: str, part: Variable) -> str:
    if part.quoted:
        return value if _is_list(part) else value.replace(FIELD, " ")
    if is_open(value):
        return value
    return _SPACE.sub(FIELD, value)


def _is_list(part: object) -> bool:
    """Say whether a part stands for all fields of a list, of which there may be none."""
    return isinstance(part, Variable) and (part.name == "@" or part.operator == "[@]")


def _filled(parts: list[str]) -> tuple[str, ...]:
    return tuple(part for part in parts if part)


def short(value: str) -> str:
    """Return a value, or an open one where it is longer than anybody writes."""
    return value if len(value) <= MAX_LENGTH else unresolved("too long", plain(value)[:256])


def _stripped(value: str, pattern: str, operator: str) -> str:
    """Return a value without the shortest (or, doubled, longest) start or end that fits."""
    fits = re.compile(translate(pattern)).match
    # The shortest start and the longest end are found from the left.
    from_left = operator in ("#", "%%")
    cuts = range(len(value) + 1) if from_left else range(len(value), -1, -1)
    for cut in cuts:
        start, end = value[:cut], value[cut:]
        if operator[0] == "#" and fits(start):
            return end
        if operator[0] == "%" and fits(end):
            return start
    return value
