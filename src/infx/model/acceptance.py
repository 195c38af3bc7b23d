"""Golden acceptance: how many tokens a verification step of speculative decoding is taken to give.

The acceptance length (AL) is 1 + accepted draft tokens / verification steps, so it counts the
target's own token. Lengths are decimals, never binary fractions: 2.49 is compared with 2.49.
"""

from decimal import Decimal
from typing import Literal

from pydantic import Field, JsonValue

from infx.model.value import Value

Thinking = Literal["thinking_on", "thinking_off"]


class Source(Value):
    """The public run that a curve's values come from.

    `shows` says what its logs show: the measurement itself, or a launch that used the value.
    """

    run: str
    shows: Literal["measurement", "launch"]


class Curve(Value):
    """The golden acceptance lengths of one model and one way to speculate.

    `cells` is thinking mode -> draft length -> AL. A `partial` curve has only those cells that
    public material proves. `measured` are the settings of the measurement, as its file has them.
    """

    name: str
    model: str
    cells: dict[Thinking, dict[int, Decimal]]
    partial: bool = False
    source: Source | None = None
    measured: dict[str, JsonValue] = Field(default_factory=dict)


class Cell(Value):
    """One golden acceptance length, and where it was looked up."""

    curve: str
    model: str
    thinking: Thinking
    length: int
    al: Decimal
