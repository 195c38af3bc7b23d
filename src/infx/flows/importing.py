"""Runs of other clients as bundles of ours, so that their figures are computed again.

What such a run says of itself is kept beside what is computed of it; what it did not keep is
absent, and speaks against the point.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.flows.exporting import COMPANIONS
from infx.flows.imported import IMPORTED, Imported, Stated, write_points
from infx.flows.keyed import keyed
from infx.flows.manifest import stamp, versions
from infx.flows.replaying import recorded_streams
from infx.flows.runs import Run
from infx.flows.workload import Reading, corpus_digest, open_corpus
from infx.interchange import aiperf_aggregate, aiperf_records, aiperf_requests
from infx.interchange.aiperf_settings import Settings
from infx.model.aiperf import AGGREGATE, RECORDS, AiperfExport, AiperfRecord, InfxExport
from infx.model.bundle import ClockAnchor, Manifest, PointFile, RunState
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.record import Phase, RequestRecord
from infx.store.bundles import new_run_id
from infx.store.expected import EXPECTED, RecordedStream, expected_bytes
from infx.store.frames import pack
from infx.workloads.seats import outline


@dataclass(frozen=True, slots=True)
class Corpus:
    """The recorded sessions that a run replayed: their digest, and what they say."""

    digest: str
    streams: tuple[RecordedStream, ...]


def import_runs(
    folder: Path,
    out: Path,
    *,
    stated: Stated,
    corpus: Path | None = None,
    talk: Callable[[str], None] = lambda _: None,
) -> Run:
    """Make a bundle under `out` of every aiperf run in a folder and below it; each is one point.

    `corpus` is what the runs replayed: with it prompts have their asked lengths, and their blocks
    are known. Raises InputError for a folder without a run, and for runs that cannot be told.
    """
    found = sorted(path.parent for path in folder.rglob(RECORDS))
    if not found:
        raise InputError(Problem(f"no {RECORDS} in it", str(folder), "name the artifact folder"))
    traces = _corpus(corpus) if corpus is not None else None
    read = [_read(path, stated, traces) for path in found]
    if len({one.manifest.anchor.wall_ns - one.manifest.anchor.monotonic_ns for one in read}) > 1:
        what = "these are points of several runs of infx"
        raise InputError(Problem(what, str(folder), "import each on its own"))
    if traces is None and any(one.foreign for one in read):
        talk("without --corpus neither asked input lengths nor prefix hits are known")
    return write_points(out, read[0].manifest, read)


def _corpus(path: Path) -> Corpus:
    traces = open_corpus(path, Reading()).traces
    streams = tuple(recorded_streams(outline(trace) for trace in traces))
    return Corpus(f"sha256:{corpus_digest(path)}", streams)


def _read(folder: Path, stated: Stated, corpus: Corpus | None) -> Imported:
    lines = aiperf_records.read(folder / RECORDS)
    export = aiperf_aggregate.read(folder / AGGREGATE)
    kept = {
        f"{IMPORTED}/{AGGREGATE}": (folder / AGGREGATE).read_bytes(),
        f"{IMPORTED}/{RECORDS}.zst": pack((folder / RECORDS).read_bytes()),
    }
    if export.infx is not None and all(line.infx is not None for line in lines):
        return _own(folder, lines, said=export.infx, kept=kept)
    where = str(folder / RECORDS)
    point, manifest, incoming = _foreign(lines, export, corpus=corpus, stated=stated, where=where)
    if incoming.streams:
        kept[EXPECTED] = expected_bytes(incoming.streams)
    return Imported(point, manifest, incoming.records, kept, foreign=True)


def _own(
    folder: Path, lines: tuple[AiperfRecord, ...], *, said: InfxExport, kept: dict[str, bytes]
) -> Imported:
    """Return a point that infx exported, as it was; its plan is not at hand."""
    audit: dict[str, JsonValue] = {"run": said.run, "plan_digest": said.point.plan_digest}
    point = said.point.model_copy(
        update={"plan_digest": None, "audit": {**said.point.audit, "imported": audit}}
    )
    for name in COMPANIONS:
        if (folder / name).exists():
            kept[name] = (folder / name).read_bytes()
    facts = said.model_dump(exclude={"point", "run", "anchor"})
    manifest = Manifest(**facts, anchor=said.anchor, run=new_run_id(said.anchor.wall_ns))
    records = aiperf_requests.own(lines, said.anchor, where=str(folder / RECORDS))
    return Imported(point, manifest, records, kept)


def _foreign(
    lines: tuple[AiperfRecord, ...],
    export: AiperfExport,
    *,
    corpus: Corpus | None,
    stated: Stated,
    where: str,
) -> tuple[PointFile, Manifest, aiperf_requests.Incoming]:
    """Return a run that aiperf measured as a point; moments are those of the wall clock."""
    settings = Settings(export, where)
    concurrency = stated.concurrency or settings.concurrency
    if concurrency is None:
        what = "it does not say how many sessions were live at once"
        raise InputError(Problem(what, where, "state it with --concurrency"))
    if not settings.replays:
        what = "this run replayed no recorded sessions"
        raise InputError(Problem(what, where, "only replays can be imported"))
    known = corpus.streams if corpus is not None else ()
    incoming = aiperf_requests.foreign(lines, known, where=where)
    profiled = [one.due_ns for one in incoming.records if one.phase is Phase.PROFILING]
    point = _point(settings, stated, concurrency=concurrency, corpus=corpus).model_copy(
        update={
            "phases": settings.window(min(profiled)) if profiled else (),
            "audit": {"imported": _said(export)},
        }
    )
    return point, _manifest(export, incoming.records), incoming


def _point(
    settings: Settings, stated: Stated, *, concurrency: int, corpus: Corpus | None
) -> PointFile:
    workload = settings.workload(corpus.digest if corpus else settings.declared_corpus)
    facts = asdict(stated)
    del facts["concurrency"]
    facts["model"] = stated.model or settings.model
    recipe = BoundRecipe(name="endpoint", **facts)
    endpoint = Endpoint(url=settings.url or "unstated", model=settings.model)
    return keyed(recipe, workload, concurrency=concurrency, endpoint=endpoint)


def _said(export: AiperfExport) -> dict[str, JsonValue]:
    """Return what a run says of itself: its client, and whether it is a valid submission."""
    outcome = export.metadata.model_dump(mode="json", exclude_none=True)
    return {"client": "aiperf", "version": export.aiperf_version, **outcome}


def _manifest(export: AiperfExport, records: Sequence[RequestRecord]) -> Manifest:
    first = min(one.sent_ns for one in records)
    last = max(one.end_ns or one.sent_ns for one in records)
    command = export.run_info.get("cli_command")
    state: RunState = "interrupted" if export.was_cancelled else "finished"
    client = export.aiperf_version
    return Manifest(
        run=new_run_id(first),
        command=tuple(shlex.split(command)) if isinstance(command, str) else ("aiperf",),
        state=state,
        started=stamp(first),
        ended=stamp(last),
        anchor=ClockAnchor(monotonic_ns=first, wall_ns=first),
        versions={"aiperf": client or "unknown", "infx": versions()["infx"]},
        host={},
    )
