"""Run bundles of our own: whose points they measured, what ran, and who asked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from infx.errors import InputError, Problem, nearest
from infx.flows.evidence.points import scenario_id
from infx.flows.evidence.states import Placed, State
from infx.flows.runs import Run, open_run
from infx.model import config_facts, run_facts
from infx.model.agentic import AgenticWorkload
from infx.model.bundle import PointFile
from infx.model.result import Absent, PointSummary
from infx.model.sweep import FixedMultiRow, FixedSingleRow
from infx.model.verdict import Cite
from infx.recipes.registries import AGENTIC
from infx.store import bundle_audit

ENDPOINTS = {"chat": "/v1/chat/completions", "completions": "/v1/completions"}
CONCLUSIONS: Mapping[str, str] = {"finished": "success", "recovered": "success"}
_Conclusion = Literal["success", "failure", "cancelled", "none"]
_ENDS: Mapping[str, _Conclusion] = {
    "failed": "failure", "interrupted": "cancelled", "running": "none"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A point of a bundle, what it came to, and the point of the entry that it measured."""

    file: PointFile
    summary: PointSummary | None
    placed: Placed


@dataclass(frozen=True, slots=True)
class Given:
    """One bundle, and the entry whose points it measured.

    `points` are those that the entry asks for; `others` are of something else, and count for
    nothing: the demonstration that ends a quickstart is no point of its curve.
    """

    config: config_facts.Config
    run: Run
    points: tuple[Asked, ...]
    others: tuple[PointFile, ...]

    def cite(self, point: PointFile, file: str, value: str | None = None) -> Cite:
        """Return a file of a point as a place."""
        path = f"run {self.run.manifest.run} points/{point.directory}/{file}"
        return Cite(path=path, value=value)


def read(
    words: Iterable[str], configs: Mapping[str, config_facts.Config], state: State
) -> tuple[Given, ...]:
    """Open the bundles of `[ENTRY=]FOLDER` words; where one entry is affected it is that one.

    `state` has the points that an entry asks for. Raises InputError for what is no bundle, and
    where nobody says which entry it measured.
    """
    found: list[Given] = []
    problems: list[Problem] = []
    for word in words:
        name, equals, rest = word.partition("=")
        key = name if equals else next(iter(configs), "") if len(configs) == 1 else ""
        try:
            folder = Path(rest if equals else word)
            _refuse_links(folder)
            run = open_run(folder)
            if key in configs:
                found.append(_given(configs[key], run, state))
                continue
        except InputError as error:
            problems += error.problems
            continue
        what = f"no affected entry {key!r}" if key else "nobody says which entry it measured"
        known = list(configs)
        advice = nearest(key, known) if known else "the change affects no entry"
        problems.append(Problem(what, word, f"write ENTRY=FOLDER; {advice}"))
    if problems:
        raise InputError(*problems)
    return tuple(found)


def _refuse_links(folder: Path) -> None:
    """Raise InputError for a bundle with links: what it has is copied, and may be a stranger's."""
    links = [path for path in folder.rglob("*") if path.is_symlink()]
    if links:
        remedy = "give the bundle as its client wrote it"
        raise InputError(
            *(Problem("this is a link, not a file", str(one), remedy) for one in links)
        )


def _given(config: config_facts.Config, run: Run, state: State) -> Given:
    asked: list[Asked] = []
    others: list[PointFile] = []
    for point in run.points:
        placed = _placed(point, state.of(config.key))
        if placed is None:
            others.append(point)
        else:
            asked.append(Asked(point, run.bundle.summary(point), placed))
    return Given(config, run, tuple(asked), tuple(others))


def _placed(point: PointFile, known: Iterable[Placed]) -> Placed | None:
    """Return the point of the entry that a measured one is of, None where it is of none.

    It is the one of the same kind of work at the same concurrency; of several those of the same
    lengths. Other lengths than the only ones that are asked for are left to whoever judges.
    """
    work = point.workload
    agentic = isinstance(work, AgenticWorkload)
    same = [
        one
        for one in known
        if one.is_measured
        and one.concurrency == point.concurrency
        and (scenario_id(one.row) == AGENTIC) == agentic
        and point.rate is None
    ]
    lengths = {lengths_of(one) for one in same}
    if not isinstance(work, AgenticWorkload) and len(lengths) > 1:
        same = [one for one in same if lengths_of(one) == (work.isl, work.osl)]
    return same[0] if same else None


def lengths_of(one: Placed) -> tuple[int, int] | None:
    """Return the lengths that a point asks for, None where it replays sessions."""
    row = one.row
    return (row.isl, row.osl) if isinstance(row, FixedSingleRow | FixedMultiRow) else None


def unasked(found: Iterable[Given]) -> Iterator[Problem]:
    """Yield what of a bundle is no point of its entry."""
    for one in found:
        if one.others:
            shown = ", ".join(
                f"{each.workload.scenario} c{each.concurrency}" for each in one.others
            )
            what = f"{one.config.key} asks for no such points, and they count for nothing: {shown}"
            yield Problem(what, str(one.run.bundle.path))


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
                    name=f"{one.config.key} c{point.file.concurrency} r{point.file.repetition}",
                    conclusion=_conclusion(one, point),
                    kind="throughput",
                    config=one.config.key,
                    concurrency=(point.file.concurrency,),
                )
                for point in one.points
            ),
            simulated=manifest.simulated,
            altered=tuple(_altered(one)),
        )


def _altered(one: Given) -> Iterator[Cite]:
    root = f"{one.run.bundle.path}/"
    for problem in bundle_audit.verify(one.run.bundle.path):
        where = (problem.where or "").removeprefix(root)
        path = "" if where == str(one.run.bundle.path) else where
        yield Cite(path=f"run {one.run.manifest.run} {path}".rstrip(), value=problem.what)


def _conclusion(one: Given, point: Asked) -> _Conclusion:
    """Return how a point ended in a forge's words; whether its requests did is not told here."""
    state = one.run.manifest.state
    if point.summary is None:
        return _ENDS.get(state, "failure")
    if state == "interrupted" and point.file == one.run.points[-1]:
        return "cancelled"  # it was being measured when the run was stopped
    return "success"


def clients(found: Iterable[Given]) -> Iterator[run_facts.Client]:
    """Yield what the client says of itself, once a bundle: the worst of its points."""
    for one in found:
        pairs = [(each.file, each.summary) for each in one.points if each.summary is not None]
        if not pairs:
            continue
        point, _ = pairs[0]
        issued = _issued(summary for _, summary in pairs)
        chat = point.workload.api == "chat"
        foreign = bool(point.audit.get("imported"))
        version = one.run.manifest.versions.get("infx")
        yield run_facts.Client(
            config=one.config.key,
            tool=f"infx {version}" if version else "infx",
            foreign=foreign,
            endpoint=ENDPOINTS.get(point.workload.api),
            chat_requests=issued if chat or issued is None else 0,
            completions=issued if not chat or issued is None else 0,
            certified=None if foreign else all(summary.certified for _, summary in pairs),
            reasons=tuple(dict.fromkeys(r for _, summary in pairs for r in summary.reasons)),
            cite=one.cite(point, "summary.json"),
        )


def _issued(summaries: Iterable[PointSummary]) -> int | None:
    """Return how many requests points asked, None where one does not say."""
    total = 0
    for summary in summaries:
        for counts in (summary.counts, summary.warmup_counts):
            if isinstance(counts, Absent):
                return None
            total += counts.issued
    return total
