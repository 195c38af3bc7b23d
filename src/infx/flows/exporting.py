"""The points of a run as files of other tools."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.flows.exporting_power import Sampled, power_facts, refuse_stated
from infx.flows.telemetry import server_metrics_of
from infx.interchange import (
    agentx_row,
    aiperf_aggregate,
    aiperf_records,
    aiperf_server_metrics,
    aiperf_slices,
    aiperf_table,
    benchmark_rows,
)
from infx.interchange.outgoing import Outgoing
from infx.model.bundle import PointFile
from infx.store.bundle_reader import Bundle, open_bundle
from infx.store.bundles import SAMPLES, point_folder
from infx.store.expected import EXPECTED, recorded
from infx.store.files import make_folder, write_whole
from infx.telemetry.engine import whole_pages

Format = Literal["aiperf", "agentx-row", "agg-bmk"]
COMPANIONS = (EXPECTED, SAMPLES)
"""Files of a point that are written beside aiperf's own, so that its figures can be recomputed."""


def export_run(
    run: Path,
    out: Path,
    *,
    format: Format,  # noqa: A002 - named as the flag
    point: str | None = None,
    facts: Mapping[str, JsonValue] | None = None,
    slice_ns: int | None = None,
    power: Sampled | None = None,
) -> tuple[Path, ...]:
    """Write the points of a run for other tools, and return the files.

    One point is written into `out`, several into folders of their own there; `agg-bmk` is one file
    of them all. `point` chooses one by the beginning of its id; `facts` are keys of public rows
    that the bundle does not know, and `power` are the samples from which an AgentX row also tells
    energy; `slice_ns` is how long the pieces of time are that aiperf's files also tell a point in.
    Raises InputError where a point has not ended, says too little, or `out` holds something.
    """
    bundle = open_bundle(run)
    points = _points(bundle, point or "")
    if out.is_dir() and any(out.iterdir()):
        raise InputError(Problem("the folder is not empty", str(out), "name another"))
    told = [(point_folder(run, one), outgoing(bundle, one)) for one in points]
    if format == "agg-bmk":
        return (_rows([one for _, one in told], out, facts or {}),)
    stated = {
        place: _facts(one, facts or {}, power) for place, one in told if format == "agentx-row"
    }
    written: list[Path] = []
    for place, one in told:
        folder = out if len(told) == 1 else out / place.name
        make_folder(folder)
        if format == "agentx-row":
            written.append(agentx_row.write(one, folder, stated[place]))
        else:
            written += _aiperf(place, one, folder)
            if slice_ns is not None:
                written += aiperf_slices.write(one, folder, slice_ns)
    return tuple(written)


def _rows(told: Sequence[Outgoing], out: Path, facts: Mapping[str, JsonValue]) -> Path:
    rows = benchmark_rows.rows_of(told, facts)  # before the folder is made
    make_folder(out)
    return benchmark_rows.write(rows, out)


def _points(bundle: Bundle, beginning: str) -> list[PointFile]:
    points = [one for one in bundle.points if one.directory.startswith(beginning)]
    if not points:
        known = ", ".join(one.directory[:16] for one in bundle.points) or "none"
        what = f"no point {beginning or None!r}"
        raise InputError(Problem(what, str(bundle.path), f"the run has {known}"))
    return points


def outgoing(bundle: Bundle, point: PointFile) -> Outgoing:
    """Return all that is known of a point; raises InputError where it never came to its end."""
    summary = bundle.summary(point)
    folder = point_folder(bundle.path, point)
    if summary is None:
        raise InputError(
            Problem("the point never came to its end", str(folder), "infx runs recover")
        )
    path = folder / EXPECTED
    streams = {one.stream: one for one in recorded(path)} if path.exists() else {}
    return Outgoing(
        manifest=bundle.manifest,
        point=point,
        summary=summary,
        records=bundle.records(point),
        streams=streams,
        pages=lambda: whole_pages(bundle.scrapes(point)),
        server=server_metrics_of(bundle, point),
    )


def _facts(
    told: Outgoing, stated: Mapping[str, JsonValue], power: Sampled | None
) -> Mapping[str, JsonValue]:
    """Return what the row of a point states, before anything is written; errors as its writing."""
    if power is None:
        agentx_row.row_of(told, stated)
        return stated
    refuse_stated(stated)
    return {**stated, **power_facts(power, told, agentx_row.row_of(told, stated))}


def _aiperf(place: Path, told: Outgoing, folder: Path) -> Iterator[Path]:
    yield from (one.write(told, folder) for one in (aiperf_records, aiperf_aggregate, aiperf_table))
    yield aiperf_server_metrics.write(told, folder)
    for name in COMPANIONS:
        source = place / name
        if source.exists():
            write_whole(folder / name, source.read_bytes())
            yield folder / name
