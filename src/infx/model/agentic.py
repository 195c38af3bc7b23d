"""Replaying recorded agent sessions: what is asked, and under which named rule."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from infx.model.value import Value
from infx.model.workload import FixedWorkload

Rule = Literal["full", "fast", "demo", "custom"]
"""Which settings are promised: all of AgentX's (`full`), those of its 1200 s variant (`fast`), a
short look (`demo`), or none (`custom`). Only `full` can be a submission."""

LEAST_PROFILE_S = 900
"""AgentX refuses a shorter profile."""

_AGENTX: Mapping[str, object] = MappingProxyType(
    {
        "seed": 42,
        "window": (0.25, 0.75),
        "split_chains": True,
        "warmups_per_lane": 10,
        "duration_s": 3600.0,
        "idle_cap_s": 10.0,
        "tree_idle_cap_s": 300.0,
        "cache_bust": True,
        "ignore_eos": True,
    }
)
RULES: Mapping[Rule, Mapping[str, object]] = MappingProxyType(
    {
        "full": _AGENTX,
        "fast": MappingProxyType({**_AGENTX, "warmups_per_lane": 1, "duration_s": 1200.0}),
        "demo": MappingProxyType({**_AGENTX, "warmups_per_lane": 1, "duration_s": 20.0}),
        "custom": _AGENTX,
    }
)
"""The settings that a rule begins with."""


class AgenticWorkload(Value):
    """Recorded sessions of `corpus` (sha256:... of its file), replayed on lanes.

    Each lane always holds one live session. The first of each begins in its middle, at a moment
    drawn from `window`, a share of the time from the session's first to its last request; null
    begins at its first. Before profiling, every conversation that is live at that moment is primed,
    and each lane then asks `warmups_per_lane` turns for one token. `duration_s` null plays each
    trace once. Pauses are those of the recording, except that the whole load never idles for longer
    than `idle_cap_s`, nor one session for longer than `tree_idle_cap_s` (null: it may).

    Traces that need more context than `max_context` are left out whole. `split_chains` parts
    unlabelled parallel work into conversations of its own. With `cache_bust` every play has a text
    of its own before its first user message. `default_output` limits answers whose length nobody
    recorded. `tokenizer` is as in a fixed workload; a null `temperature` is not sent.
    """

    scenario: Literal["agentic"] = "agentic"
    corpus: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    seed: int = 42
    window: tuple[float, float] | None = (0.25, 0.75)
    max_context: int | None = Field(default=None, gt=0)
    split_chains: bool = True
    warmups_per_lane: int = Field(default=10, ge=0)
    duration_s: float | None = Field(default=3600.0, gt=0)
    idle_cap_s: float | None = Field(default=10.0, gt=0)
    tree_idle_cap_s: float | None = Field(default=300.0, gt=0)
    cache_bust: bool = True
    ignore_eos: bool = True
    temperature: float | None = Field(default=None, ge=0)
    default_output: int = Field(default=256, gt=0)
    tokenizer: str = "calibrated"
    api: Literal["chat"] = "chat"
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    rule: Rule = "full"

    @model_validator(mode="after")
    def _is_whole(self) -> "AgenticWorkload":
        if self.window is not None:
            low, high = self.window
            if not 0 <= low <= high <= 1:
                raise ValueError("a window is two shares of 0 to 1, the smaller one first")
        if broken := self.breaches():
            raise ValueError(f"the rule {self.rule} does not allow {', '.join(broken)}")
        return self

    def breaches(self) -> list[str]:
        """Return the settings that the named rule promises otherwise."""
        if self.rule in ("demo", "custom"):
            return []
        promised = {**RULES[self.rule]}
        broken = []
        if self.rule == "full":
            del promised["duration_s"]
            if self.duration_s is None or self.duration_s < LEAST_PROFILE_S:
                broken.append(f"duration_s {self.duration_s}")
        stated = {name: getattr(self, name) for name in promised}
        return broken + [f"{name} {stated[name]}" for name in promised
                         if stated[name] != promised[name]]  # fmt: skip

    @classmethod
    def under(cls, rule: Rule, *, corpus: str, **stated: object) -> "AgenticWorkload":
        """Return the workload of a rule with what is stated beside it.

        What is stated wins; a rule that does not allow it is given up for `custom`. Raises
        ValueError for settings that no workload can have.
        """
        settings: dict[str, object] = {**RULES[rule], **stated, "corpus": corpus}
        loose = cls.model_validate({**settings, "rule": "custom"})
        named = loose.model_copy(update={"rule": rule})
        return loose if named.breaches() else named


def own_fields(workload: FixedWorkload | AgenticWorkload) -> dict[str, JsonValue]:
    """Return the fields of each request's body that a workload decides, its extra ones apart."""
    fields: dict[str, JsonValue] = {}
    if workload.temperature is not None:
        fields["temperature"] = workload.temperature
    if workload.ignore_eos:
        fields["ignore_eos"] = True
    return fields


Workload = Annotated[FixedWorkload | AgenticWorkload, Field(discriminator="scenario")]
"""Whatever a point asks."""
