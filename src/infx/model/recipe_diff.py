"""What tells two bound recipes apart, and what follows from it."""

from typing import Literal

from pydantic import Field, JsonValue

from infx.model.value import Value

Kind = Literal["added", "removed", "changed"]
How = Literal["stated", "forced", "inherited", "default"]


class Side(Value):
    """A leaf on one side: what it says and where it was written as `file:line`.

    For a leaf that a null took away, `where` is the place of the null.
    """

    value: JsonValue = None
    where: str | None = None


class LeafChange(Value):
    """One leaf that differs; `path` has the keys from the root of the bound recipe."""

    kind: Kind
    path: tuple[str | int, ...]
    role: str | None = None
    before: Side = Side()
    after: Side = Side()


class Decision(Value):
    """What a setting is in the end, who decided it, and by which rule of the engine.

    `inherited_from` is the setting whose value this one takes. `certain` is False where the image,
    the checkpoint or the device may decide otherwise.
    """

    value: JsonValue = None
    how: How
    inherited_from: str | None = None
    because: str | None = None
    certain: bool = True
    source: str | None = None


class Effect(Value):
    """A setting of a role's engine that is something else because of the changed leaves.

    A side is null when nobody states the setting and no rule of ours knows what the engine does.
    """

    role: str
    setting: str
    before: Decision | None = None
    after: Decision | None = None
    certain: bool


class RecipeDiff(Value):
    """Two bound recipes: the leaves that differ, the derived effects, and what was not checked."""

    a: str
    b: str
    leaves: tuple[LeafChange, ...] = ()
    effects: tuple[Effect, ...] = ()
    notes: tuple[str, ...] = Field(default_factory=tuple)
