"""What facts of bound recipes are held beside: registries, curves, and what a caller gave."""

from collections.abc import Mapping
from dataclasses import dataclass

from infx.flows.evidence.checkpoints import Checkpoints
from infx.flows.evidence.logs import Logs
from infx.model.acceptance import Curve
from infx.model.config_facts import Config
from infx.model.model_registry import ModelRegistry
from infx.model.setting_registry import (
    ArchitectureRegistry,
    DraftPrecisionRegistry,
    ThinkingRegistry,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The commit that recipes are bound at, its affected entries, and all that is known besides."""

    commit: str
    configs: Mapping[str, Config]
    models: ModelRegistry
    precision: DraftPrecisionRegistry
    architecture: ArchitectureRegistry
    thinking: ThinkingRegistry
    golden: Mapping[str, Curve]
    checkpoints: Checkpoints
    logs: Logs
