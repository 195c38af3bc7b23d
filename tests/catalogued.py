"""Small catalogs for tests: entries from few words, with what every entry needs filled in."""

import json
from collections.abc import Mapping
from typing import Any

from infx.matrix.catalog import Catalog
from infx.matrix.expand import rows
from infx.matrix.options import Options
from infx.model.catalog import ConfigKey, HardwareRunners, Runners
from infx.model.cluster import ClusterRunners

PAIR = {"tp": 8, "ep": 8, "dp-attn": True, "num-worker": 1}
"""One role of two."""


def fixed(*spaces: Mapping[str, Any], isl: int = 8192, osl: int = 1024) -> dict[str, Any]:
    """Return scenarios that ask requests of fixed lengths."""
    return {"fixed-seq-len": [{"isl": isl, "osl": osl, "search-space": list(spaces)}]}


def agentic(*spaces: Mapping[str, Any], dram: float | None = None) -> dict[str, Any]:
    """Return scenarios that replay agent sessions."""
    utilization = {} if dram is None else {"dram-utilization": dram}
    return {"agentic-coding": [{"search-space": list(spaces), **utilization}]}


def entry(scenarios: Mapping[str, Any], **fields: Any) -> ConfigKey:
    """Return a catalog entry; fields are written with `_` for `-`."""
    own = {name.replace("_", "-"): value for name, value in fields.items()}
    common = {
        "image": "org/engine:v1", "model": "acme/Toy", "model-prefix": "toy", "precision": "fp8",
        "framework": "sglang", "runner": "h200", "multinode": False, "scenarios": scenarios,
    }  # fmt: skip
    return ConfigKey.model_validate_json(json.dumps({**common, **own}))


def multi(scenarios: Mapping[str, Any], **fields: Any) -> ConfigKey:
    """Return an entry that serves prefill and decode apart, over several nodes."""
    return entry(scenarios, multinode=True, disagg=True, kv_p2p_transfer="nixl", **fields)


def hardware(labels: Mapping[str, list[str]] | None = None, **records: Any) -> HardwareRunners:
    """Return a runner file in the form of August."""
    known = labels or {"h200": ["h200-a_0", "h200-b_0"], "cluster:h200-a": ["h200-a_0"]}
    found = records or {"cluster:h200-a": {"gpus-per-node": 8, "available-cpu-dram-mib": 1_000_000}}
    return HardwareRunners.model_validate_json(json.dumps({"labels": known, "hardware": found}))


def clusters(**records: Any) -> ClusterRunners:
    """Return a runner file in the form of October, from fields of each cluster."""
    labels = {f"cluster:{name}": [f"{name}_0"] for name in records}
    full = {
        name: {"arch": "x86_64", "scheduler": "slurm", "gpus-per-node": 8, **fields}
        for name, fields in records.items()
    }
    return ClusterRunners.model_validate_json(json.dumps({"labels": labels, "clusters": full}))


def catalog(runners: Runners | None = None, **entries: ConfigKey) -> Catalog:
    """Return a catalog whose keys are written with `_` for `-`, each on a line of its own."""
    keys = {name.replace("_", "-"): config for name, config in entries.items()}
    where = {name: f"master.yaml:{line}" for line, name in enumerate(keys, 1)}
    return Catalog(keys=keys, where=where, runners=runners or hardware())


def expanded(config: ConfigKey, *, runners: Runners | None = None, **options: Any) -> list[Any]:
    """Return the rows of one entry."""
    found = catalog(runners, toy=config)
    return rows(found, found.keys, Options(**{"edition": "2026-08", **options}))


def public(row: Any) -> dict[str, Any]:
    """Return a row as the public generator prints it."""
    return row.model_dump(mode="json", by_alias=True, exclude_none=True)
