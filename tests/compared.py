"""What is compared, made by hand."""

from infx.curves.compare import Found
from infx.curves.matching import Pair
from infx.model.bundle import PointFile
from infx.model.identity import curve_key, point_id, recipe_digest, workload_digest
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.result import Absent, Counts, Metric, MetricValue, PointSummary
from infx.model.workload import FixedWorkload
from infx.stats.log_error import LogError

KNOWN = BoundRecipe(name="llamacpp", engine="llamacpp", hardware="cpu")
WORKLOAD = FixedWorkload(isl=64, osl=16)
UNITS = {"ttft": "s", "tpot": "s", "e2el": "s", "output_throughput": "tok/s"}


def point(
    concurrency: int = 16,
    *,
    recipe: BoundRecipe = KNOWN,
    workload: FixedWorkload = WORKLOAD,
    repetition: int = 0,
    slo: dict[str, float] | None = None,
) -> PointFile:
    digests = recipe_digest(recipe), workload_digest(workload)
    return PointFile(
        point_id=point_id(recipe=digests[0], workload=digests[1], concurrency=concurrency),
        recipe_digest=digests[0],
        workload_digest=digests[1],
        curve_key=curve_key(recipe, workload),
        concurrency=concurrency,
        repetition=repetition,
        recipe=recipe,
        workload=workload,
        endpoint=Endpoint(url="http://127.0.0.1:8000"),
        slo=slo or {},
    )


def metric(name: str, value: float) -> MetricValue:
    return MetricValue(unit=UNITS.get(name, "tok/s"), n=160, mean=value, p50=value, p90=value)


def summary(metrics: dict[str, Metric], reasons: tuple[str, ...] = ()) -> PointSummary:
    counts = Counts(
        issued=160, ok=160, error=0, overflow=0, cancelled_at_end=0, cancelled_by_plan=0, lost=0
    )
    return PointSummary(
        point_id="p",
        concurrency=16,
        repetition=0,
        achieved_concurrency=None,
        certified=not reasons,
        reasons=reasons,
        counts=counts,
        warmup_counts=counts,
        error_reasons={},
        metrics=metrics,
    )


def found(
    a: float | tuple[float, ...],
    b: float | tuple[float, ...],
    *,
    name: str = "tpot",
    se: float | None = 0.01,
    df: float = 1000,
    reasons: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
) -> Found:
    """One metric on both sides: a figure a repetition, and the error that lanes and blocks tell."""
    error = Absent(reason="4 lanes") if se is None else LogError(se, df, "lanes", 16)
    sides = [
        tuple(
            summary({name: metric(name, value)}, why)
            for value in (side if isinstance(side, tuple) else (side,))
        )
        for side, why in zip((a, b), reasons, strict=True)
    ]
    return Found(*sides, {(name, statistic): error for statistic in ("mean", "p50", "p90")})


def pair(a: PointFile | None = None, b: PointFile | None = None) -> Pair:
    return Pair((a or point(),), (b or point(),))
