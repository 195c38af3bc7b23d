"""How many nodes a row over several nodes asks the scheduler for."""

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
