"""From the records of a point to what it says."""

from infx.flows.beside import prefix_hit
from infx.model.bundle import PointFile
from infx.model.record import Measured, RequestRecord, Slo
from infx.model.result import PointSummary


def summarise(point: PointFile, records: tuple[RequestRecord, ...]) -> PointSummary:
    """Compute a point's summary from its records and what the client says of its own work.

    Raises ValueError when moments run backwards.
    """
    from infx.metrics.summary import summarise_point  # after the load: it imports every metric

    audit: list[str] = []
    if point.audit.get("plan_exhausted"):
        audit.append("plan-exhausted")
    if point.audit.get("prompt_passes", 1) != 1:
        audit.append("prompts-repeated")
    if point.workload.dataset is None:
        template = point.calibration.get("overhead_tokens")
        each = template if isinstance(template, int | float) else 0
        if prefix_hit(point.audit, template_tokens=each * len(records)):
            audit.append("prefix-cache-hit")
    return summarise_point(point, measured_of(point, records), audit=tuple(audit))


def measured_of(point: PointFile, records: tuple[RequestRecord, ...]) -> Measured:
    """Return what the metrics of a point are computed from."""
    slo = Slo(**point.slo) if point.slo else None
    open_loop = point.workload.arrival is not None
    return Measured(records, gpus=point.recipe.gpus, slo=slo, open_loop=open_loop)
