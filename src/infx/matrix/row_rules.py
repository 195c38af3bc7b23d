"""Rules of one row of a search space: concurrencies, topology, offload, fit to the nodes."""

from collections.abc import Iterator

from infx.matrix.faults import Fault, Path
from infx.model.catalog import (
    AgenticCoding,
    AgenticSearchSpace,
    ConfigKey,
    Hardware,
    SearchSpace,
    Worker,
)
from infx.model.value import kebab

_ONE_NODE = ("tp", "pp", "dcp_size", "pcp_size", "ep", "dp_attn")
_SEVERAL_NODES = ("worker", "num_nodes", "prefill", "decode", "power")


def faults(key: ConfigKey, row: SearchSpace, at: Path) -> Iterator[Fault]:
    """Yield what is wrong with a row that stands at `at` of its entry."""
    yield from _concurrencies(row, at)
    yield from _several_nodes(key, row, at) if key.multinode else _one_node(row, at)
    if row.prefill and row.decode and bool(row.prefill.hardware) != bool(row.decode.hardware):
        stated, other = ("prefill", "decode") if row.prefill.hardware else ("decode", "prefill")
        what = f"{stated} names its hardware, {other} on {{line}} does not"
        yield Fault(
            (*at, stated, "hardware"), what, "name it for both, or for neither", (*at, other)
        )
    for name, replica in _replicas(row):
        if replica.tp is not None and replica.tp % replica.dcp_size:
            place = (*at, *name)
            what = f"{replica.dcp_size} does not divide tp {replica.tp} on {{line}}"
            remedy = "decode context parallelism reuses the GPUs of tp"
            yield Fault((*place, "dcp-size"), what, remedy, (*place, "tp"))


def _replicas(row: SearchSpace) -> Iterator[tuple[Path, SearchSpace | Worker]]:
    """Yield what one replica of each role that serves is made of, and its path in the row."""
    if row.tp is not None:
        yield (), row
    for name in ("worker", "prefill", "decode"):
        worker: Worker | None = getattr(row, name)
        if worker is not None and worker.num_worker:
            yield (name,), worker


def _concurrencies(row: SearchSpace, at: Path) -> Iterator[Fault]:
    start, end = row.conc_start, row.conc_end
    if row.conc_list is not None:
        for name in ("conc-start", "conc-end"):
            if getattr(row, name.replace("-", "_")) is not None:
                what = "the concurrencies are a list on {line} already"
                yield Fault((*at, name), what, "keep the list or the range", (*at, "conc-list"))
    elif start is None and end is None:
        yield Fault(at, "no concurrency is stated", "add conc-list, or conc-start and conc-end")
    elif start is None or end is None:
        here, missing = ("conc-start", "conc-end") if end is None else ("conc-end", "conc-start")
        yield Fault((*at, here), f"the range has no {missing}", f"add {missing}")
    elif start > end:
        what = f"{start} is above conc-end {end} on {{line}}"
        yield Fault((*at, "conc-start"), what, "swap the two", (*at, "conc-end"))


def _one_node(row: SearchSpace, at: Path) -> Iterator[Fault]:
    if row.tp is None:
        yield Fault(at, "tp is missing", "add tp, or set multinode: true")
    for name in _SEVERAL_NODES:
        if name in row.model_fields_set:
            what = "this needs several nodes, and multinode is false on {line}"
            remedy = "remove it, or set multinode: true"
            yield Fault((*at, kebab(name)), what, remedy, ("multinode",))


def _several_nodes(key: ConfigKey, row: SearchSpace, at: Path) -> Iterator[Fault]:
    for name in _ONE_NODE:
        if name in row.model_fields_set:
            what = "this belongs to one node, and multinode is true on {line}"
            yield Fault((*at, kebab(name)), what, "state it for each role", ("multinode",))
    if key.disagg:
        for name in ("worker", "num_nodes"):
            if name in row.model_fields_set:
                what = "this belongs to an aggregate, and disagg is true on {line}"
                yield Fault((*at, kebab(name)), what, "state prefill and decode", ("disagg",))
        yield from _missing(row, at, ("prefill", "decode"))
    elif row.worker is not None or (row.prefill is None and row.decode is None):
        for name in ("prefill", "decode"):
            if getattr(row, name) is not None:
                what = "this stands beside the aggregate worker on {line}"
                yield Fault((*at, name), what, "keep the worker, or the roles", (*at, "worker"))
        yield from _missing(row, at, ("worker", "num_nodes"))
    else:
        # The form of August: prefill serves both phases, and decode has no workers.
        yield from _missing(row, at, ("prefill", "decode"))
        if row.decode is not None and row.decode.num_worker:
            what = f"decode has its own workers ({row.decode.num_worker}), and disagg is not true"
            remedy = "set disagg: true, or state one worker and num-nodes"
            yield Fault((*at, "decode", "num-worker"), what, remedy)


def _missing(row: SearchSpace, at: Path, names: tuple[str, ...]) -> Iterator[Fault]:
    for name in names:
        if getattr(row, name) is None:
            yield Fault(at, f"{kebab(name)} is missing", f"add {kebab(name)}")


def offload_faults(key: ConfigKey, row: AgenticSearchSpace, at: Path) -> Iterator[Fault]:
    """Yield what is wrong with where an agentic row keeps evicted KV blocks."""
    tiers, place = row.kv_offloading, (*at, "kv-offloading")
    if tiers is None and not key.multinode:
        yield Fault(at, "kv-offloading is missing", "say none, or where KV blocks go")
    if tiers is None or tiers == "none":
        if row.kv_offload_backend is not None:
            what = "a backend is named, and nothing is offloaded"
            yield Fault((*at, "kv-offload-backend"), what, "remove it, or set kv-offloading")
        return
    if row.kv_offload_backend is None:
        yield Fault(place, "KV blocks are offloaded without a backend", "add kv-offload-backend")
    if key.multinode and tiers != "dram":
        what = "only one node can offload to NVMe, and multinode is true on {line}"
        yield Fault(place, what, "offload to dram", ("multinode",))
    if isinstance(tiers, tuple) and len(set(tiers)) < len(tiers):
        yield Fault(place, "a tier stands twice", "name each once")


def budget_faults(
    row: AgenticSearchSpace, scenario: AgenticCoding, node: Hardware | None, at: Path
) -> Iterator[Fault]:
    """Yield what keeps the DRAM budget of an agentic row unknown."""
    tiers, place = row.kv_offloading, (*at, "kv-offloading")
    if tiers is None or "dram" not in tiers:
        return
    if scenario.dram_utilization is None:
        what = "the scenario on {line} says no dram-utilization"
        yield Fault(place, what, "add it beside search-space", at[:3])
    if node is None or node.available_cpu_dram_mib is None:
        what = "nothing says how much DRAM a node of the runner on {line} has"
        yield Fault(place, what, "add available-cpu-dram-mib to the runner file", ("runner",))


def fit_faults(key: ConfigKey, row: SearchSpace, node: Hardware, at: Path) -> Iterator[Fault]:
    """Yield replicas that leave GPUs of their nodes idle, or need more than there are."""
    per_node = node.gpus_per_node
    for name, replica in _replicas(row):
        gpus = (replica.tp or 1) * replica.pp * replica.pcp_size
        place = (*at, *name, "tp")
        if gpus > per_node and not key.multinode:
            what = f"a replica needs {gpus} GPUs, and a node has {per_node}"
            yield Fault(place, what, "set multinode: true, or use fewer")
        elif gpus > per_node and gpus % per_node:
            what = f"a replica of {gpus} GPUs does not fill nodes of {per_node}"
            yield Fault(place, what, f"use a multiple of {per_node}")
        elif gpus < per_node and per_node % gpus:
            what = f"a replica of {gpus} GPUs does not divide a node of {per_node}"
            yield Fault(place, what, f"use a divisor of {per_node}")
