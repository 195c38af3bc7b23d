"""An entry of the changelog: which config keys a change asks to measure again, and why."""

from typing import Annotated, Literal

from pydantic import Field

from infx.model.catalog import Word
from infx.model.value import KebabValue

Scenario = Literal["fixed-seq-len", "agentic-coding"]
SCENARIOS: tuple[Scenario, ...] = ("fixed-seq-len", "agentic-coding")
Words = Annotated[tuple[Word, ...], Field(min_length=1)]


class Entry(KebabValue):
    """One entry of perf-changelog.yaml."""

    config_keys: Words = Field(description="Config keys; `*` stands for any text.")
    description: Words = Field(description="What changed, a sentence each.")
    pr_link: Word = Field(description="The pull request, or .../pull/XXX before it has a number.")
    scenario_type: Annotated[tuple[Scenario, ...], Field(min_length=1)] | None = Field(
        default=None, description="Only these scenarios of the keys; unwritten is all."
    )
    evals_only: bool = Field(default=False, description="Run evals without throughput.")
    all_evals: bool = Field(default=False, description="Evaluate every eligible point.")
    no_evals: bool = Field(default=False, description="Run no evals.")
    append_only: bool = Field(
        default=False, description="Run only the points that curves gain; nothing else changed."
    )
    eval_min_prefill_ep: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Evaluate several nodes only from this prefill EP on."
    )

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios that the entry asks for."""
        return SCENARIOS if self.scenario_type is None else self.scenario_type


class ChangelogCheck(KebabValue):
    """What `infx changelog check` found.

    `entries` counts what the change adds; `changed` are the config keys whose points differ.
    Without `violations` the verdict is yes.
    """

    file: str
    base: str
    entries: int
    changed: tuple[str, ...]
    violations: tuple[str, ...]
