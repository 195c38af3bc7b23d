"""What a bound recipe adds up to: the sizes of its roles, GPUs, nodes, and what it drafts.

Only what the recipe states is returned: an unstated size is None, whatever the engine would take.
Engines and their launchers spell one size in several ways; the tables below know them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import JsonValue

from infx.recipes.binding import Path

COLOCATE = "colocate"
"""`nodes` of a decode role that shares the nodes of prefill."""

DEFAULT_GPUS_PER_NODE = 4
"""What `resources.gpus_per_node` is where no recipe states it (public launcher's default)."""

ATTENTION_RANKS = ("attn-dp-size", "attention-data-parallel-size")
"""The data-parallel ranks of attention, where a number of them turns it on by itself."""

SPELLINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "tp": ("tensor-parallel-size", "tp-size", "tp"),
        "pp": ("pipeline-parallel-size", "pp-size", "pp"),
        "dp": ("data-parallel-size", "dp-size", "dp", *ATTENTION_RANKS),
        "ep": ("expert-parallel-size", "ep-size", "ep", "moe-expert-parallel-size"),
        "pcp": ("prefill-context-parallel-size", "pcp-size", "pcp"),
        "dcp": ("decode-context-parallel-size", "dcp-size", "dcp"),
    }
)
"""Size to its spellings, with `-` for `_`."""

DP_ATTENTION = ("enable-dp-attention", "enable-attention-dp")


@dataclass(frozen=True, slots=True)
class Speculation:
    """What a role drafts: the method in lower case, and the drafted tokens a step.

    `length` is the length that a golden acceptance curve counts (for DFlash one less than the
    stated draft tokens); `source` is the path of the leaf that states it.
    """

    method: str
    length: int | None = None
    source: Path | None = None


@dataclass(frozen=True, slots=True)
class RoleFacts:
    """Sizes of one role; `gpus` and the parallel sizes are those of one worker.

    `nodes` is 0 for a role that shares the nodes of another. `dp_attention` also holds for vLLM's
    data parallelism, which replicates attention over one set of experts.
    """

    nodes: int | None = None
    workers: int | None = None
    gpus: int | None = None
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    ep: int | None = None
    pcp: int | None = None
    dcp: int | None = None
    dp_attention: bool = False
    speculation: Speculation | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a recipe adds up to. `gpus` and `nodes` are None where a role leaves them open.

    `nodes` has the roles' nodes, the nodes of service pools, and dedicated nodes.
    """

    engine: str | None
    roles: Mapping[str, RoleFacts]
    gpus: int | None
    nodes: int | None

    @property
    def disaggregated(self) -> bool:
        """Whether prefill and decode are roles of their own."""
        return "prefill" in self.roles and "decode" in self.roles

    @property
    def speculation(self) -> Speculation | None:
        """What the role that generates drafts: decode, or the aggregate."""
        for name in ("decode", "agg", "prefill"):
            if name in self.roles:
                return self.roles[name].speculation
        return None


def facts(tree: Mapping[str, JsonValue]) -> Facts:
    """Return what a bound tree in schema-2 form adds up to (`Binding.tree`)."""
    engine = engine_of(tree)
    resources = _mapping(tree.get("resources"))
    per_node = whole(resources.get("gpus_per_node"))
    roles = {
        name: _role(name, _mapping(role), engine, per_node)
        for name, role in _mapping(tree.get("roles")).items()
    }
    gpus = [_product(role.gpus, role.workers) for role in roles.values()]
    nodes = [role.nodes for role in roles.values()]
    return Facts(
        engine=engine,
        roles=MappingProxyType(roles),
        gpus=_sum(gpus),
        nodes=_sum([*nodes, extra_nodes(tree)]) if nodes else None,
    )


def engine_of(tree: Mapping[str, JsonValue]) -> str | None:
    """Return the engine of a tree, as it spells it."""
    engine = tree.get("engine")
    kind = engine.get("type") if isinstance(engine, dict) else engine
    if isinstance(kind, str):
        return kind
    for role in _mapping(tree.get("roles")).values():
        if isinstance(named := _mapping(role).get("engine"), str):
            return named
    return None


def extra_nodes(tree: Mapping[str, JsonValue]) -> int:
    """Count the nodes beside the roles': service pools, and dedicated ones.

    Discovery, frontend and benchmark client may each ask for a dedicated node; they share one
    unless `benchmark.colocate_with_frontend` is false (public launcher's placement rule).
    """
    listed = tree.get("services")
    services = [_mapping(one) for one in (listed if isinstance(listed, list) else ())]
    enabled = [one for one in services if one.get("enabled") is not False]
    pools = sum(whole(one.get("nodes")) or 0 for one in enabled)
    benchmark = _mapping(tree.get("benchmark"))
    discovery = [one for one in enabled if one.get("type") in ("etcd", "nats")]
    asked = [
        any(map(_dedicated, discovery))
        if discovery
        else _mapping(tree.get("infra")).get("etcd_nats_dedicated_node") is True,
        _dedicated(_mapping(tree.get("frontend"))),
        _dedicated(benchmark),
    ]
    dedicated = sum(asked)
    if benchmark.get("colocate_with_frontend") is not False:
        dedicated = min(dedicated, 1)
    return pools + dedicated


def argument(args: Mapping[str, JsonValue], *names: str) -> tuple[str, JsonValue] | None:
    """Return the first stated of some arguments as (key, value), spelled with `-` or with `_`."""
    for name in names:
        for key in (name, name.replace("-", "_")):
            if args.get(key) is not None:
                return key, args[key]
    return None


def whole(value: JsonValue) -> int | None:
    """Return a whole number that is stated as a number or as its digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _role(
    name: str, role: Mapping[str, JsonValue], engine: str | None, per_node: int | None
) -> RoleFacts:
    args = _mapping(role.get("args"))
    sizes = {
        size: whole(found[1]) if (found := argument(args, *names)) else None
        for size, names in SPELLINGS.items()
    }
    if sizes["ep"] is None and _is_on(args, "enable-expert-parallel"):
        sizes["ep"] = (sizes["tp"] or 1) * (sizes["dp"] or 1)
    split = engine == "vllm" and (sizes["dp"] or 1) > 1
    ranks = argument(args, *ATTENTION_RANKS)
    split = split or (ranks is not None and (whole(ranks[1]) or 1) > 1)
    nodes = 0 if role.get("nodes") == COLOCATE else whole(role.get("nodes"))
    workers = whole(role.get("workers"))
    return RoleFacts(
        nodes=nodes,
        workers=workers,
        gpus=_gpus(whole(role.get("gpus")), nodes, workers, per_node),
        dp_attention=split or any(_is_on(args, flag) for flag in DP_ATTENTION),
        speculation=next(_speculation(name, args), None),
        **sizes,
    )


def _gpus(
    stated: int | None, nodes: int | None, workers: int | None, per_node: int | None
) -> int | None:
    """Return the GPUs of one worker: stated, or an equal share of the role's nodes."""
    if stated is not None or not nodes or not workers:
        return stated
    share, rest = divmod(nodes * (per_node or DEFAULT_GPUS_PER_NODE), workers)
    return None if rest else share


def _speculation(role: str, args: Mapping[str, JsonValue]) -> Iterator[Speculation]:
    """Yield what a role drafts, by the keys of each engine (pipeline facts, section 6)."""
    at: Path = ("roles", role, "args")
    if found := argument(args, "speculative-algorithm", "speculative-algo"):
        yield _sglang(str(found[1]).lower(), args, at)
    if found := argument(args, "speculative-config"):
        yield from _configured(found, at)
    if _is_on(args, "with-mtp") and (found := argument(args, "num-mtp")):
        yield Speculation("mtp", whole(found[1]), (*at, found[0]))
    if found := argument(args, "method"):
        length = argument(args, "num-speculative-tokens")
        source = (*at, length[0]) if length else None
        yield Speculation(str(found[1]).lower(), whole(length[1]) if length else None, source)


def _sglang(method: str, args: Mapping[str, JsonValue], at: Path) -> Speculation:
    names = {
        "dspark": ("speculative-dspark-block-size",),
        "dflash": ("speculative-num-draft-tokens",),
    }
    kind = next((known for known in names if method.startswith(known)), "")
    found = argument(args, *names.get(kind, ("speculative-num-steps",)))
    if found is None:
        return Speculation(method)
    length = whole(found[1])
    if kind == "dflash" and length is not None:
        length -= 1
    return Speculation(method, length, (*at, found[0]))


def _configured(found: tuple[str, JsonValue], at: Path) -> Iterator[Speculation]:
    """Yield what vLLM's JSON text or TensorRT-LLM's mapping states."""
    key, value = found
    config: Mapping[str, JsonValue] = {}
    if isinstance(value, str):
        try:
            config = _mapping(json.loads(value))
        except (ValueError, RecursionError):
            return
    elif isinstance(value, dict):
        config = value
    method = config.get("method") or config.get("decoding_type")
    names = ("num_speculative_tokens", "max_draft_len", "num_nextn_predict_layers")
    stated = next((name for name in names if config.get(name) is not None), None)
    if not isinstance(method, str):
        return
    inner: Path = (stated,) if stated and isinstance(value, dict) else ()
    length = whole(config[stated]) if stated else None
    yield Speculation(method.lower(), length, (*at, key, *inner) if stated else None)


def _is_on(args: Mapping[str, JsonValue], name: str) -> bool:
    found = argument(args, name)
    return found is not None and found[1] is not False and found[1] != "false"


def _dedicated(section: Mapping[str, JsonValue]) -> bool:
    legacy = section.get("dedicated_node") or section.get("client_dedicated_node")
    return legacy is True or _mapping(section.get("placement")).get("node") == "dedicated"


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _product(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one * other


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if values and len(known) == len(values) else None
