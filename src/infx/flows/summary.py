"""From the records of a point to what it says."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from infx.clock import NS
from infx.flows.beside import prefix_hit
from infx.model.acceptance import Cell
from infx.model.agentic import AgenticWorkload
from infx.model.bundle import PointFile
from infx.model.measured import Acceptance, Expected, Measured, Replayed
from infx.model.record import Phase, RequestRecord, Slo
from infx.model.result import Absent, PointSummary, ServerMetrics
from infx.store.bundles import SAMPLES
from infx.store.expected import expected_of

Recorded = Mapping[tuple[int, int], Expected]
"""What the recording says of each request, by stream of the plan and turn."""

NOTHING: Recorded = {}
MAX_UNSENT = 0.01
NOT_TOLD = Absent(reason="it is not known how many tokens each request asked for")
NOT_READ = "no counters of speculative decoding were read"


def summarise(
    point: PointFile,
    records: tuple[RequestRecord, ...],
    recorded: Recorded = NOTHING,
    *,
    acceptance: Acceptance | str = NOT_READ,
) -> PointSummary:
    """Compute a point's summary from its records and what the client says of its own work.

    `recorded` is what a replay's recording says, `acceptance` what the engine's counters say of
    speculative decoding, or why they say nothing. Raises ValueError when moments run backwards.
    """
    from infx.metrics.summary import summarise_point  # after the load: it imports every metric

    measured = measured_of(point, records, recorded, acceptance=acceptance)
    summary = summarise_point(point, measured, audit=tuple(audit_reasons(point, records)))
    if not point.knows_asked_output:
        metrics = {**summary.metrics, "output_shortfall": NOT_TOLD}
        summary = summary.model_copy(update={"metrics": metrics})
    return summary.model_copy(update={"unsent": unsent(point, records)})


def summarise_in(
    folder: Path, point: PointFile, records: tuple[RequestRecord, ...], *, torn: bool = False
) -> PointSummary:
    """Compute a point's summary with all that its folder holds beside the records.

    `torn` passes over a last line of the samples that is not whole. Raises as `summarise`, and
    InputError for a file that is damaged.
    """
    recorded, golden = expected_of(folder), golden_of(point)
    if not (folder / SAMPLES).exists():
        summary = summarise(point, records, recorded)
        return summary.model_copy(update={"golden": golden})
    from infx.flows.telemetry import server_metrics_in  # only where pages were read

    server = server_metrics_in(folder, point, torn=torn)
    summary = summarise(point, records, recorded, acceptance=acceptance_of(server, golden))
    return summary.model_copy(update={"server": server, "golden": golden})


def golden_of(point: PointFile) -> Cell | Absent | None:
    """Return the golden acceptance length that a point's server is held to, or why none is known.

    None where no sessions are replayed: nothing else is run with simulated acceptance.
    """
    if not isinstance(point.workload, AgenticWorkload):
        return None
    if not point.recipe.roles:
        return Absent(reason="the recipe states no roles, so nobody says how the server speculates")
    from infx.flows.acceptance import golden_of_point  # only where a recipe is known: reads curves

    found = golden_of_point(point)
    return Absent(reason=found) if isinstance(found, str) else found


def audit_reasons(point: PointFile, records: tuple[RequestRecord, ...]) -> Iterator[str]:
    """Yield the reasons against a point that its records do not show."""
    audit, workload = point.audit, point.workload
    if audit.get("digest_mismatch"):
        yield "digest-mismatch"
    if audit.get("plan_exhausted"):
        yield "plan-exhausted"
    left, planned = unsent(point, records), audit.get("planned")
    if left and isinstance(planned, int) and left > MAX_UNSENT * planned:
        yield "unsent"
    if audit.get("prompt_passes", 1) != 1:
        yield "prompts-repeated"
    if isinstance(workload, AgenticWorkload):
        yield from _replay_reasons(point, workload)
    elif workload.dataset is None:
        template = point.calibration.get("overhead_tokens")
        each = template if isinstance(template, int | float) else 0
        if prefix_hit(audit, template_tokens=each * len(records)):
            yield "prefix-cache-hit"


def unsent(point: PointFile, records: tuple[RequestRecord, ...]) -> int | None:
    """Return how many planned requests were never issued; None where no number was planned."""
    planned = point.audit.get("planned")
    if not isinstance(planned, int):
        return None
    return max(planned - sum(record.phase is Phase.PROFILING for record in records), 0)


def _replay_reasons(point: PointFile, workload: AgenticWorkload) -> Iterator[str]:
    from infx.flows.freshness import not_fresh  # after the load

    own = point.audit.get("server_tokens_own")
    own_tokens = own if isinstance(own, int | float) else 0
    shared = bool(point.audit.get("server_used"))
    if workload.rule in ("fast", "demo"):
        yield f"{workload.rule}-workload"
    if not_fresh(point.audit, shared=shared, own_tokens=own_tokens):
        yield "server-not-fresh"
    if point.audit.get("aborted"):
        # Nothing but the failure of a session's own primer breaks off a warmup.
        if not any(one.phase is Phase.PROFILING for one in point.phases):
            yield "primer-failed"
        yield "aborted"


def measured_of(
    point: PointFile,
    records: tuple[RequestRecord, ...],
    recorded: Recorded = NOTHING,
    *,
    acceptance: Acceptance | str = NOT_READ,
) -> Measured:
    """Return what the metrics of a point are computed from; arguments as those of `summarise`."""
    workload = point.workload
    return Measured(
        records,
        gpus=point.recipe.gpus,
        slo=Slo(**point.slo) if point.slo else None,
        open_loop=point.rate is not None,
        replay=_replayed(point, workload, recorded)
        if isinstance(workload, AgenticWorkload)
        else None,
        acceptance=acceptance,
    )


def acceptance_of(
    server: ServerMetrics | Absent, golden: Cell | Absent | None = None
) -> Acceptance | str:
    """Return what an engine's counters say of speculative decoding, or why they say nothing.

    `golden` is the committed length that the engine was to simulate, where it was.
    """
    if isinstance(server, Absent):
        return server.reason
    length = server.metrics["acceptance_length"]
    if isinstance(length, Absent):
        return length.reason
    if length.n is None:
        return "nobody said over how many steps the acceptance length is"
    if isinstance(golden, Cell):
        return Acceptance(length.mean, length.n, float(golden.al))
    if isinstance(golden, Absent):
        return Acceptance(length.mean, length.n, ungolden=golden.reason)
    return Acceptance(length.mean, length.n)


def _replayed(point: PointFile, workload: AgenticWorkload, recorded: Recorded) -> Replayed:
    windows = [(one.start_ns, one.end_ns) for one in point.phases if one.phase is Phase.PROFILING]
    duration = workload.duration_s
    return Replayed(
        profiling=windows[0] if windows else None,
        duration_ns=None if duration is None else round(duration * NS),
        from_start=workload.window is None,
        expected=recorded,
    )
