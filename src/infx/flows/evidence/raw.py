"""The raw files that facts were read from, by their paths in a folder of evidence."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from infx.flows.evidence.artifacts import Artifacts
from infx.flows.evidence.bundles import Given
from infx.flows.evidence.points import Trio
from infx.model.checkpoint import Checkpoint
from infx.store.bundles import MANIFEST, OBSERVED, POINT, POINTS, SUMMARY

Raw = tuple[str, bytes | Path]


def of_commit(trio: Trio, more: Iterable[str]) -> Iterator[Raw]:
    """Yield the catalog as the head has it, and `more` files of the head."""
    sources = trio.comparison.sources
    for path in (*sources.masters, sources.runners, *sources.shared.values(), *more):
        data = trio.head.snapshot.read(path)
        if data is not None:
            yield f"head/{path}", data


def of_artifacts(found: Iterable[Artifacts]) -> Iterator[Raw]:
    """Yield the aggregates of public runs."""
    for one in found:
        for name, data in one.files.items():
            yield f"artifacts/{one.run}/{name}", data


def of_bundles(found: Iterable[Given]) -> Iterator[Raw]:
    """Yield what bundles say of themselves and of their points; requests stay where they are."""
    for one in found:
        run = one.run
        start = f"runs/{run.manifest.run}"
        yield f"{start}/{MANIFEST}", run.bundle.path / MANIFEST
        for point in run.points:
            for name in (POINT, SUMMARY, OBSERVED):
                path = run.bundle.path / POINTS / point.directory / name
                if path.is_file():
                    yield f"{start}/{POINTS}/{point.directory}/{name}", path


def of_checkpoints(found: Iterable[Checkpoint]) -> Iterator[Raw]:
    """Yield the metadata of each checkpoint as one file, by its name and its revision."""
    for number, one in enumerate(found):
        name = "@".join(part for part in (one.repository, one.revision) if part)
        parts = (re.sub(r"[^\w.@-]", "_", part) for part in name.split("/") if part.strip("."))
        path = "/".join(parts) or str(number)
        yield f"checkpoints/{path}.json", one.model_dump_json(indent=1).encode()
