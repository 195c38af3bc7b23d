"""Runs of other clients as bundles of ours, so that their figures are computed again.

What such a run says of itself is kept beside what is computed of it; what it did not keep is
absent, and speaks against the point.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.flows.exporting import COMPANIONS
from infx.flows.keyed import keyed
from infx.flows.manifest import stamp, versions
from infx.flows.replaying import recorded_streams
from infx.flows.runs import Run, open_run
from infx.flows.summary import summarise_in
from infx.flows.workload import Reading, corpus_digest, open_corpus
from infx.interchange import aiperf_aggregate, aiperf_records, aiperf_requests
from infx.interchange.aiperf_settings import Settings
from infx.model.aiperf import AGGREGATE, RECORDS, AiperfExport, AiperfRecord, InfxExport
from infx.model.bundle import ClockAnchor, Manifest, PointFile, RunState
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.record import Issue, Phase, RequestRecord
from infx.store import bundles
from infx.store.bundles import POINTS, REQUESTS, BundleWriter, new_run_id
from infx.store.expected import EXPECTED, RecordedStream, expected_bytes
from infx.store.frames import pack
from infx.store.journal import Journal
from infx.workloads.seats import outline

IMPORTED = "imported"
"""The folder of a point that holds what was imported, as it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the user states of a run that does not say it: of the server, and its concurrency."""

    concurrency: int | None = None
    gpus: int | None = None
    hardware: str | None = None
    engine: str | None = None
    image: str | None = None
    model: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """The recorded sessions that a run replayed: their digest, and what they say."""

    digest: str
    streams: tuple[RecordedStream, ...]


@dataclass(frozen=True, slots=True)
class _Import:
    """One point that was read, and the files that go into its folder."""

    point: PointFile
    records: tuple[RequestRecord, ...]
    manifest: Manifest
    files: dict[str, bytes]
    foreign: bool = False


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
    manifest = read[0].manifest
    writer = bundles.create(out, manifest.model_copy(update={"state": "running", "points": ()}))
    for one in _apart(read):
        _write(writer, one)
    ends = [one.manifest for one in read]
    worst = next((one for one in ends if one.state != "finished"), ends[0])
    writer.close(worst.state, max(one.ended or one.started for one in ends), worst.failure)
    return open_run(writer.path)


def _corpus(path: Path) -> Corpus:
    traces = open_corpus(path, Reading()).traces
    streams = tuple(recorded_streams(outline(trace) for trace in traces))
    return Corpus(f"sha256:{corpus_digest(path)}", streams)


def _apart(read: Sequence[_Import]) -> Iterator[_Import]:
    """Yield the points; one that is there already is its next repetition."""
    seen: set[str] = set()
    for one in read:
        point = one.point
        while point.directory in seen:
            point = point.model_copy(update={"repetition": point.repetition + 1})
        seen.add(point.directory)
        yield replace(one, point=point)


def _write(writer: BundleWriter, one: _Import) -> None:
    folder = writer.begin_point(one.point)
    for name, data in one.files.items():
        writer.add_file(f"{POINTS}/{one.point.directory}/{name}", data)
    with Journal(folder / REQUESTS) as journal:
        for record in one.records:
            facts = {name: getattr(record, name) for name in Issue.__dataclass_fields__}
            journal.issue(Issue(**facts))
            journal.end(record)
    writer.end_point(one.point, summarise_in(folder, one.point, one.records))


def _read(folder: Path, stated: Stated, corpus: Corpus | None) -> _Import:
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
    return _Import(point, incoming.records, manifest, kept, foreign=True)


def _own(
    folder: Path, lines: tuple[AiperfRecord, ...], *, said: InfxExport, kept: dict[str, bytes]
) -> _Import:
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
    return _Import(point, records, manifest, kept)


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
