"""The sections that a recipe of schema 2 may have."""

from collections.abc import Iterator

from infx.errors import Problem, nearest
from infx.recipes.merge import Branch, Node

SECTIONS = (
    "schema", "name", "model", "identity", "resources", "engine", "roles", "frontend",
    "benchmark", "health_check", "environment", "dynamo", "infra", "services", "placement",
    "observability", "telemetry", "slurm", "sbatch_directives", "srun_options", "setup_script",
)  # fmt: skip


def unknown_sections(root: Branch) -> Iterator[Problem]:
    """Yield every section of a merged recipe that the public launcher does not know."""
    for name, node in root.parts.items():
        if name not in SECTIONS:
            advice = nearest(str(name), SECTIONS)
            yield Problem(f"{name} is no section of a recipe", _where(node), advice)


def _where(node: Node) -> str | None:
    return node.origins[0].where if node.origins else None
