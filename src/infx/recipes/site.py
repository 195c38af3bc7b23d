"""The leaves of a recipe that say where it runs, or that a point says: no part of its identity.

The declared list of the design: job name, paths, hosts, partition, account, ports, mounts, logs,
health limits, staging path. Concurrency stands in the point, beside its recipe.
"""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from infx.model.recipe import Site
from infx.recipes.binding import Path, dotted
from infx.recipes.merge import Branch, Leaf, Node, leaves
from infx.recipes.topology import whole

POINT: tuple[Path, ...] = (
    ("benchmark", "concurrencies"),
    ("benchmark", "env", "CONC"),
    ("benchmark", "env", "CONC_LIST"),
)
FIELDS: Mapping[Path, str] = {
    ("name",): "job_name",
    ("slurm", "partition"): "partition",
    ("slurm", "account"): "account",
    ("staging_path",): "staging_path",
    ("log_dir",): "logs",
    ("container_mounts",): "mounts",
    ("telemetry", "dcgm_exporter", "port"): "ports",
    ("benchmark", "env", "PORT"): "ports",
    ("benchmark", "env", "RESULT_DIR"): "paths",
    ("benchmark", "env", "AGENTIC_OUTPUT_DIR"): "paths",
    ("benchmark", "env", "HF_HUB_CACHE"): "paths",
    ("benchmark", "env", "HUGGINGFACE_HUB_CACHE"): "paths",
    ("benchmark", "env", "AIPERF_DATASET_MMAP_CACHE_DIR"): "paths",
    ("benchmark", "env", "INFMAX_CONTAINER_WORKSPACE"): "paths",
}
"""Path to the field of `Site` that has it."""

ARGUMENTS: Mapping[str, str] = {
    "host": "hosts",
    "prometheus-host": "hosts",
    "dist-init-addr": "hosts",
    "port": "ports",
    "prometheus-port": "ports",
    "nccl-port": "ports",
    "data-parallel-rpc-port": "ports",
    "disaggregation-bootstrap-port": "ports",
    "model-path": "paths",
    "download-dir": "paths",
}
"""The same for arguments of roles and frontends, with `-` for `_`."""

HEALTH: Path = ("health_check",)
HEALTH_ATTEMPTS, HEALTH_INTERVAL_S = 180, 10
"""What the public launcher waits where a recipe states one of the two."""


def site_of(root: Branch) -> tuple[Site, frozenset[Path]]:
    """Return the site leaves of a merged recipe, and the paths of all that its identity leaves out.

    An absolute path of a checkpoint is a path; an alias or `hf:` name is the model, and stays.
    """
    fields: dict[str, list[tuple[Path, JsonValue]]] = {}
    out: set[Path] = set()
    for path, leaf in leaves(root):
        field = _field(path, leaf)
        if field is None and path not in POINT and path[:1] != HEALTH:
            continue
        out.add(path)
        if field is not None:
            fields.setdefault(field, []).append((path, leaf.value))
    ports = [(path, whole(value)) for path, value in fields.get("ports", ())]
    site = Site(
        job_name=_only(fields, "job_name"),
        partition=_only(fields, "partition"),
        account=_only(fields, "account"),
        staging_path=_only(fields, "staging_path"),
        logs=_only(fields, "logs"),
        paths={dotted(path): str(value) for path, value in fields.get("paths", ())},
        hosts=tuple(dict.fromkeys(str(value) for _, value in fields.get("hosts", ()))),
        ports={dotted(path): port for path, port in ports if port is not None},
        mounts=tuple(_mounts(fields.get("mounts", ()))),
        health_limit_s=_health_limit_s(root),
    )
    return site, frozenset(out)


def without(node: Node, out: frozenset[Path], path: Path = ()) -> Node | None:
    """Return a node without some leaves, and without mappings that have nothing left in them."""
    if path in out:
        return None
    if isinstance(node, Leaf):
        return None if node.value == {} and path else node
    parts = {key: without(part, out, (*path, key)) for key, part in node.parts.items()}
    kept = {key: part for key, part in parts.items() if part is not None}
    if not kept and path and not node.sequence:
        return None
    return Branch(kept, node.origins, node.sequence)


def _field(path: Path, leaf: Leaf) -> str | None:
    if leaf.value is None:
        return None
    if path == ("model", "path"):
        return "paths" if str(leaf.value).startswith("/") else None
    if path in FIELDS:
        return FIELDS[path]
    if len(path) > 1 and path[-2] == "args" and path[0] in ("roles", "frontend"):
        field = ARGUMENTS.get(str(path[-1]).replace("_", "-"))
        is_port = field != "ports" or whole(leaf.value) is not None
        return field if is_port else None
    return None


def _only(fields: Mapping[str, list[tuple[Path, JsonValue]]], name: str) -> str | None:
    return str(fields[name][0][1]) if name in fields else None


def _mounts(found: list[tuple[Path, JsonValue]] | tuple[()]) -> Iterator[str]:
    for _, value in found:
        yield from map(str, value if isinstance(value, list) else [value])


def _health_limit_s(root: Branch) -> int | None:
    section = root.parts.get(HEALTH[0])
    if not isinstance(section, Branch):
        return None
    values = {str(key): part.value for key, part in section.parts.items() if isinstance(part, Leaf)}
    attempts = whole(values.get("max_attempts"))
    interval = whole(values.get("interval_seconds"))
    if attempts is None and interval is None:
        return None
    return (attempts or HEALTH_ATTEMPTS) * (interval or HEALTH_INTERVAL_S)
