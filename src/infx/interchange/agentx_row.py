"""The aggregate row that the public benchmark publishes of an AgentX point.

Its request metrics are computed elsewhere, by the benchmark's own rules, and handed in. What a row
must say and nobody stated is asked for, all at once: no field is made up.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson
from pydantic import JsonValue, ValidationError

from infx.errors import InputError, Problem
from infx.interchange.outgoing import Outgoing
from infx.model.agentx import RequestMetrics
from infx.model.agentx_row import AGENTX_ROW, SCHEMA, MultiNodeRow, SingleNodeRow
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent
from infx.store.documents import read_json
from infx.store.files import write_whole

ROW = "agentx_row.json"
Row = SingleNodeRow | MultiNodeRow
ROLES = ("prefill", "decode")
SIZES: Mapping[str, JsonValue] = {"pp": 1, "dcp_size": 1, "pcp_size": 1}
"""What the benchmark takes of a worker whose configuration does not say."""
NULLABLE = ("kv_offload_backend", "kv_cache_pool_tokens")
SERVER = {
    ("cache", "gpu_cache_hit_rate"): "gpu_prefix_hit",
    ("cache", "cpu_cache_hit_rate"): "host_prefix_hit",
    ("cache", "overall_cache_hit_rate"): "prefix_hit",
    ("kv_cache", "gpu_usage_pct"): "kv_usage_peak",
    ("kv_cache", "gpu_total_tokens"): "kv_pool",
}
"""Where a figure of the server stands in the row, to the metric of ours that it is."""


def read(path: Path) -> Row:
    """Return a row; raises InputError with every violation of its contract, named by its key."""
    document = read_json(path)  # which refuses repeated keys, NaN and infinity
    try:
        return AGENTX_ROW.validate_json(orjson.dumps(document.value))
    except ValidationError as error:
        raise InputError(*_problems(error, str(path), "mend the row")) from None


def write(outgoing: Outgoing, folder: Path, facts: Mapping[str, JsonValue]) -> Path:
    """Write the row of a replayed point.

    `facts` are keys of the row that the bundle does not know, or states otherwise. Raises
    InputError with every key that is missing or wrong, MachineError when the machine refuses.
    """
    path = folder / ROW
    told = AGENTX_ROW.dump_python(row_of(outgoing, facts), mode="json")
    write_whole(path, orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return path


def row_of(outgoing: Outgoing, facts: Mapping[str, JsonValue]) -> Row:
    """Return the row of a point; errors as `write`."""
    where, remedy = f"point {outgoing.point.directory[:16]}", "state it with --fact KEY=VALUE"
    known = _known(outgoing, facts, where)
    problems = []
    if "is_multinode" not in known:
        problems.append(Problem("is_multinode: Field required", where, remedy))
    try:
        row = AGENTX_ROW.validate_json(orjson.dumps({"is_multinode": False, **known}))
    except ValidationError as error:
        problems += _problems(error, where, remedy)
    if problems:
        raise InputError(*problems)
    return row


def _problems(error: ValidationError, where: str, remedy: str) -> Iterator[Problem]:
    """Name the key of each problem; the first part of a place is the kind of row."""
    for one in error.errors(include_url=False):
        key = ".".join(map(str, one["loc"][1:]))
        yield Problem(f"{key}: {one['msg']}" if key else one["msg"], where, remedy)


def _known(outgoing: Outgoing, facts: Mapping[str, JsonValue], where: str) -> dict[str, JsonValue]:
    replay = outgoing.summary.replay
    if replay is None:
        raise InputError(Problem("the point replays no sessions", where, "export another one"))
    accounting = accounting_of(outgoing.records)
    row: dict[str, JsonValue] = {
        "recipe_fingerprint": "",
        "kv_offload_backend": None,
        **recipe_of(outgoing),
        **_server(outgoing),
        "result_schema_version": SCHEMA,
        "conc": outgoing.point.concurrency,
        "scenario_type": "agentic-coding",
        "num_requests_total": accounting["records_total"],
        "num_requests_successful": accounting["records_profiled"],
        "request_accounting": accounting,
        "request_metrics": _request_metrics(replay.agentx, facts.get("num_gpus")),
        **facts,
    }
    sizes = SIZES
    if row.get("is_multinode") is True:
        sizes = {f"{role}_{name}": one for role in ROLES for name, one in SIZES.items()}
    whole = {**sizes, **row}
    return {name: one for name, one in whole.items() if one is not None or name in NULLABLE}


def _request_metrics(found: RequestMetrics, gpus: JsonValue) -> dict[str, JsonValue]:
    """Return the block, shared out among the accelerators that are stated, if they are."""
    if isinstance(gpus, int) and gpus > 0 and found.throughput is not None:
        shared = found.throughput.model_copy(update={"gpus": gpus})
        found = found.model_copy(update={"throughput": shared})
    return dict(found.document())


def accounting_of(records: tuple[RequestRecord, ...]) -> dict[str, JsonValue]:
    """Count records as the benchmark does: one of a failed warmup counts under both reasons."""
    warmup = sum(one.phase is Phase.WARMUP for one in records)
    failed = [one for one in records if one.state is not EndState.OK]
    kept = sum(one.phase is Phase.PROFILING and one.state is EndState.OK for one in records)
    kinds = Counter(one.reason or one.state.value for one in failed)
    return {
        "records_total": len(records),
        "records_profiled": kept,
        "records_dropped_total": len(records) - kept,
        "records_warmup_dropped": warmup,
        "records_error_dropped": len(failed),
        "error_categories": dict(sorted(kinds.items())),
    }


def recipe_of(outgoing: Outgoing) -> dict[str, JsonValue]:
    """Return what the point's recipe says of the server; None is unstated."""
    recipe = outgoing.point.recipe
    return {
        **(recipe.topology or {}),
        "hw": recipe.hardware,
        "image": recipe.image,
        "model": recipe.model,
        "framework": recipe.engine,
        "precision": recipe.precision,
        "spec_decoding": recipe.speculative,
        "disagg": recipe.disaggregated,
        "num_gpus": recipe.gpus,
        "kv_offloading": recipe.offload,
    }


def _server(outgoing: Outgoing) -> dict[str, JsonValue]:
    """Return the server's own figures, each null with its reason among the warnings if absent."""
    server = outgoing.server
    if isinstance(server, Absent):
        reason = f"no server metrics: {server.reason}"
        return {"server_metrics": {}, "kv_cache_pool_tokens": None, "warnings": [reason]}
    groups: dict[str, dict[str, JsonValue]] = {}
    warnings = []
    for (group, name), metric in SERVER.items():
        found = server.metrics.get(metric, Absent(reason="not measured"))
        groups.setdefault(group, {})[name] = None if isinstance(found, Absent) else found.mean
        if isinstance(found, Absent):
            warnings.append(f"{group}.{name}: {found.reason}")
    pool = groups["kv_cache"]["gpu_total_tokens"]
    return {
        "server_metrics": {**groups},
        "kv_cache_pool_tokens": round(pool) if isinstance(pool, float) else None,
        "warnings": [*warnings] or None,
    }
