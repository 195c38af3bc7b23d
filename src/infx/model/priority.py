"""Which jobs run first: the policy in ci-priority.yaml."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from infx.model.catalog import Word
from infx.model.value import KebabValue

Points = Annotated[Decimal, Field(allow_inf_nan=False)]
NONE = Decimal(0)


class Adjustments(KebabValue):
    """What is added to a job's score, by what the job is."""

    event: dict[Word, Points] = Field(default_factory=dict, description="By the forge's event.")
    multi_node: Points = NONE
    agentic: Points = NONE
    eval_only: Points = NONE
    precision: dict[Word, Points] = Field(default_factory=dict)
    spec_decoding: dict[Word, Points] = Field(default_factory=dict)
    framework_prefix: dict[Word, Points] = Field(
        default_factory=dict, description="The first word that the engine is, or begins with."
    )
    model_prefix: dict[Word, Points] = Field(default_factory=dict)


class SkipQueue(KebabValue):
    """The label of a pull request whose jobs wait for nobody."""

    name: Word


class ChecklistComplete(KebabValue):
    """Labels of a pull request whose checklist is done."""

    names: tuple[Word, ...]
    adjustment: Points = NONE


class Patchwork(KebabValue):
    """Labels of a pull request that patches an engine, and those that waive this."""

    names: tuple[Word, ...]
    score: Points = Field(default=NONE, description="The score, whatever else the job is.")
    waived_by: tuple[Word, ...] = ()


class Labels(KebabValue):
    """What labels of a pull request do."""

    skip_queue: SkipQueue | None = None
    checklist_complete: ChecklistComplete | None = None
    patchwork: Patchwork | None = None


class CiPriority(KebabValue):
    """The policy: a base, what is added to it, and labels. A higher score runs first."""

    version: Literal[1]
    base_score: Points
    adjustments: Adjustments = Field(default_factory=Adjustments)
    labels: Labels = Field(default_factory=Labels)
