"""Results of serving clients as bundles: each file is a point of requests of fixed lengths.

A result with details keeps its requests, and every figure is computed again. Of another one only
its own figures are taken over.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue, ValidationError

from infx.clock import NS, Clock
from infx.errors import InputError, Problem
from infx.flows.imported import IMPORTED, Imported, Stated, summary_of, write_points
from infx.flows.keyed import keyed
from infx.flows.manifest import stamp, versions
from infx.flows.runs import Run
from infx.interchange import serving_result
from infx.model.asked import Api
from infx.model.bundle import ClockAnchor, Manifest, PointFile
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.result import Counts, Metric, MetricValue
from infx.model.serving_result import TIMES, ServingResult
from infx.model.workload import Arrival, FixedWorkload
from infx.store.bundles import new_run_id
from infx.store.frames import pack

CLIENT = "bench-serve"
RANGE_RATIO = 0.8
"""What the workflows of the public benchmark ask for."""
RESULT = "result.json.zst"
UNSTATED_DATE = "date not stated"
OF_EACH = ("ttft", "e2el")
"""What every completed request has one of."""
RATES = {
    "request_rate": ("request_throughput", "requests/s"),
    "input_throughput": ("input_throughput", "tok/s"),
    "output_throughput": ("output_throughput", "tok/s"),
    "total_throughput": ("total_token_throughput", "tok/s"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user states of requests: their input and output lengths, and how far those vary."""

    shape: tuple[int, int] | None = None
    range_ratio: float = RANGE_RATIO


def import_results(path: Path, out: Path, *, stated: Stated, asked: Asked, clock: Clock) -> Run:
    """Make a bundle under `out` of a result file, or of every `.json` file in a folder and below.

    `asked` is what no result says; lengths that are equal for all requests need not be stated. The
    bundle is named by `clock` where the first result says no date. Raises InputError with every
    problem of every file.
    """
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(Problem("no .json file in it", str(path), "name a result or its folder"))
    problems: list[Problem] = []
    read = []
    for file in files:
        try:
            read.append(_read(file, stated, asked, clock))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return write_points(out, read[0].manifest, read)


def _read(path: Path, stated: Stated, asked: Asked, clock: Clock) -> Imported:
    result = serving_result.read(path)
    workload = _workload(result, asked, str(path))
    concurrency = stated.concurrency or result.max_concurrency or result.num_prompts
    facts = asdict(stated)
    del facts["concurrency"]
    facts["model"] = stated.model or result.model_id
    point = keyed(
        BoundRecipe(name="endpoint", **facts),
        workload,
        concurrency=concurrency,
        endpoint=Endpoint(url="unstated", model=result.model_id),
    )
    said: dict[str, JsonValue] = {
        "client": CLIENT,
        "backend": result.backend,
        "date": result.date,
        "benchmark_outcome": result.benchmark_outcome,
        "duration_s": result.duration,
        "asked_output": "not told",
        "requests": "kept" if result.keeps_requests else "not kept",
    }
    point = point.model_copy(update={"audit": {"imported": said}})
    files = {f"{IMPORTED}/{RESULT}": pack(path.read_bytes())}
    manifest = _manifest(result, clock)
    if result.keeps_requests:
        records = serving_result.requests(result, concurrency)
        return Imported(point, manifest, records, files, foreign=True)
    summary = summary_of(point, dict(_metrics(result, point)), counts=_counts(result))
    return Imported(point, manifest, (), files, summary, foreign=True)


def _workload(result: ServingResult, asked: Asked, where: str) -> FixedWorkload:
    shape, range_ratio = asked.shape, asked.range_ratio
    if shape is None:
        lengths = {*zip(result.input_lens or (), result.output_lens or (), strict=True)}
        if len(lengths) != 1:
            what = "it does not say which lengths were asked"
            raise InputError(Problem(what, where, "state them with --shape, such as 8k1k"))
        (shape,), range_ratio = lengths, 1.0
    rate, burstiness = result.request_rate, result.burstiness
    arrival: dict[str, object] | None = None
    if rate != "inf":
        even = burstiness in (None, 1.0)
        shaped = {} if even else {"shape": burstiness}
        arrival = {"process": "poisson" if even else "gamma", "rate": rate, **shaped}
    lanes = result.max_concurrency
    usual = lanes is not None and result.num_prompts == 10 * lanes
    api: Api = "chat" if "chat" in f"{result.backend} {result.endpoint_type}" else "completions"
    try:
        return FixedWorkload(
            isl=shape[0],
            osl=shape[1],
            range_ratio=range_ratio,
            api=api,
            tokenizer=f"{CLIENT}:{result.tokenizer_id or result.model_id}",
            requests=None if usual and arrival is None else result.num_prompts,
            arrival=None if arrival is None else Arrival.model_validate(arrival),
        )
    except ValidationError as error:
        what = "; ".join(one["msg"] for one in error.errors(include_url=False))
        raise InputError(Problem(what, where)) from None


def _counts(result: ServingResult) -> Counts:
    failed = result.num_prompts - result.completed
    return Counts(
        issued=result.num_prompts, ok=result.completed, error=failed,
        overflow=0, cancelled_at_end=0, cancelled_by_plan=0, lost=0,
    )  # fmt: skip


def _metrics(result: ServingResult, point: PointFile) -> Iterator[tuple[str, Metric]]:
    for name, (theirs, unit) in RATES.items():
        value: float = getattr(result, theirs)
        yield name, MetricValue(unit=unit, n=result.completed, mean=value)
        gpus = point.recipe.gpus
        if gpus and unit == "tok/s":
            shared = MetricValue(unit=f"{unit}/gpu", n=result.completed, mean=value / gpus)
            yield f"{name}_per_gpu", shared
    for name, theirs in TIMES.items():
        found = result.times_s(theirs)
        if "mean" in found:
            n = result.completed if name in OF_EACH else None
            yield name, MetricValue.model_validate({"unit": "s", "n": n, **found})


def _manifest(result: ServingResult, clock: Clock) -> Manifest:
    moment, started = _started(result)
    return Manifest(
        run=new_run_id(moment or clock.wall()),
        command=(CLIENT, result.model_id),
        state="finished",
        started=started,
        anchor=ClockAnchor(monotonic_ns=0, wall_ns=moment),
        versions={"infx": versions()["infx"]},
        host={},
    )


def _started(result: ServingResult) -> tuple[int, str]:
    """Return when a result was made on the wall clock, and how that is told; its zone is not."""
    if result.benchmark_start_time_unix is not None:
        moment = round(result.benchmark_start_time_unix * NS)
        return moment, stamp(moment)
    try:
        found = datetime.strptime(result.date or "", "%Y%m%d-%H%M%S")
    except ValueError:
        return 0, UNSTATED_DATE
    return round(found.replace(tzinfo=UTC).timestamp() * NS), found.isoformat(timespec="seconds")
