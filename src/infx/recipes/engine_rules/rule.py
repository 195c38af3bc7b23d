"""One thing that an engine decides, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

UNSET = None
"""In a condition: nobody states the setting, and no rule decides it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rule was read: a file of the engine's package and a name in it."""

    engine: str
    version: str
    file: str
    symbol: str

    def __str__(self) -> str:
        return f"{self.engine} {self.version}, {self.symbol} in {self.file}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What decides `setting` when the recipe does not state it; `forced`: even when it does.

    The rule applies when every setting of `when` has one of its values, read after all rules; facts
    of the machine stand among them as `gpu` and `role`. It gives `value`, or what `same_as` has,
    plus `plus`, but not more than `at_most` has. `certain` says that nothing outside the recipe
    takes part: otherwise the image, the checkpoint or the device has a say, and `because` says
    which.
    """

    setting: str
    value: JsonValue = None
    same_as: str | None = None
    plus: int = 0
    at_most: str | None = None
    when: Mapping[str, tuple[JsonValue, ...]] = field(default_factory=dict)
    forced: bool = False
    certain: bool = True
    because: str
    source: Source
