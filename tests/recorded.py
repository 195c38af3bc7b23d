"""Recorded calls and weka rows, made short for tests."""

import json
from pathlib import Path

from infx.model.trace import Call, Trace, block_ids
from infx.workloads.trace import weka
from infx.workloads.trace.reading import Tally

S = 1_000_000_000


def call(start: float, blocks: list[int], *, took: float = 1.0, outer: int = 0, **fields) -> Call:
    """A call of that start and duration in seconds, whose prompt is exactly its blocks."""
    stated = {"model": "m", "input_tokens": 64 * len(blocks), "output_tokens": 100, **fields}
    return Call(
        outer=outer,
        start_ns=round(start * S),
        duration_ns=round(took * S),
        blocks=block_ids(blocks),
        **stated,
    )


def listed(*calls: Call) -> list[Call]:
    """The calls as rows of one file, in the order given."""
    from dataclasses import replace

    return [replace(one, outer=outer) for outer, one in enumerate(calls)]


def request(t: float, ids: list[int], **fields) -> dict:
    """A weka request that took one second and whose prompt is exactly its blocks."""
    row = {"t": t, "type": "s", "model": "m", "in": 64 * len(ids), "out": 100, "hash_ids": ids}
    return {**row, "api_time": 1.0, **fields}


def subagent(t: float, agent: str, requests: list[dict], **fields) -> dict:
    row = {
        "t": t, "type": "subagent", "agent_id": agent, "subagent_type": "explore",
        "duration_ms": None, "total_tokens": None, "tool_use_count": None, "status": "completed",
        "requests": requests, "models": ["m"],
    }  # fmt: skip
    return {**row, **fields}


def session(requests: list[dict], **fields) -> dict:
    row = {"id": "t", "models": ["m"], "block_size": 64, "hash_id_scope": "local"}
    return {**row, "requests": requests, **fields}


def corpus(folder: Path, *rows: dict, name: str = "traces.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def traces(path: Path, **options) -> list[Trace]:
    return list(weka.traces(path, tally=Tally(), **options))


def only_trace(folder: Path, *requests: dict, **fields) -> Trace:
    (trace,) = traces(corpus(folder, session(list(requests), **fields)))
    return trace
