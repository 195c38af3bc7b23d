"""Policy sets: which checks judge a submission, and by which numbers. Versioned data."""

from decimal import Decimal
from typing import Literal

from pydantic import Field, model_validator

from infx.model.registry import Registry, Row


class CheckRow(Row):
    """A check by its id in words; `number` is the public one, null for checks of our own.

    `inferred` rules are ours: the public system has the check, and no page states its rule.
    """

    id: str = Field(pattern="^[a-z]+(-[a-z]+)*$")
    number: int | None
    name: str
    inferred: bool = False


class PolicySet(Row):
    """The checks of one version of the rules, in their order, and what those leave open.

    `advisory` checks warn and never reject. `last_floor` is the score that a task without a floor
    of its own is held to; null fails such a task. `frontier_points` are wanted of a curve,
    `gap_ratio` is the largest step between neighbours of a frontier. `multi_node_pages` tells
    whether launches over several nodes need a published page. `default` is one set's.
    """

    id: str
    default: bool = False
    checks: tuple[str, ...] = Field(min_length=1)
    advisory: tuple[str, ...]
    last_floor: Decimal | None
    frontier_points: int | None
    gap_ratio: Decimal | None
    multi_node_pages: Literal["required", "exempt"]
    note: str


class PolicyRegistry(Registry):
    """All checks and all sets of them."""

    checks: tuple[CheckRow, ...]
    sets: tuple[PolicySet, ...]

    @model_validator(mode="after")
    def _is_consistent(self) -> "PolicyRegistry":
        known = [one.id for one in self.checks]
        if len(set(known)) < len(known):
            raise ValueError("a check stands once")
        for one in self.sets:
            if not set(one.advisory) <= set(one.checks) <= set(known):
                raise ValueError(f"{one.id} has known checks, and advisory ones among them")
        if sum(one.default for one in self.sets) != 1:
            raise ValueError("exactly one set is the default")
        return self
