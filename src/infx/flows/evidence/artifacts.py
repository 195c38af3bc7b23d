"""The aggregate artifacts of a public sweep: figures of points, and scores of evals."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.flows.evidence.curves import AGENTIC, FIXED, Figure
from infx.flows.evidence.logs import CHAT, COMPLETIONS, Logs
from infx.flows.evidence.points import scenario_id
from infx.flows.evidence.states import Placed, State
from infx.interchange import benchmark_rows, eval_rows
from infx.matrix.options import sequence_name
from infx.model import config_facts, run_facts
from infx.model.registry import HardwareRegistry, Thresholds
from infx.model.result_row import EvalRow, FixedRow
from infx.model.verdict import Cite
from infx.recipes import registries
from infx.store.archive import read_zip
from infx.store.documents import MAX_BYTES

NAMES = (benchmark_rows.FILE, eval_rows.FILE)


Row = benchmark_rows.Row | EvalRow
"""What says of which entry it is."""


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The aggregates that one run uploaded, by the names of their files."""

    run: int
    files: Mapping[str, bytes]

    def place(self, name: str, line: int, value: str | None = None) -> Cite:
        """Return a line of a file as a cite."""
        return Cite(path=f"run {self.run} {name}", line=line, value=value)


class Other(NamedTuple):
    """What the curve of an entry that is not affected is named after, beside its scenario."""

    prefix: str
    hardware: str
    framework: str
    precision: str


Drawn = config_facts.Config | Other


@dataclass(frozen=True, slots=True)
class Matching:
    """Finds the entry of a row among the points that were measured."""

    state: State
    hardware: HardwareRegistry
    configs: Mapping[str, config_facts.Config]

    def entry(self, row: Row, scenario: str) -> str | None:
        """Return the entry whose point a row is of, None where none or several may be."""
        mine = [point for point in self.state.points if self._is_of(point, row, scenario)]
        keys = {point.key for point in mine}
        for name in ("image", "spec_decoding", "tp", "ep"):
            stated = getattr(row, name, None)
            if len(keys) > 1 and stated is not None:
                mine = [point for point in mine if getattr(point.row, name, stated) == stated]
                keys = {point.key for point in mine}
        return keys.pop() if len(keys) == 1 else None

    def draws(self, key: str, row: Row, scenario: str) -> bool:
        """Say whether a row may be of an entry's curves, whatever its concurrency."""
        config = self.configs[key]
        return (
            self._is_on(config, row)
            and scenario in config.scenarios
            and (config.prefix, config.framework, config.precision)
            == (row.infmax_model_prefix, row.framework, row.precision)
        )

    def _is_on(self, config: config_facts.Config, row: Row) -> bool:
        sku = registries.hardware(self.hardware, row.hw)
        return config.hardware is None or sku is None or sku.sku == config.hardware

    def _is_of(self, point: Placed, row: Row, scenario: str) -> bool:
        config = self.configs.get(point.key)
        return (
            config is not None
            and self._is_on(config, row)
            and scenario_id(point.row) == scenario
            and point.concurrency == row.conc
            and point.row.model_prefix == row.infmax_model_prefix
            and point.row.framework == row.framework
            and point.row.precision == row.precision
        )


def read(words: Iterable[str], runs: tuple[run_facts.Run, ...] | None) -> tuple[Artifacts, ...]:
    """Return what `[RUN=]PATH` words name: folders, or zip archives of single artifacts.

    One run of the record needs no number. Raises InputError for what cannot be read safely, and
    where nobody says whose it is.
    """
    found: dict[int, dict[str, bytes]] = {}
    problems: list[Problem] = []
    for word in words:
        name, equals, rest = word.partition("=")
        path = Path(rest if equals else word)
        number = name if equals else path.name
        known = [one.id for one in runs or ()]
        if number.isascii() and number.isdigit() and len(number) < 20:
            run = int(number)
        elif len(known) == 1 and not equals:
            (run,) = known
        else:
            what = "nobody says which run uploaded these artifacts"
            problems.append(Problem(what, word, "write RUN=PATH with the number of the run"))
            continue
        try:
            found.setdefault(run, {}).update(_files(path))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return tuple(Artifacts(run, files) for run, files in found.items())


def _files(path: Path) -> dict[str, bytes]:
    """Return the aggregates of an archive, or of a folder or one folder in it, without links."""
    if path.is_file():
        inside = read_zip(path, NAMES)
        return {name.rpartition("/")[2]: data for name, data in inside.items()}
    if not path.is_dir():
        raise InputError(Problem("there is no such folder or archive", str(path), "check the path"))
    found: dict[str, bytes] = {}
    for name in NAMES:
        places = [path / name, *sorted(path.glob(f"*/{name}"))]
        plain = [
            one for one in places
            if one.is_file() and not one.is_symlink() and not one.parent.is_symlink()
        ]  # fmt: skip
        if plain:
            with plain[0].open("rb") as file:
                found[name] = file.read(MAX_BYTES + 1)
    return found


def figures(found: Artifacts, matching: Matching) -> Iterator[Figure]:
    """Yield the figures of affected entries; rows of others are passed over."""
    for row, key, line in _points(found, matching):
        cite = found.place(benchmark_rows.FILE, line)
        yield _figure(row, matching.configs[key], key, cite)


def beside(found: Artifacts, matching: Matching) -> Iterator[Figure]:
    """Yield the figures of rows that no affected entry can have: of other curves."""
    for row, line in _rows(found):
        scenario = _scenario(row)
        if any(matching.draws(key, row, scenario) for key in matching.configs):
            continue
        sku = registries.hardware(matching.hardware, row.hw)
        hardware = row.hw if sku is None else sku.sku
        drawn = Other(row.infmax_model_prefix, hardware, row.framework, row.precision)
        yield _figure(row, drawn, "", found.place(benchmark_rows.FILE, line))


def _figure(row: benchmark_rows.Row, drawn: Drawn, key: str, cite: Cite) -> Figure:
    scenario = _scenario(row)
    if isinstance(row, FixedRow):
        latency, throughput = {FIXED[0]: row.median_e2el}, row.tput_per_gpu
    else:
        metrics = row.request_metrics
        latency = {name: _at(metrics, "latency", "e2el", name) for name in AGENTIC}
        throughput = _at(metrics, "throughput", "per_gpu", "total_tput_tps")
    spec = row.spec_decoding if isinstance(row, FixedRow) else None
    return Figure(
        config=key,
        series=series_of(drawn, scenario, spec),
        asked=f"{drawn.prefix} {scenario}",
        concurrency=row.conc,
        latency=latency,
        throughput=throughput,
        cite=cite,
    )


def clients(found: Artifacts, matching: Matching, logs: Logs) -> Iterator[run_facts.Client]:
    """Yield who asked the servers of affected entries, once an entry: rows say no more.

    How they were asked stands in the servers' logs.
    """
    seen: set[str] = set()
    for row, key, line in _points(found, matching):
        if key not in seen:
            seen.add(key)
            fixed = isinstance(row, FixedRow)
            asked = logs.requests(key)
            yield run_facts.Client(
                config=key,
                tool="the public client of fixed sequences" if fixed else "aiperf",
                foreign=True,
                endpoint=None if asked is None else CHAT if asked[0] else COMPLETIONS,
                chat_requests=None if asked is None else asked[0],
                completions=None if asked is None else asked[1],
                certified=None,
                cite=found.place(benchmark_rows.FILE, line),
            )


def _points(found: Artifacts, matching: Matching) -> Iterator[tuple[benchmark_rows.Row, str, int]]:
    """Yield the rows of affected entries, each with its entry and its line."""
    for row, line in _rows(found):
        key = matching.entry(row, _scenario(row))
        if key is not None:
            yield row, key, line


def _rows(found: Artifacts) -> Iterator[tuple[benchmark_rows.Row, int]]:
    data = found.files.get(benchmark_rows.FILE)
    for located in benchmark_rows.read(data, benchmark_rows.FILE) if data is not None else ():
        yield located.row, located.line


def _scenario(row: benchmark_rows.Row) -> str:
    return sequence_name(row.isl, row.osl) if isinstance(row, FixedRow) else registries.AGENTIC


def evals(
    found: Artifacts, matching: Matching, thresholds: Thresholds, logs: Logs
) -> Iterator[run_facts.Eval]:
    """Yield the scores of affected entries."""
    data = found.files.get(eval_rows.FILE)
    for located in eval_rows.read(data, eval_rows.FILE) if data is not None else ():
        row = located.row
        if row.isl is None or row.osl is None:
            # A row without lengths is of agent sessions; some writers leave those of 8k1k out.
            key = matching.entry(row, registries.AGENTIC) or matching.entry(row, "8k1k")
        else:
            key = matching.entry(row, sequence_name(row.isl, row.osl))
        if key is not None:
            value = f"{row.task} {row.score_name or 'score'} {row.score}"
            cite = found.place(eval_rows.FILE, located.line, value)
            score = _eval(found.run, key, row, thresholds, cite)
            real = logs.is_simulated(key, score.concurrency)
            yield score.model_copy(update={"simulated_acceptance": real})


def _eval(run: int, key: str, row: EvalRow, thresholds: Thresholds, cite: Cite) -> run_facts.Eval:
    bar = registries.floor(thresholds, prefix=row.infmax_model_prefix, task=row.task)
    known = next((one for one in thresholds.tasks if one.name == row.task), None)
    deviation = row.score_se
    numeric = isinstance(deviation, int | float) and not isinstance(deviation, bool)
    return run_facts.Eval(
        run=run,
        config=key,
        concurrency=row.eval_concs or (row.conc,),
        completed_concurrency=row.completed_eval_concs or (),
        failed_concurrency=row.failed_eval_concs or (),
        task=row.task,
        suite=row.eval_suite or None,
        score_name=row.score_name,
        score=row.score,
        score_se=float(str(deviation)) if numeric else None,
        samples=row.n_eff,
        split=None if known is None else known.samples,
        floor=None if bar is None else bar.floor,
        floor_of=None if bar is None else f"{bar.rule} {row.task}",
        image=row.image,
        infrastructure_success=row.infrastructure_success is True,
        integration_error=row.integration_error or None,
        simulated_acceptance=None,
        cite=cite,
    )


def series_of(config: Drawn, scenario: str, speculation: str | None) -> str:
    """Name the curve of a point as readers see it: agent sessions pool ways to speculate."""
    # Hardware that no registry knows has no name that readers of a curve would know.
    on = f"{config.hardware}_{config.framework}" if config.hardware else config.framework
    words = [config.prefix, scenario, on, config.precision]
    if speculation not in (None, "none"):
        words.append(str(speculation))
    return " ".join(words)


def _at(value: JsonValue, *names: str) -> JsonValue:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
