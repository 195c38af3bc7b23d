"""Run bundles of our own: figures, clients, workloads, and what ran."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from infx.curves.curve import E2EL, TOTAL_THROUGHPUT, Axis, Statistic, curve
from infx.errors import InputError, Problem, nearest
from infx.flows.evidence.artifacts import series_of
from infx.flows.evidence.curves import AGENTIC, FIXED, Figure
from infx.flows.evidence.points import scenario_id
from infx.flows.evidence.states import Placed, State
from infx.flows.runs import Run, open_run
from infx.model import config_facts, run_facts
from infx.model.agentic import RULES, AgenticWorkload
from infx.model.bundle import PointFile
from infx.model.dataset import DatasetRegistry
from infx.model.model_registry import ModelRegistry
from infx.model.result import PointSummary
from infx.model.verdict import Cite
from infx.model.workload import FixedWorkload
from infx.recipes import registries

ENDPOINTS = {"chat": "/v1/chat/completions", "completions": "/v1/completions"}
PER_GPU = Axis(f"{TOTAL_THROUGHPUT.metric}_per_gpu", "mean", "larger", "tok/s/gpu")
CONCLUSIONS: Mapping[str, str] = {"finished": "success", "recovered": "success"}
_Conclusion = Literal["success", "failure", "cancelled", "none"]
_ENDS: Mapping[str, _Conclusion] = {
    "failed": "failure", "interrupted": "cancelled", "running": "none"
}  # fmt: skip
_ASKED_FIXED = ("range_ratio", "requests_per_lane", "warmups_per_lane")


@dataclass(frozen=True, slots=True)
class Given:
    """One bundle, and the entry whose points it measured."""

    config: config_facts.Config
    run: Run

    @property
    def points(self) -> Iterator[tuple[PointFile, PointSummary | None]]:
        """The points that began, with what they say."""
        return ((point, self.run.bundle.summary(point)) for point in self.run.points)

    def cite(self, point: PointFile, file: str, value: str | None = None) -> Cite:
        """Return a file of a point as a place."""
        path = f"run {self.run.manifest.run} points/{point.directory}/{file}"
        return Cite(path=path, value=value)


def read(words: Iterable[str], configs: Mapping[str, config_facts.Config]) -> tuple[Given, ...]:
    """Open the bundles of `[ENTRY=]FOLDER` words; where one entry is affected it is that one.

    Raises InputError for what is no bundle, and where nobody says which entry it measured.
    """
    found: list[Given] = []
    problems: list[Problem] = []
    for word in words:
        name, equals, rest = word.partition("=")
        key = name if equals else next(iter(configs), "") if len(configs) == 1 else ""
        try:
            run = open_run(Path(rest if equals else word))
        except InputError as error:
            problems += error.problems
            continue
        if key in configs:
            found.append(Given(configs[key], run))
        else:
            what = f"no affected entry {key!r}" if key else "nobody says which entry it measured"
            known = list(configs)
            advice = nearest(key, known) if known else "the change affects no entry"
            problems.append(Problem(what, word, f"write ENTRY=FOLDER; {advice}"))
    if problems:
        raise InputError(*problems)
    return tuple(found)


def runs(found: Iterable[Given], commit: str | None) -> Iterator[run_facts.Run]:
    """Yield each bundle as a run: one job a point, known by the moment at which it began."""
    for one in found:
        manifest = one.run.manifest
        digits = "".join(char for char in manifest.started if char.isdigit())[:14]
        yield run_facts.Run(
            id=int(digits or 0),
            attempt=1,
            event="local",
            workflow=" ".join(manifest.command[:2]),
            head=commit or "",
            conclusion=CONCLUSIONS.get(manifest.state, manifest.state),
            url=f"bundle {manifest.run}",
            jobs=tuple(
                run_facts.Job(
                    name=f"{one.config.key} c{point.concurrency} r{point.repetition}",
                    conclusion="success"
                    if summary is not None
                    else _ENDS.get(manifest.state, "failure"),
                    kind="throughput",
                    config=one.config.key,
                    concurrency=(point.concurrency,),
                )
                for point, summary in one.points
            ),
            simulated=manifest.simulated,
        )


def figures(found: Iterable[Given]) -> Iterator[Figure]:
    """Yield the figures of every point that has a summary.

    Repetitions add no points to a curve, and neither does another run of a point: the first
    repetition of the newest run counts.
    """
    seen: set[tuple[str, str]] = set()
    for one in sorted(found, key=lambda given: given.run.manifest.started, reverse=True):
        for point, summary in one.points:
            if summary is None or point.repetition or (one.config.key, point.point_id) in seen:
                continue
            seen.add((one.config.key, point.point_id))
            percentiles = FIXED if summary.replay is None else AGENTIC
            scenario = one.config.scenarios[0] if one.config.scenarios else "none"
            spec = None if summary.replay is not None else point.recipe.speculative
            placed = {name: _placed(summary, name) for name in percentiles}
            yield Figure(
                config=one.config.key,
                series=series_of(one.config, scenario, spec),
                asked=f"{one.config.prefix} {scenario}",
                concurrency=point.concurrency,
                latency={name: None if at is None else at[0] for name, at in placed.items()},
                throughput=next((at[1] for at in placed.values() if at is not None), None),
                cite=one.cite(point, "summary.json"),
            )


def clients(found: Iterable[Given]) -> Iterator[run_facts.Client]:
    """Yield what the client says of itself, once a bundle: the worst of its points."""
    for one in found:
        pairs = [(point, summary) for point, summary in one.points if summary is not None]
        if not pairs:
            continue
        point, _ = pairs[0]
        issued = sum(s.counts.issued + s.warmup_counts.issued for _, s in pairs)
        chat = point.workload.api == "chat"
        foreign = bool(point.audit.get("imported"))
        version = one.run.manifest.versions.get("infx")
        yield run_facts.Client(
            config=one.config.key,
            tool=f"infx {version}" if version else "infx",
            foreign=foreign,
            endpoint=ENDPOINTS.get(point.workload.api),
            chat_requests=issued if chat else 0,
            completions=0 if chat else issued,
            certified=None if foreign else all(summary.certified for _, summary in pairs),
            reasons=tuple(dict.fromkeys(r for _, summary in pairs for r in summary.reasons)),
            cite=one.cite(point, "summary.json"),
        )


def workloads(
    found: Iterable[Given], state: State, models: ModelRegistry, corpora: DatasetRegistry
) -> Iterator[run_facts.Workload]:
    """Yield what each point was asked, beside what its model and its entry ask for."""
    for one in found:
        for point, summary in one.points:
            if summary is None or point.repetition:
                continue
            rows = [at for at in state.of(one.config.key) if at.concurrency == point.concurrency]
            yield run_facts.Workload(
                config=one.config.key,
                concurrency=point.concurrency,
                facts=point.workload.model_dump(mode="json"),
                required=_required(one, point, rows, models, corpora),
                cite=one.cite(point, "point.json", point.workload_digest),
            )


def _required(
    one: Given,
    point: PointFile,
    rows: list[Placed],
    models: ModelRegistry,
    corpora: DatasetRegistry,
) -> dict[str, JsonValue]:
    if isinstance(point.workload, AgenticWorkload):
        if registries.model(models, one.config.prefix) is None:
            return {}
        corpus = corpora.of(registries.corpus(models, one.config.prefix))
        promised = {**RULES["full"], "rule": "full"}
        # A corpus whose digest no page states is asked for by name, which no record has.
        digest = f"sha256:{corpus.sha256}" if corpus.sha256 else corpus.name
        json = {name: list(v) if isinstance(v, tuple) else v for name, v in promised.items()}
        return {**json, "corpus": digest}  # type: ignore[dict-item]
    row = next((at.row for at in rows if scenario_id(at.row) in one.config.scenarios), None)
    isl, osl = getattr(row, "isl", None), getattr(row, "osl", None)
    if isl is None or osl is None:
        return {}
    declared = FixedWorkload(isl=isl, osl=osl)
    wanted = declared.model_dump(mode="json", include={"isl", "osl", *_ASKED_FIXED})
    return {**wanted, "scenario": "fixed", "dataset": None}


def _placed(summary: PointSummary, statistic: str) -> tuple[float, float] | None:
    at: Statistic = statistic  # type: ignore[assignment]
    found = curve([summary], replace(E2EL, statistic=at), PER_GPU).points
    return (found[0].x, found[0].y) if found else None
