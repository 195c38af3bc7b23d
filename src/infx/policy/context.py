"""What a check is given beside the submission: the policy set, and the registries it rests on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from infx.model.checklist import Checklist
from infx.model.model_registry import ModelRegistry
from infx.model.policy_set import PolicySet
from infx.model.registry import EngineRegistry, HardwareRegistry, PageRegistry, Thresholds
from infx.model.setting_registry import HarnessRegistry
from infx.model.submission import Submission
from infx.model.verdict import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A policy set, and the shipped facts that its checks compare with."""

    policy: PolicySet
    models: ModelRegistry
    engines: EngineRegistry
    hardware: HardwareRegistry
    thresholds: Thresholds
    harness: HarnessRegistry
    pages: PageRegistry
    checklist: Checklist


class Check(Protocol):
    """What a module of `policy.checks` defines.

    `NEEDS` are the parts of a submission without which it can say nothing good. `check` yields at
    least one finding; a lone N/A finding says why the check does not apply.
    """

    NEEDS: Sequence[str]

    def check(self, submission: Submission, context: Context) -> Iterator[Finding]:
        """Yield what the submission's facts say under this rule."""
