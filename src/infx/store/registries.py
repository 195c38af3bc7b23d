"""The registries that infx ships, or others in their form."""

from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from infx.model.checklist import ChecklistRegistry
from infx.model.model_registry import ModelRegistry
from infx.model.policy_set import PolicyRegistry
from infx.model.registry import (
    EngineRegistry,
    HardwareRegistry,
    PageRegistry,
    Registry,
    Thresholds,
)
from infx.model.setting_registry import (
    ArchitectureRegistry,
    DraftPrecisionRegistry,
    HarnessRegistry,
    PackageRegistry,
    ThinkingRegistry,
)
from infx.store.documents import read_yaml, validate

FOLDER = Path(str(files("infx").joinpath("data", "registries")))

Kind = TypeVar("Kind", bound=Registry)

FILES: dict[type[Registry], str] = {
    ModelRegistry: "models.yaml",
    HardwareRegistry: "hardware.yaml",
    EngineRegistry: "engines.yaml",
    Thresholds: "thresholds.yaml",
    PageRegistry: "pages.yaml",
    PolicyRegistry: "policy-sets.yaml",
    ChecklistRegistry: "checklists.yaml",
    HarnessRegistry: "harness-only.yaml",
    ArchitectureRegistry: "architecture.yaml",
    DraftPrecisionRegistry: "draft-precision.yaml",
    ThinkingRegistry: "thinking.yaml",
    PackageRegistry: "packages.yaml",
}
"""What a registry is, and the file that holds it."""


def registry(kind: type[Kind], folder: Path = FOLDER) -> Kind:
    """Return a registry of a folder, that of infx by default.

    Raises InputError with every problem of its file: a registry that cannot be read is no empty
    one, and nobody is judged by it.
    """
    return validate(read_yaml(folder / FILES[kind]), kind)
