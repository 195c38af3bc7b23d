"""What the points of bundles say of themselves: ends, certification, answers, what ran."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from infx.flows.evidence.answers import Look, looks
from infx.flows.evidence.bundles import Asked, Given
from infx.flows.evidence.places import text
from infx.flows.summary import NOT_READ
from infx.model import config_facts, run_facts
from infx.model.bundle import PointFile
from infx.model.result import Absent, MetricValue, PointSummary
from infx.model.verdict import Cite
from infx.store.bundles import OBSERVED, POINT, REQUESTS, point_folder
from infx.store.documents import read_json

SHOWN = 300
"""Characters of a log line that a fact keeps."""


def measurements(found: Iterable[Given]) -> Iterator[run_facts.Measurement]:
    """Yield each point that came to its end, repetitions too."""
    for one in found:
        for point in one.points:
            if point.summary is not None:
                yield _measurement(one, point, point.summary)


def _measurement(one: Given, point: Asked, summary: PointSummary) -> run_facts.Measurement:
    length, why = _acceptance(summary)
    return run_facts.Measurement(
        config=one.config.key,
        concurrency=point.file.concurrency,
        repetition=point.file.repetition,
        run=one.run.manifest.run,
        point_id=point.file.point_id,
        recipe_digest=point.file.recipe_digest,
        workload_digest=point.file.workload_digest,
        certified=summary.certified,
        reasons=summary.reasons,
        counts=None if isinstance(summary.counts, Absent) else summary.counts,
        acceptance=length,
        why_no_acceptance=why,
        launched=_launched(one, point.file),
        observed=_observed(one, point.file),
        cite=one.cite(point.file, "summary.json"),
    )


def _acceptance(summary: PointSummary) -> tuple[float | None, str | None]:
    found = summary.metrics.get("acceptance_length")
    if isinstance(found, MetricValue):
        return found.mean, None
    return None, found.reason if isinstance(found, Absent) else NOT_READ


def _launched(one: Given, point: PointFile) -> tuple[config_facts.Observed, ...] | None:
    if point.launch is None:
        return None
    stated = {**point.recipe.flags, **point.recipe.environment}
    cite = one.cite(point, POINT)
    return tuple(
        config_facts.Observed(name=name, value=text(value), cite=cite)
        for name, value in stated.items()
    )


def _observed(one: Given, point: PointFile) -> tuple[config_facts.Observed, ...] | None:
    """Return what the point's server said; raises InputError for a file of another form."""
    path = point_folder(one.run.bundle.path, point) / OBSERVED
    if not path.is_file():
        return None
    document = read_json(path)
    return tuple(_facts(document.value, one.run.manifest.run))


def _facts(value: JsonValue, run: str) -> Iterator[config_facts.Observed]:
    for process, facts in _mapping(value).items():
        for name, fact in _mapping(facts).items():
            said = _mapping(fact)
            line, words = said.get("line"), said.get("text")
            yield config_facts.Observed(
                name=f"{process}.{name}",
                value=text(said.get("value")),
                cite=Cite(
                    path=f"run {run} server/{process}.log",
                    line=line if isinstance(line, int) else None,
                    value=words.strip()[:SHOWN] if isinstance(words, str) else None,
                ),
            )


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def outputs(found: Iterable[Given]) -> Iterator[run_facts.Outputs]:
    """Yield what the answers look like that each bundle kept of each point and its repetitions.

    A point whose journal is not in the bundle has kept none. Raises InputError for a damaged one.
    """
    for one in found:
        counts: dict[int, Counter[Look]] = {}
        first: dict[int, PointFile] = {}
        for point in (each.file for each in one.points):
            mine = counts.setdefault(point.concurrency, Counter())
            if (point_folder(one.run.bundle.path, point) / REQUESTS).exists():
                mine.update(looks(one.run.bundle.records(point)))
            first.setdefault(point.concurrency, point)
        for concurrency, mine in counts.items():
            yield run_facts.Outputs(
                config=one.config.key,
                concurrency=concurrency,
                kept=mine.total(),
                empty=mine["empty"],
                repeated=mine["repeated"],
                unreadable=mine["unreadable"],
                cite=one.cite(first[concurrency], REQUESTS),
            )
