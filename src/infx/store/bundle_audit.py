"""Is a bundle what its manifest says: every byte, every key, every count."""

from collections.abc import Iterator
from pathlib import Path

from infx.errors import InputError, Problem
from infx.model import identity
from infx.model.bundle import Manifest, PointFile
from infx.model.record import Phase
from infx.store.bundle_reader import Bundle, count_ends, read_manifest, read_point
from infx.store.bundles import PLAN, POINT, REQUESTS, SUMMARY, files_of, point_folder
from infx.store.files import sha256_of
from infx.store.plans import PACKED, sha256_of_plan


def verify(path: Path) -> tuple[Problem, ...]:
    """Return everything that is wrong with a bundle; nothing means that it is whole and true.

    Checks the sha256 of every file, missing and extra files, the keys of each point recomputed from
    its recipe and workload, the plan digest, and the counts of each summary recomputed from the
    journal. Raises InputError when there is no readable manifest.
    """
    manifest = read_manifest(path)
    problems: list[Problem] = []
    if manifest.state == "running":
        remedy = "if its process is gone, finish it with: infx runs recover"
        problems.append(Problem("the run has not ended", str(path), remedy))
    else:
        problems += _files(path, manifest)
    for name in manifest.points:
        try:
            point = read_point(path, name)
        except InputError as error:
            problems += error.problems
            continue
        problems += _keys(path, point)
        problems += _plan(path, point)
        problems += _counts(Bundle(path, manifest, (point,)), point)
        problems += _samples(Bundle(path, manifest, (point,)), point)
    return tuple(problems)


def _files(path: Path, manifest: Manifest) -> Iterator[Problem]:
    present = set(files_of(path))
    for name, digest in sorted(manifest.files.items()):
        where = str(path / name)
        if name not in present:
            yield Problem("the file is missing", where, "restore it from a copy")
        elif (path / name).is_symlink() or not (path / name).is_file():
            yield Problem("this is a link, not a file", where, "restore the file from a copy")
        elif sha256_of(path / name) != digest:
            yield Problem("the file was changed: its sha256 differs", where, "restore it")
    for name in sorted(present - manifest.files.keys()):
        yield Problem("the manifest does not know this file", str(path / name), "remove it")


def _keys(path: Path, point: PointFile) -> Iterator[Problem]:
    recipe = identity.recipe_digest(point.recipe)
    workload = identity.workload_digest(point.workload)
    key = identity.point_id(recipe=recipe, workload=workload, concurrency=point.concurrency)
    curve = identity.curve_key(point.recipe, point.workload)
    where = str(point_folder(path, point) / POINT)
    for name, stated, computed in (
        ("recipe_digest", point.recipe_digest, recipe),
        ("workload_digest", point.workload_digest, workload),
        ("point_id", point.point_id, key),
        ("curve_key", point.curve_key, curve),
    ):
        if stated != computed:
            what = f"{name} is {stated}, but what the file holds makes it {computed}"
            yield Problem(what, where, "restore the file")


def _plan(path: Path, point: PointFile) -> Iterator[Problem]:
    if point.plan_digest is None:
        return
    folder = point_folder(path, point)
    try:
        digest = sha256_of_plan(folder)
    except InputError as error:
        yield from error.problems
        return
    if digest != point.plan_digest:
        plan = folder / (PLAN if (folder / PLAN).exists() else PACKED)
        yield Problem("the plan is not the one that the point names", str(plan), "restore it")


def _counts(bundle: Bundle, point: PointFile) -> Iterator[Problem]:
    """Compare a summary with the journal; a journal alone is only read through."""
    folder = point_folder(bundle.path, point)
    try:
        summary = bundle.summary(point)
        if summary is None and not (folder / REQUESTS).exists():
            return
        records = bundle.records(point)
    except InputError as error:
        yield from error.problems
        return
    if summary is None or not point.keeps_requests:
        return
    where = str(folder / SUMMARY)
    for name, stated, computed in (
        ("point_id", summary.point_id, point.point_id),
        ("concurrency", summary.concurrency, point.concurrency),
        ("repetition", summary.repetition, point.repetition),
        ("counts", summary.counts, count_ends(records, Phase.PROFILING)),
        ("warmup_counts", summary.warmup_counts, count_ends(records, Phase.WARMUP)),
    ):
        if stated != computed:
            yield Problem(f"{name} is {stated}, but the point has {computed}", where, "re-report")


def _samples(bundle: Bundle, point: PointFile) -> Iterator[Problem]:
    """Read the samples through."""
    try:
        for _ in bundle.scrapes(point):
            pass
    except InputError as error:
        yield from error.problems
