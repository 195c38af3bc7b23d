"""A role as acceptance sees it: its arguments, its environment, and where each of them stands."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from pydantic import JsonValue

from infx.errors import InputError, Problem

Where = Callable[..., str | None]
"""Names the path of a tree that its arguments spell as `file:line`, None where that is unknown."""


def unknown_place(*_path: str) -> str | None:
    """Know no place: for trees that were not read from a file."""
    return None


@dataclass(frozen=True, slots=True)
class Role:
    """One of `agg`, `prefill` and `decode`, as bound.

    `engine_path` is where its engine is named: at the role, or for the whole recipe.
    """

    name: str
    engine: str
    args: Mapping[str, JsonValue] = field(default_factory=dict)
    env: Mapping[str, JsonValue] = field(default_factory=dict)
    where: Where = unknown_place
    engine_path: tuple[str, ...] = ("engine",)

    def at(self, *path: str) -> str | None:
        """Return where a part of the role stands: `at("args", "speculative-num-steps")`."""
        return self.where("roles", self.name, *path)

    def arg(self, *spellings: str) -> tuple[str, JsonValue]:
        """Return the spelling under which an argument stands, and its value.

        An argument that is absent or null is None under its first spelling. Raises InputError when
        two spellings stand side by side with different values.
        """
        found = [(name, self.args[name]) for name in spellings if self.args.get(name) is not None]
        if not found:
            return spellings[0], None
        first, value = found[0]
        for name, other in found[1:]:
            if _folded(other) != _folded(value):
                raise self.refusal(
                    f"{first} is {value} and {name} is {other}", ("args", name), "keep one of them"
                )
        return first, value

    def refusal(self, what: str, path: tuple[str, ...], remedy: str) -> InputError:
        """Return what is wrong with the part at `path` of this role."""
        return InputError(Problem(f"roles.{self.name}: {what}", self.at(*path), remedy))


@dataclass(frozen=True, slots=True)
class Speculation:
    """How a role drafts: what golden acceptance depends on.

    `length` counts the draft tokens of one verification step. `where` is where it was stated.
    """

    method: str
    length: int
    draft_model: str = ""
    sampling: str | None = None
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Injection:
    """What is set in a role and what is taken out of it; the rest of the role stays."""

    set_args: Mapping[str, JsonValue] = field(default_factory=dict)
    set_env: Mapping[str, str] = field(default_factory=dict)
    unset_args: tuple[str, ...] = ()
    unset_env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """An acceptance length that a role has of its own: never used, but a fact for review."""

    role: str
    name: str
    al: Decimal | None
    text: str
    where: str | None


def draft_length(role: Role, name: str, value: JsonValue, *, minus: int = 0) -> int:
    """Return a stated number of draft tokens less `minus`; raises InputError when it is no length.

    YAML's `true` is the number 1 in Python, and no length.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value - minus > 0:
        return value - minus
    stated = "missing" if value is None else repr(value)
    least = f"an integer above {minus}" if minus else "a positive integer"
    raise role.refusal(
        f"the draft length {name} must be {least}, and is {stated}",
        ("args", *name.split(".")),
        f"state {name}",
    )


def compact(al: Decimal) -> str:
    """Write a length without trailing zeros, as engines are given it.

    >>> [compact(Decimal(text)) for text in ("3.00", "3.50", "2.49", "10.00")]
    ['3', '3.5', '2.49', '10']
    """
    return f"{al.normalize():f}"


def stated_env(role: Role, name: str, *, plus: int = 0) -> Iterator[Stated]:
    """Yield the length that a variable of the role states, if it states any."""
    value = role.env.get(name)
    if value is not None:
        yield stated(role, ("env", name), value, plus=plus)


def stated(role: Role, path: tuple[str, ...], value: JsonValue, *, plus: int = 0) -> Stated:
    """Return the length that stands at `path` of a role; `plus` counts the target's own token."""
    try:
        al = Decimal(str(value)) + plus
    except InvalidOperation:
        al = None
    return Stated(role.name, ".".join(path), al, str(value), role.at(*path))


def _folded(value: JsonValue) -> JsonValue:
    return value.lower() if isinstance(value, str) else value
