"""All that one point says: its counts, every metric or the reason for its absence, its validity."""

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast

from pydantic import JsonValue

from infx.metrics import METRICS, OF_REPLAYS
from infx.metrics.client import client_audit, client_reasons
from infx.metrics.concurrency import achieved_concurrency
from infx.metrics.counts import counts, error_reasons, incomplete_tokens
from infx.metrics.intervals import with_intervals
from infx.metrics.replay import replay_summary
from infx.metrics.steady import steady
from infx.metrics.validity import reasons, replay_reasons
from infx.model.bundle import PointFile
from infx.model.measured import Measured
from infx.model.record import Phase
from infx.model.result import Absent, Better, Metric, MetricValue, PointSummary
from infx.model.traits import traits


class MetricModule(Protocol):
    """What a metric's module defines; `PER_GPU` may be absent and is then false."""

    NAME: str
    UNIT: str
    BETTER: Better

    def compute(self, measured: Measured) -> Metric:
        """Return the metric of one point, or why there is none."""


def summarise_point(
    point: PointFile, measured: Measured, *, audit: tuple[str, ...] = ()
) -> PointSummary:
    """Summarise one point. `audit` holds reasons that do not show in its records.

    The point is certified when neither the audit nor its records give a reason against it.
    Raises ValueError when a record's moments run backwards.
    """
    profiling = counts(measured.records, Phase.PROFILING)
    metrics = compute_metrics(measured)
    exact = point.workload.ignore_eos
    client = client_audit(measured)
    replay = None
    if measured.replay is not None:
        skipped = idle_skipped_s(point.audit)
        replay = replay_summary(measured, profiling, idle_skipped_s=skipped)
    against = (
        *client_reasons(client, metrics["ttft"], metrics["e2el"]),
        *audit,
        *reasons(measured, profiling, metrics, exact_output=exact),
        *(replay_reasons(replay, metrics) if replay is not None else ()),
    )
    return PointSummary(
        point_id=point.point_id,
        curve_key=point.curve_key,
        traits=traits(point),
        concurrency=point.concurrency,
        rate=point.rate,
        repetition=point.repetition,
        achieved_concurrency=achieved_concurrency(measured.records),
        certified=not against,
        reasons=against,
        counts=profiling,
        warmup_counts=counts(measured.records, Phase.WARMUP),
        error_reasons=error_reasons(measured.records),
        client=client,
        incomplete_tokens=incomplete_tokens(measured.records),
        steady=steady(measured),
        replay=replay,
        metrics=with_intervals(metrics, measured, key=point.directory),
    )


def compute_metrics(measured: Measured) -> dict[str, Metric]:
    """Compute every metric that belongs to the point, per GPU too where the count is given.

    Those of replays are left out where nothing was replayed.
    """
    if measured.gpus is not None and measured.gpus < 1:
        raise ValueError(f"{measured.gpus} GPUs serve nothing")
    results: dict[str, Metric] = {}
    asked = METRICS if measured.replay is None else METRICS | OF_REPLAYS
    for name, path in asked.items():
        module = cast(MetricModule, import_module(path))
        results[name] = module.compute(measured)
        if measured.gpus is not None and getattr(module, "PER_GPU", False):
            results[f"{name}_per_gpu"] = _per_gpu(results[name], measured.gpus)
    return results


def idle_skipped_s(audit: Mapping[str, JsonValue]) -> float | None:
    """Return the pauses that a replay left out by its own account, None where it gave none."""
    told = [audit.get(name) for name in ("idle_skipped", "tree_idle_skipped")]
    known = [one["s"] for one in told if isinstance(one, Mapping)]
    seconds = [one for one in known if isinstance(one, int | float)]
    return sum(seconds) if len(seconds) == len(told) else None


def _per_gpu(metric: Metric, gpus: int) -> Metric:
    if isinstance(metric, Absent):
        return metric
    return MetricValue(unit=f"{metric.unit}/gpu", n=metric.n, mean=metric.mean / gpus)
