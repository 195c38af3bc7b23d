"""What an engine's command line and environment take, at one version of it."""

from typing import Literal

from pydantic import Field

from infx.model.value import Value

FlagKind = Literal["switch", "int", "size", "float", "str", "json", "json-or-str", "choice"]
"""What one value of a flag is.

A `switch` takes none. A `size` is a whole number that may have a suffix (`16k`). `json-or-str` is
JSON where it begins with a brace.
"""

VariableKind = Literal["bool", "int", "float", "str", "json", "choice"]
"""What the text of an environment variable is read as; `str` is also what nobody could tell."""


class Flag(Value):
    """One flag, without its leading dashes.

    `nargs` counts its values as argparse writes it: `?` none or one, `*` any, `+` one or more, a
    number, and None for exactly one. `choices` are all values of a `choice`, and of another kind
    the words that it takes beside its values. `folded` says that case and `-` or `_` are equal in
    them. `nullable` flags take `None`. `negative` says that `--no-NAME` exists. `deprecated` and
    `refused` say what to do instead; the engine does not start with a refused flag.
    """

    kind: FlagKind
    nargs: Literal["?", "*", "+"] | int | None = None
    choices: tuple[str, ...] = ()
    default: str | None = None
    aliases: tuple[str, ...] = ()
    negative: bool = False
    nullable: bool = False
    folded: bool = False
    deprecated: str | None = None
    refused: str | None = None


class Variable(Value):
    """One environment variable that the engine reads; `deprecated` says what to do instead."""

    kind: VariableKind = "str"
    choices: tuple[str, ...] = ()
    folded: bool = False
    default: str | None = None
    deprecated: str | None = None


class SchemaSource(Value):
    """What a schema was read from, and in which way.

    `date` is the day (ISO 8601) on which the wheel was built; null for an installed package.
    """

    origin: str
    method: str
    date: str | None = None


class EngineSchema(Value):
    """Every flag and environment variable of one version of an engine.

    `prefixes` begin the names of the engine's own variables: others are foreign to it. `renamed`
    maps an old prefix, which the engine still reads, to its new one. `booleans` are the words (in
    lower case) that a `bool` variable takes; empty when the engine takes any. `suffixes` are those
    of a `size`. `dotted` says that `--flag.key value` sets a key of a JSON flag.
    """

    engine: str
    version: str
    source: SchemaSource
    prefixes: tuple[str, ...] = ()
    renamed: dict[str, str] = Field(default_factory=dict)
    booleans: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    dotted: bool = False
    flags: dict[str, Flag]
    environment: dict[str, Variable] = Field(default_factory=dict)
