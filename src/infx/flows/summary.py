"""From the records of a point to what it says."""

from infx.model.bundle import PointFile
from infx.model.record import Measured, RequestRecord, Slo
from infx.model.result import PointSummary


def summarise(point: PointFile, records: tuple[RequestRecord, ...]) -> PointSummary:
    """Compute a point's summary from its records; raises ValueError when moments run backwards."""
    from infx.metrics.summary import summarise_point  # after the load: it imports every metric

    slo = Slo(**point.slo) if point.slo else None
    return summarise_point(point, Measured(records, gpus=point.recipe.gpus, slo=slo))
