"""`profile_export_aiperf.json` of aiperf: the aggregate of one run, which is one point of ours."""

import shlex
from collections import Counter
from pathlib import Path

import orjson
from pydantic import JsonValue, ValidationError

from infx.errors import InputError, Problem
from infx.interchange.aiperf_settings import input_config
from infx.interchange.aiperf_statistics import of_requests, of_run
from infx.interchange.outgoing import Outgoing
from infx.model.aiperf import AGGREGATE, AiperfExport, AiperfStatistic, InfxExport
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Coverage
from infx.store.files import write_whole

SCHEMA = "1.4"
SCENARIO = "agentx"
REASONS = {
    "context-overflow": "context_overflow_rate_exceeded",
    "profile-coverage": "insufficient_profile_metric_coverage",
    "run-interrupted": "run_cancelled",
}
"""Our reasons that the public scenario has a word of its own for; others keep ours."""
OVERRIDDEN = "unsafe_override"
"""The public reason for a run under other settings than the scenario's."""


def read(path: Path) -> AiperfExport:
    """Return an aggregate; raises InputError when it cannot be read or is something else."""
    where = str(path)
    try:
        return AiperfExport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", where)) from None
    except ValidationError as error:
        raise InputError(
            *(
                Problem(f"{'.'.join(map(str, one['loc']))} is not aiperf's: {one['msg']}", where)
                for one in error.errors(include_url=False)
            )
        ) from None


def write(outgoing: Outgoing, folder: Path) -> Path:
    """Write the aggregate of a point; raises MachineError."""
    path = folder / AGGREGATE
    write_whole(path, orjson.dumps(_document(outgoing), option=orjson.OPT_INDENT_2))
    return path


def _document(outgoing: Outgoing) -> dict[str, JsonValue]:
    manifest, point = outgoing.manifest, outgoing.point
    window = outgoing.window(Phase.PROFILING)
    by_phase = {phase: _records(outgoing, phase) for phase in Phase}
    warmup = of_requests(by_phase[Phase.WARMUP])
    told: dict[str, JsonValue] = {
        "schema_version": SCHEMA,
        "aiperf_version": f"infx {manifest.versions.get('infx', '')}".strip(),
        "benchmark_id": manifest.run,
        **_plain(metrics(outgoing)),
        "input_config": input_config(point, outgoing.summary.ends.issued),
        "run_info": {
            "benchmark_id": manifest.run,
            "random_seed": point.workload.seed,
            "trial": point.repetition,
            "cli_command": shlex.join(manifest.command),
        },
        "was_cancelled": manifest.state == "interrupted",
        "is_complete": manifest.state == "finished",
        "error_summary": _errors(by_phase[Phase.PROFILING]),
        "start_time": outgoing.stamp(window.start_ns) if window else None,
        "end_time": outgoing.stamp(window.end_ns) if window else None,
        "metadata": _outcome(outgoing),
    }
    if warmup:
        told["warmup_metrics"] = _plain(warmup)
    return {**told, "infx": _own(outgoing).model_dump(mode="json")}


def metrics(outgoing: Outgoing) -> dict[str, AiperfStatistic]:
    """Return every metric of the profiling phase."""
    records, window = _records(outgoing, Phase.PROFILING), outgoing.window(Phase.PROFILING)
    length = window.end_ns - window.start_ns if window is not None else None
    found = of_requests(records) | of_run(records, length)
    asked = [outgoing.recorded(one) for one in records if one.state is EndState.OK]
    blocks = sum(one.blocks for one in asked if one is not None)
    if blocks:
        known = sum(min(max(one.known, 0), one.blocks) for one in asked if one is not None)
        found["theoretical_prefix_cache_hit"] = AiperfStatistic(
            unit="%", avg=100 * known / blocks, count=blocks, sum=known
        )
    return found


def _records(outgoing: Outgoing, phase: Phase) -> list[RequestRecord]:
    mine = [record for record in outgoing.records if record.phase is phase]
    return sorted(mine, key=lambda one: (one.end_ns or one.sent_ns, one.request))


def _plain(found: dict[str, AiperfStatistic]) -> dict[str, JsonValue]:
    return {name: one.model_dump(exclude_none=True) for name, one in found.items()}


def _outcome(outgoing: Outgoing) -> dict[str, JsonValue]:
    """Return whether the point is a valid submission, in the scenario's words where it has any."""
    workload, summary = outgoing.point.workload, outgoing.summary
    if workload.scenario == "fixed":
        return {}
    reasons = [REASONS.get(one, one) for one in summary.reasons]
    if workload.rule != "full":
        reasons.insert(0, OVERRIDDEN)
    state = f"run-{outgoing.manifest.state}"
    if outgoing.manifest.state != "finished":
        reasons.append(REASONS.get(state, state))
    coverage = summary.replay.coverage if summary.replay is not None else None
    return {
        "scenario": SCENARIO,
        "submission_valid": not reasons,
        "submission_invalid_reasons": list(dict.fromkeys(reasons)),
        "dataset": {"corpus": workload.corpus},
        "metric_duration_coverage": [_coverage(coverage)] if isinstance(coverage, Coverage) else [],
    }


def _coverage(found: Coverage) -> dict[str, JsonValue]:
    return {
        "phase_name": Phase.PROFILING.value,
        "expected_duration_seconds": found.expected_duration_s,
        "required_ratio": found.required_ratio,
        "ttft_ratio": found.ttft_ratio,
        "inter_token_latency_ratio": found.inter_token_latency_ratio,
    }


def _errors(records: list[RequestRecord]) -> list[JsonValue]:
    """Count what failed by reason and text; what the client itself cut is no error."""
    failed = (EndState.ERROR, EndState.LOST, EndState.OVERFLOW)
    kinds = Counter(
        (one.status, one.reason or one.state.value, one.detail or one.reason or one.state.value)
        for one in records
        if one.state in failed
    )
    return [
        {"error_details": {"code": code, "type": kind, "message": text}, "count": count}
        for (code, kind, text), count in kinds.most_common()
    ]


def _own(outgoing: Outgoing) -> InfxExport:
    manifest = outgoing.manifest
    return InfxExport(
        run=manifest.run,
        state=manifest.state,
        command=manifest.command,
        started=manifest.started,
        ended=manifest.ended,
        failure=manifest.failure,
        simulated=manifest.simulated,
        anchor=manifest.anchor,
        versions=manifest.versions,
        host=manifest.host,
        point=outgoing.point,
    )
