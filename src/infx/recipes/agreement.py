"""What a recipe on one node must have in common with its row, beside the GPUs of its role.

A row states its engine, its parallel sizes, whether it speculates and what is asked; the recipe's
flags say the same again, and a server is started by the flags. The rules are those of the public
launcher for one node: one worker on one node, whose client is the one of the row's scenario.
"""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from infx.errors import nearest
from infx.recipes.binding import Path
from infx.recipes.target import Parallel, SingleNode, Target
from infx.recipes.topology import Facts, RoleFacts

FRAMEWORKS: Mapping[str, str] = {"trt": "trtllm"}
"""What a row calls an engine where a recipe calls it otherwise."""

UNSTATED_IS_ONE = ("sglang", "vllm", "trtllm")
"""Engines whose parallel sizes are 1 where no flag states them; others take them from the GPUs."""

SHARD_DECODE = ("vllm", "atom")
"""Engines that can spread the KV cache of decode over the GPUs of one TP group."""

METHODS = ("eagle", "eagle3", "nextn", "mtp", "dspark", "dflash", "dflash2")
"""Ways to draft that a recipe on one node may use."""

CLIENTS: Mapping[str, bool] = {"srt_agentic.sh": True, "srt_fixed_sequence.sh": False}
"""Public clients, and whether they replay agent sessions."""

_AGG: Path = ("roles", "agg")


def disagreements(
    tree: Mapping[str, JsonValue], found: Facts, target: Target
) -> Iterator[tuple[Path, str]]:
    """Yield where a recipe contradicts its row on one node: the path of the leaf, and what it says.

    Nothing where the target is no row on one node, or the recipe has no role for it.
    """
    single, row, role = target.single_node, target.parallel.get("agg"), found.roles.get("agg")
    if single is None or row is None or role is None:
        return
    wanted = FRAMEWORKS.get(single.framework, single.framework)
    if found.engine is not None and found.engine != wanted:
        yield ("engine",), f"the engine is {found.engine}, the row has {wanted}"
    for name in ("nodes", "workers"):
        count = getattr(role, name)
        if count not in (None, 1):
            yield (*_AGG, name), f"roles.agg has {count} {name}, a row on one node has 1"
    if "extra_args" not in _mapping(_mapping(tree.get("roles")).get("agg")):
        # Words of a command line may state any size, and nobody reads them here.
        yield from _sizes(found.engine, role, row)
    yield from _unsplit(found.engine, role, row, single)
    yield from _drafts(tree, role, single)
    yield from _client(tree, single)


def _sizes(engine: str | None, role: RoleFacts, row: Parallel) -> Iterator[tuple[Path, str]]:
    """Yield flags that split the model in another way than the row says."""
    at: Path = (*_AGG, "args")
    if engine == "atom" and row.ep not in (None, 1, row.tp):
        yield at, f"ATOM spreads experts over 1 or all GPUs, the row has EP {row.ep} of {row.tp}"
    if engine not in UNSTATED_IS_ONE:
        return
    ranks = role.dp or 1
    tp = (role.tp or 1) * (ranks if engine == "vllm" else 1)
    if row.tp is not None and tp != row.tp:
        counted = "TP x DP" if engine == "vllm" and ranks > 1 else "TP"
        yield at, f"the flags have {counted} {tp}, the row has {row.tp}"
    if role.ep is None and row.ep not in (None, 1):
        yield at, f"no flag spreads experts, the row has EP {row.ep}"
    wanted = row.tp if row.dp_attention else 1
    if engine == "sglang" and wanted is not None and ranks != wanted:
        yield at, f"the flags have DP {ranks}, the row's attention runs in {wanted}"


def _unsplit(
    engine: str | None, role: RoleFacts, row: Parallel, single: SingleNode
) -> Iterator[tuple[Path, str]]:
    """Yield pipeline stages and context parallelism, which one node does not have."""
    at: Path = (*_AGG, "args")
    for name, stated, asked in (("PP", role.pp, row.pp), ("PCP", role.pcp, row.pcp)):
        if (stated or 1, asked) != (1, 1):
            yield at, f"{name} is {stated or 1}, the row has {asked}, and one node runs with 1"
    dcp = role.dcp or 1
    if engine not in SHARD_DECODE and (dcp, single.dcp) != (1, 1):
        known = " and ".join(SHARD_DECODE)
        yield at, f"DCP is {dcp}, the row has {single.dcp}, and only {known} have it on one node"
    elif dcp != single.dcp:
        yield at, f"DCP is {dcp}, the row has {single.dcp}"


def _drafts(
    tree: Mapping[str, JsonValue], role: RoleFacts, single: SingleNode
) -> Iterator[tuple[Path, str]]:
    """Yield speculation that only one of the two has; any kind of draft is one for a row.

    A variant that stops drafting may keep the word of its row, as `benchmark.env.SPEC_DECODING`.
    """
    at: Path = (*_AGG, "args")
    drafts = role.speculation
    if drafts is None:
        environment = _mapping(_mapping(tree.get("benchmark")).get("env"))
        kept = environment.get("SPEC_DECODING", "none")
        if single.spec_decoding != "none" and kept == "none":
            yield at, f"nothing drafts, the row has spec-decoding {single.spec_decoding}"
        return
    if single.spec_decoding == "none":
        yield at, f"{drafts.method} drafts, the row has spec-decoding none"
    if drafts.method not in METHODS:
        yield at, f"no row knows drafts by {drafts.method} ({nearest(drafts.method, METHODS)})"


def _client(tree: Mapping[str, JsonValue], single: SingleNode) -> Iterator[tuple[Path, str]]:
    benchmark = _mapping(tree.get("benchmark"))
    kind, command = benchmark.get("type"), benchmark.get("command")
    if kind not in (None, "custom"):
        yield ("benchmark", "type"), f"benchmark.type is {kind}, a row has custom"
    script = str(command or "").rpartition("/")[2]
    asks = CLIENTS.get(script)
    if asks is not None and asks is not single.agentic:
        what = "replays agent sessions" if asks else "asks fixed lengths"
        wanted = "agentic-coding" if single.agentic else "fixed-seq-len"
        yield ("benchmark", "command"), f"the client {script} {what}, the row is {wanted}"


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}
