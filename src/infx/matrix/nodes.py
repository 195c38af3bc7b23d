"""How many nodes a row over several nodes asks the scheduler for."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.model.catalog import CLUSTER, Runners, Worker


def node_count(
    prefill: Worker, decode: Worker, *, runner: str, runners: Runners, where: str
) -> int:
    """Return the nodes of both roles, by their settings or by the GPUs that they need.

    Raises InputError for contradicting settings and for a runner whose nodes are not known.
    """
    return sum(
        _role_nodes(worker, role, runner=runner, runners=runners, where=where)
        for role, worker in (("PREFILL", prefill), ("DECODE", decode))
    )


def _role_nodes(worker: Worker, role: str, *, runner: str, runners: Runners, where: str) -> int:
    name = f"{role}_NODES="
    settings = worker.additional_settings or ()
    stated = {text.removeprefix(name) for text in settings if text.startswith(name)}
    counts = {int(text) for text in stated if text.isdecimal()} - {0}
    if len(counts) < len(stated) or len(counts) > 1:
        what = f"{role}_NODES is {' and '.join(sorted(stated))}"
        raise InputError(Problem(what, where, "state one number of nodes, above 0"))
    if counts:
        return counts.pop()
    per_node = gpus_per_node(worker.hardware or runner, runners, where)
    return -(-worker.num_worker * worker.gpus // per_node)


def gpus_per_node(label: str, runners: Runners, where: str) -> int:
    """Return the GPUs of one node behind a label.

    A label without a record of its own falls back to the records of its GPU family, the first word
    of a label; raises InputError where there is none, or where they disagree.
    """
    node = runners.node(label)
    if node is not None:
        return node.gpus_per_node
    counts = {
        record.gpus_per_node
        for name, record in runners.records.items()
        if _family(name) == _family(label)
    }
    if len(counts) == 1:
        return counts.pop()
    found = f"are {' and '.join(map(str, sorted(counts)))}" if counts else "are not known"
    what = f"the GPUs per node behind {label} {found}"
    raise InputError(Problem(what, where, "add a record of the label to the runner file"))


def _family(label: str) -> str:
    return label.removeprefix(CLUSTER).partition("-")[0]


def recipe_nodes(tree: Mapping[str, JsonValue]) -> int | None:
    """Return the nodes that a schema-2 recipe reserves; None where it states none.

    The nodes of its roles (a colocated decode shares those of prefill), of its service pools, and
    one for what it puts on nodes of its own: the frontend, the client, etcd and NATS. Several of
    those share one node unless the client may not stand beside the frontend.
    """
    roles = tree.get("roles")
    if not isinstance(roles, dict):
        return None
    total = 0
    for role in roles.values():
        nodes = role.get("nodes") if isinstance(role, dict) else None
        if nodes == "colocate":
            continue
        if not isinstance(nodes, int):
            return None
        total += nodes
    services = _enabled(tree.get("services"))
    pools = (service.get("nodes") for service in services)
    return total + sum(n for n in pools if isinstance(n, int)) + _dedicated(tree, services)


def _enabled(services: JsonValue) -> list[dict[str, JsonValue]]:
    found = services if isinstance(services, list) else []
    return [one for one in found if isinstance(one, dict) and one.get("enabled", True)]


def _dedicated(tree: Mapping[str, JsonValue], services: list[dict[str, JsonValue]]) -> int:
    benchmark = _section(tree, "benchmark")
    discovery = [one for one in services if one.get("type") in ("etcd", "nats")]
    infra = (
        any(_placed_alone(one) for one in discovery)
        if discovery
        else bool(_section(tree, "infra").get("etcd_nats_dedicated_node"))
    )
    frontend = _section(tree, "frontend")
    alone = [
        infra,
        _placed_alone(frontend) or bool(frontend.get("dedicated_node")),
        _placed_alone(benchmark) or bool(benchmark.get("client_dedicated_node")),
    ]
    shared = benchmark.get("colocate_with_frontend", True)
    return min(sum(alone), 1) if shared else sum(alone)


def _placed_alone(section: Mapping[str, JsonValue]) -> bool:
    return _section(section, "placement").get("node") == "dedicated"


def _section(tree: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    value = tree.get(name)
    return value if isinstance(value, dict) else {}
