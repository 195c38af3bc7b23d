"""Rows that the public benchmark published of fixed sequences, as points of a bundle.

A row has the figures of a point and none of its requests. They are taken over, by our names and in
our units; throughput per accelerator becomes that of the whole point where the row says how many
there were.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import orjson
from pydantic import JsonValue

from infx.clock import Clock
from infx.errors import InputError, Problem
from infx.flows.imported import IMPORTED, Imported, summary_of, write_points
from infx.flows.importing_serving import CLIENT, RANGE_RATIO, UNSTATED_DATE
from infx.flows.keyed import keyed
from infx.flows.manifest import versions
from infx.flows.runs import Run
from infx.interchange import benchmark_rows
from infx.model.bundle import ClockAnchor, Manifest
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.result import Absent, Metric, MetricValue
from infx.model.result_row import (
    ROLES,
    THROUGHPUTS,
    Accelerators,
    FixedRow,
    accelerators,
    whole,
)
from infx.model.serving_result import STATISTICS, TIMES
from infx.model.workload import FixedWorkload
from infx.store.bundles import new_run_id

ROW = "row.json"
SIZES = ("tp", "pp", "ep", "dcp_size", "pcp_size")
"""Sizes of a topology, of one pool or of each role."""
SPEED = "tok/s/user"


def import_rows(
    path: Path, out: Path, *, clock: Clock, talk: Callable[[str], None] = lambda _: None
) -> Run:
    """Make a bundle under `out` of the rows of fixed sequences in an artifact.

    Rows of agent sessions are passed over: their own artifacts say more. Raises InputError with
    every row that breaks its contract, and where no row is left.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", str(path))) from None
    rows = [located.row for located in benchmark_rows.read(data, str(path))]
    fixed = [row for row in rows if isinstance(row, FixedRow)]
    if len(fixed) < len(rows):
        talk(f"{len(rows) - len(fixed)} rows of agent sessions are passed over")
    if not fixed:
        what = "it has no row of fixed sequences"
        raise InputError(Problem(what, str(path), "import replays with --format aiperf"))
    manifest = _manifest(clock, path)
    return write_points(out, manifest, [_point(row, manifest) for row in fixed])


def _point(row: FixedRow, manifest: Manifest) -> Imported:
    said = row.figures
    recipe = _recipe(row, said)
    workload = FixedWorkload(
        isl=row.isl,
        osl=row.osl,
        range_ratio=RANGE_RATIO,
        api="completions",
        tokenizer=f"{CLIENT}:{recipe.model}",
    )
    endpoint = Endpoint(url="unstated", model=recipe.model)
    point = keyed(recipe, workload, concurrency=row.conc, endpoint=endpoint)
    imported: dict[str, JsonValue] = {
        "client": CLIENT,
        "reference_fingerprint": row.recipe_fingerprint,
        "asked_output": "not told",
        "requests": "not kept",
    }
    point = point.model_copy(update={"audit": {"imported": imported}})
    summary = summary_of(point, dict(_metrics(said)))
    files = {f"{IMPORTED}/{ROW}": orjson.dumps(said, option=orjson.OPT_INDENT_2)}
    return Imported(point, manifest, (), files, summary, foreign=True)


def _recipe(row: FixedRow, said: Mapping[str, JsonValue]) -> BoundRecipe:
    counted = accelerators(said)
    sizes = {name: size for name in SIZES if (size := whole(said.get(name)))}
    for role in ROLES:
        for name in ("num_workers", *SIZES):
            if size := whole(said.get(f"{role}_{name}")):
                sizes[f"{role}_{name}"] = size
    flags = {name: said[name] for name in said if name.endswith("dp_attention")}
    settings = {name: said[name] for name in ("router", "kv_p2p_transfer") if said.get(name)}
    return BoundRecipe(
        name="endpoint",
        engine=row.framework,
        image=row.image,
        model=row.model or row.infmax_model_prefix,
        precision=row.precision,
        hardware=row.hw,
        gpus=None if counted is None else counted.total,
        topology=sizes or None,
        speculative=row.spec_decoding,
        disaggregated=row.disagg,
        flags=flags,
        settings=settings,
    )


def _metrics(said: Mapping[str, JsonValue]) -> Iterator[tuple[str, Metric]]:
    for name, theirs in TIMES.items():
        yield name, _spread(said, theirs, "s")
    speed = _spread(said, "intvty", SPEED)
    # The row's deviation of a speed is 1 over that of its time, which says nothing.
    yield "interactivity", _without_deviation(speed)
    counted = accelerators(said)
    for name, source in THROUGHPUTS.items():
        yield from _throughput(said, counted, name, source)


def _spread(said: Mapping[str, JsonValue], theirs: str, unit: str) -> Metric:
    found = {
        ours: value
        for name, ours in STATISTICS.items()
        if (value := _figure(said.get(f"{name}_{theirs}"), zero=ours == "std")) is not None
    }
    if "mean" not in found:
        return Absent(reason=f"the row has no mean_{theirs}")
    return MetricValue.model_validate({"unit": unit, "n": None, **found})


def _without_deviation(metric: Metric) -> Metric:
    return metric if isinstance(metric, Absent) else metric.model_copy(update={"std": None})


def _throughput(
    said: Mapping[str, JsonValue],
    counted: Accelerators | None,
    name: str,
    source: tuple[str, str | None],
) -> Iterator[tuple[str, Metric]]:
    """Yield the throughput of the whole point and for each of all its accelerators."""
    key, role = source
    each = _figure(said.get(key))
    if each is None or counted is None:
        lacks = f"{key}" if each is None else "number of accelerators"
        yield name, Absent(reason=f"the row has no {lacks}")
        if each is not None and role is None:
            yield f"{name}_per_gpu", MetricValue(unit="tok/s/gpu", n=None, mean=each)
        return
    shared, total = counted.sharing(role), counted.total
    # A figure that is told of all accelerators already stays as it is, to the last digit.
    of_all = each if shared == total else each * shared / total
    yield name, MetricValue(unit="tok/s", n=None, mean=each * shared)
    yield f"{name}_per_gpu", MetricValue(unit="tok/s/gpu", n=None, mean=of_all)


def _figure(value: JsonValue, *, zero: bool = False) -> float | None:
    """Return a figure that is a positive number, or 0 where it may be; nothing for any other."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if value > 0 or (zero and value == 0) else None


def _manifest(clock: Clock, path: Path) -> Manifest:
    """Return the manifest of rows that say neither when they were measured nor where."""
    now = clock.wall()
    return Manifest(
        run=new_run_id(now),
        command=(CLIENT, path.name),
        state="finished",
        started=UNSTATED_DATE,
        anchor=ClockAnchor(monotonic_ns=0, wall_ns=0),
        versions={"infx": versions()["infx"]},
        host={},
    )
