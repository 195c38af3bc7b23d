"""The parallel sizes of a role do not fit its GPUs.

What: one worker needs TP x PP GPUs, times PCP, and times the data-parallel ranks where these are
replicas (vLLM always, SGLang without attention data parallelism); that must be the GPUs the recipe
gives it. EP, attention ranks and DCP divide the TP group they live in, and all workers fit the
role's nodes.

Why: the server does not start, or leaves paid GPUs idle, and throughput per GPU is wrong.

Fails: `tp-size: 8` on `gpus: 4`; `ep-size: 16` with `tp-size: 8`; three workers of 4 GPUs on two
nodes of 4.

Passes: vLLM with TP 1 and DP 8 on 8 GPUs; SGLang with TP 8 and 8 attention ranks on 8 GPUs.

Fix: make the product of the sizes equal to the GPUs of the worker.
"""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import where
from infx.recipes.topology import (
    DEFAULT_GPUS_PER_NODE,
    SPELLINGS,
    Facts,
    RoleFacts,
    argument,
    facts,
    whole,
)

CHECKED = ("sglang", "vllm", "trtllm")


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for each role whose sizes contradict its GPUs or nodes."""
    known = facts(binding.tree)
    for name, role in known.roles.items():
        if known.engine in CHECKED:
            yield from _worker(binding, name, role, known.engine)
            yield from _groups(binding, name, role, known.engine)
    yield from _nodes(binding, known)


def needed(role: RoleFacts, engine: str) -> int | None:
    """Return the GPUs of one worker by its parallel sizes, None when TP is not stated."""
    if role.tp is None:
        return None
    replicas = 1
    if engine == "vllm" or (engine == "sglang" and not role.dp_attention):
        replicas = role.dp or 1
    return role.tp * (role.pp or 1) * (role.pcp or 1) * replicas


def _worker(binding: Binding, name: str, role: RoleFacts, engine: str) -> Iterator[Problem]:
    gpus = needed(role, engine)
    if gpus is None or role.gpus is None or gpus == role.gpus:
        return
    sizes = (("TP", role.tp), ("PP", role.pp), ("PCP", role.pcp), ("DP", role.dp))
    inside = engine == "trtllm" or (engine == "sglang" and role.dp_attention)
    named = [
        f"{label} {size}"
        for label, size in sizes
        if (size or 1) > 1 and not (label == "DP" and inside)
    ]
    yield Problem(
        f"a worker of {name} needs {gpus} GPUs ({' x '.join(named) or 'TP 1'}) and has {role.gpus}",
        _where(binding, name, "tp"),
        "make the parallel sizes fit the worker's GPUs",
    )


def _groups(binding: Binding, name: str, role: RoleFacts, engine: str) -> Iterator[Problem]:
    """Yield sizes that do not divide the group they live in."""
    if role.tp is None:
        return
    inside = {"dcp": role.dcp}
    if engine != "vllm":
        inside["ep"] = role.ep
    if engine == "sglang" and role.dp_attention:
        inside["dp"] = role.dp
    for size, value in inside.items():
        if value is not None and (value < 1 or role.tp % value):
            yield Problem(
                f"{size.upper()} {value} of {name} does not divide its TP {role.tp}",
                _where(binding, name, size),
                f"use a divisor of {role.tp}",
            )


def _nodes(binding: Binding, known: Facts) -> Iterator[Problem]:
    """Yield roles whose workers do not fit their nodes; roles that share nodes count together."""
    resources = _mapping(binding.tree.get("resources"))
    per_node = whole(resources.get("gpus_per_node")) or DEFAULT_GPUS_PER_NODE
    groups: list[tuple[str, ...]] = [(name,) for name in known.roles]
    if _share_nodes(binding, known):
        groups = [tuple(known.roles)]
    for names in groups:
        roles = [known.roles[name] for name in names]
        nodes: list[int] = [role.nodes for role in roles if role.nodes is not None]
        gpus: list[int] = [
            role.workers * role.gpus
            for role in roles
            if role.workers is not None and role.gpus is not None
        ]
        wanted, offered = sum(gpus), sum(nodes) * per_node
        if len(nodes) == len(gpus) == len(roles) and 0 < offered < wanted:
            yield Problem(
                f"the workers of {' and '.join(names)} need {wanted} GPUs, "
                f"{sum(nodes)} nodes have {offered}",
                where(binding, ("roles", names[0], "workers")),
                "give them more nodes, or fewer workers",
            )


def _share_nodes(binding: Binding, known: Facts) -> bool:
    engine = _mapping(binding.tree.get("engine"))
    return engine.get("allow_prefill_decode_colocation") is True or any(
        role.nodes == 0 for role in known.roles.values()
    )


def _where(binding: Binding, name: str, size: str) -> str:
    args = _mapping(_mapping(_mapping(binding.tree.get("roles")).get(name)).get("args"))
    found = argument(args, *SPELLINGS[size])
    return where(binding, ("roles", name, "args", *((found[0],) if found else ())))


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}
