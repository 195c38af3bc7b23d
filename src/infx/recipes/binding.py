"""What binding a recipe at one point gives, and where each of its leaves was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from infx.errors import Problem
from infx.model.document import Key
from infx.model.recipe import BoundRecipe

Path = tuple[Key, ...]
"""The keys from the root of a bound tree to one of its parts."""


def dotted(path: Path) -> str:
    """Return a path as people write it.

    >>> dotted(("services", 4, "args"))
    'services[4].args'
    """
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


@dataclass(frozen=True, slots=True)
class Origin:
    """One layer that wrote a leaf (`override_c4`, `base`, `shared block`), its line and value.

    `value` is what this layer wrote there; None also for the null that removes, and for a mapping.
    """

    layer: str
    file: str
    line: int
    value: JsonValue = None

    @property
    def where(self) -> str:
        """The place as `file:line`."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Binding:
    """One variant of a recipe file, bound at a point.

    `tree` is the concrete recipe in schema-2 form, whatever form the file has; `form` is the file's
    (1 or 2). `origins` has every leaf of `tree`, the layer that won first, then those it hid; a
    list of plain values is one leaf. `removed` has the leaves that a null took away: the layer of
    the null first. `variant` is the selector (`override_c4`, `zip_override_tp4[2]`), `base` for a
    bundle's base and empty for a plain file.
    """

    file: str
    variant: str
    tree: Mapping[str, JsonValue]
    origins: Mapping[Path, tuple[Origin, ...]]
    recipe: BoundRecipe
    removed: Mapping[Path, tuple[Origin, ...]] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()
    form: int = 2
