"""Rows as recipes see them: the point at which a row's recipe is bound."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.matrix.affected import Row
from infx.recipes.target import Parallel, SingleNode, Target


def target(row: Row, concurrency: int, *, where: str | None = None) -> Target:
    """Return what a row asks of its recipe at one of its concurrencies.

    `where` is the row's `file:line`, for the message that recipe and row contradict each other.
    """
    return Target(
        concurrency=concurrency,
        offload=text(row.get("kv-offloading")),
        parallel={name: _parallel(role) for name, role in _roles(row).items()},
        image=text(row.get("image")),
        model=text(row.get("model")),
        precision=text(row.get("precision")),
        where=where,
        single_node=None if "prefill" in row else _single(row),
        dram=bool(row.get("total-cpu-dram-gb")),
    )


def _single(row: Row) -> SingleNode:
    return SingleNode(
        framework=str(row["framework"]),
        spec_decoding=str(row["spec-decoding"]),
        agentic="isl" not in row,
        dcp=_int(row.get("dcp-size")) or 1,
    )


def text(value: JsonValue) -> str | None:
    """Return a field of a row as a recipe's text has it: several tiers with commas between."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return value if isinstance(value, str) else None


def _roles(row: Row) -> dict[str, Row]:
    roles: dict[str, Row] = {}
    for name in ("prefill", "decode"):
        role = row.get(name)
        if isinstance(role, Mapping):
            roles[name] = role
    if not roles:
        return {"agg": row}
    # An aggregate over several nodes is printed as a prefill role beside a decode role of none.
    return roles if roles["decode"].get("num-worker") else {"agg": roles["prefill"]}


def _parallel(role: Row) -> Parallel:
    return Parallel(
        tp=_int(role.get("tp")),
        ep=_int(role.get("ep")),
        dp_attention=bool(role.get("dp-attn")),
        pp=_int(role.get("pp")) or 1,
        pcp=_int(role.get("pcp-size")) or 1,
        workers=_int(role.get("num-worker")),
    )


def _int(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
