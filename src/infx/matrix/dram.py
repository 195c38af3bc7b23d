"""How much of a node's DRAM the offloaded KV blocks of one replica may fill."""

from decimal import Decimal

from infx.errors import InputError, Problem
from infx.model.catalog import AgenticCoding, AgenticSearchSpace, Runners

MAX_MIB = 2_861_022
"""3 TB, the most of a node's DRAM that may count, in MiB."""

_BYTES_PER_MIB = 2**20
_BYTES_PER_GB = 10**9


def budget_gb(mib: int, utilization: float, gpus: int, gpus_per_node: int) -> int:
    """Return the budget in GB, rounded down: the share of the node that `gpus` stand for.

    >>> budget_gb(860_160, 0.8, 4, 4)
    721
    """
    share = Decimal(min(mib, MAX_MIB)) * _BYTES_PER_MIB * Decimal(str(utilization)) * gpus
    return int(share / gpus_per_node / _BYTES_PER_GB)


def offload_gb(
    space: AgenticSearchSpace, scenario: AgenticCoding, *, runner: str, runners: Runners, where: str
) -> int:
    """Return the budget of a search space in GB; 0 where it offloads nothing to DRAM.

    It is that of one server process: of a single node's topology, or of a prefill (or aggregate)
    worker on one of its nodes. Raises InputError where the runner's DRAM is not known or the
    replica does not tile the nodes.
    """
    tiers = (space.kv_offloading,) if isinstance(space.kv_offloading, str) else space.kv_offloading
    if "dram" not in (tiers or ()):
        return 0
    node = runners.node(runner)
    if node is None or node.available_cpu_dram_mib is None:
        what = f"the DRAM of runner {runner} is not known, and KV blocks are offloaded to it"
        raise InputError(Problem(what, where, "state available-cpu-dram-mib in the runner file"))
    if scenario.dram_utilization is None:
        raise InputError(
            Problem("kv-offloading dram has no dram-utilization", where, "add it to the scenario")
        )
    used = _gpus_used(space, node.gpus_per_node)
    if used is None:
        what = f"a replica does not tile nodes of {node.gpus_per_node} GPUs"
        raise InputError(Problem(what, where, "use whole nodes, or an even part of one"))
    return budget_gb(
        node.available_cpu_dram_mib, scenario.dram_utilization, used, node.gpus_per_node
    )


def _gpus_used(space: AgenticSearchSpace, gpus_per_node: int) -> int | None:
    worker = space.worker or space.prefill
    if worker is not None:
        return gpus_on_node(worker.gpus, gpus_per_node)
    gpus = (space.tp or 1) * space.pp * space.pcp_size
    return gpus if gpus <= gpus_per_node else None


def gpus_on_node(gpus: int, gpus_per_node: int) -> int | None:
    """Return the GPUs that a replica takes of each of its nodes; None where it does not tile them.

    >>> gpus_on_node(2, 8), gpus_on_node(16, 8), gpus_on_node(3, 8), gpus_on_node(12, 8)
    (2, 8, None, None)
    """
    large, small = max(gpus, gpus_per_node), min(gpus, gpus_per_node)
    return None if large % small else small
