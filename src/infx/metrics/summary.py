"""All that one point says: its counts, every metric or the reason for its absence, its validity."""

from importlib import import_module
from typing import Protocol, cast

from infx.metrics import METRICS
from infx.metrics.client import client_audit, client_reasons
from infx.metrics.concurrency import achieved_concurrency
from infx.metrics.counts import counts, error_reasons, incomplete_tokens
from infx.metrics.intervals import with_intervals
from infx.metrics.steady import steady
from infx.metrics.validity import reasons
from infx.model.bundle import PointFile
from infx.model.record import Measured, Phase
from infx.model.result import Absent, Better, Metric, MetricValue, PointSummary


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
    against = (
        *client_reasons(client, metrics["ttft"], metrics["e2el"]),
        *audit,
        *reasons(measured, profiling, metrics, exact_output=exact),
    )
    return PointSummary(
        point_id=point.point_id,
        concurrency=point.concurrency,
        rate=point.workload.arrival.peak if point.workload.arrival else None,
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
        metrics=with_intervals(metrics, measured, key=point.directory),
    )


def compute_metrics(measured: Measured) -> dict[str, Metric]:
    """Compute every metric of the table, and `<id>_per_gpu` where the GPU count is given."""
    if measured.gpus is not None and measured.gpus < 1:
        raise ValueError(f"{measured.gpus} GPUs serve nothing")
    results: dict[str, Metric] = {}
    for name, path in METRICS.items():
        module = cast(MetricModule, import_module(path))
        results[name] = module.compute(measured)
        if measured.gpus is not None and getattr(module, "PER_GPU", False):
            results[f"{name}_per_gpu"] = _per_gpu(results[name], measured.gpus)
    return results


def _per_gpu(metric: Metric, gpus: int) -> Metric:
    if isinstance(metric, Absent):
        return metric
    return MetricValue(unit=f"{metric.unit}/gpu", n=metric.n, mean=metric.mean / gpus)
