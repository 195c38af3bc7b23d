"""Catalogs from YAML text: what a test writes stands on the lines that messages name."""

from infx.matrix.catalog import Catalog, catalog
from infx.store.documents import parse_yaml

AUGUST = """\
labels:
  h200: [h200-a_0, h200-a_1]
  gb200: [gb200-b_0]
  cluster:h200-a: [h200-a_0, h200-a_1]
  cluster:gb200-b: [gb200-b_0]
  cluster:unmeasured: [new_0]
hardware:
  cluster:h200-a: {available-cpu-dram-mib: 1_998_848, gpus-per-node: 8}
  cluster:gb200-b: {available-cpu-dram-mib: 860_160, gpus-per-node: 4}
"""

OCTOBER = """\
labels:
  h200: [h200-a_0]
  cluster:h200-a: [h200-a_0]
clusters:
  h200-a:
    gpus-per-node: 8
    arch: x86_64
    scheduler: slurm
    slurm: {partition: main, exclusive: false}
"""

HEAD = """\
toy:
  image: org/engine:v1
  model: acme/Toy
  model-prefix: toy
  precision: fp8
  framework: sglang
"""
"""The first six lines of an entry."""


def judged(*masters: str, runners: str = AUGUST) -> Catalog:
    """Return the catalog of master texts, which stand in a.yaml, b.yaml and so on."""
    documents = [
        parse_yaml(text.encode(), f"{letter}.yaml")
        for letter, text in zip("abc", masters, strict=False)
    ]
    return catalog(documents, parse_yaml(runners.encode(), "runners.yaml"))


def single(row: str, *, runner: str = "h200", more: str = "") -> str:
    """Return an entry on one node whose only fixed-length row stands on line 12."""
    return (
        f"{HEAD}  runner: {runner}\n  multinode: false\n  scenarios:\n    fixed-seq-len:\n"
        f"    - {{isl: 8192, osl: 1024, search-space: [\n        {{{row}}}]}}\n{more}"
    )


def several(row: str, *, disagg: bool = True, more: str = "  kv-p2p-transfer: nixl\n") -> str:
    """Return an entry over several nodes of four GPUs; its row stands on line 13."""
    return (
        f"{HEAD}  runner: gb200\n  multinode: true\n  disagg: {str(disagg).lower()}\n"
        "  scenarios:\n    fixed-seq-len:\n"
        f"    - {{isl: 8192, osl: 1024, search-space: [\n        {{{row}}}]}}\n{more}"
    )


def agentic(row: str, *, runner: str = "cluster:h200-a", scenario: str = "") -> str:
    """Return an entry on one node whose only agentic row stands on line 12."""
    return (
        f"{HEAD}  runner: {runner}\n  multinode: false\n  scenarios:\n    agentic-coding:\n"
        f"    - {{{scenario} search-space: [\n        {{{row}}}]}}\n"
    )


def spread(row: str, *, more: str = "  disagg: true\n", scenario: str = "") -> str:
    """Return an entry over several nodes whose only agentic row stands on line 13."""
    text = agentic(row, runner="cluster:gb200-b", scenario=scenario)
    return text.replace("multinode: false\n", f"multinode: true\n{more}") + (
        "  kv-p2p-transfer: nixl\n" if "disagg: true" in more else ""
    )
