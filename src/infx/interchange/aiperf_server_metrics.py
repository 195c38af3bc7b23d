"""`server_metrics_export.json` of aiperf, schema 1.1: each series of the server's metrics pages.

Counters and histograms are told as their growth over the profiling phase, from the last page before
it to the first after it; gauges by the pages within.
"""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import orjson
from pydantic import JsonValue

from infx.errors import InputError, MachineError, Problem
from infx.interchange.aiperf_statistics import PERCENTILES
from infx.interchange.outgoing import Outgoing
from infx.model.aiperf import SERVER_METRICS
from infx.model.bundle import PhaseWindow
from infx.model.record import Phase
from infx.model.result import Absent
from infx.model.scrape import Page
from infx.stats.percentile import mean, percentile, population_std
from infx.store.documents import read_json
from infx.store.files import write_whole
from infx.wire.prometheus import Reading, parse

SCHEMA = "1.1"
NS = 1e-9
GROWING = ("counter", "histogram")


class _Key(NamedTuple):
    """A series: where it was read, its name on the page, and its labels."""

    url: str
    name: str
    labels: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Series:
    """The values of a series, and the moment of each."""

    times: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[float]" = field(default_factory=lambda: array("d"))

    @property
    def growth(self) -> float | None:
        """How much it grew; a restart begins from 0. None where only one page has it."""
        if len(self.values) < 2:
            return None
        steps = zip(self.values[:-1], self.values[1:], strict=True)
        return sum(now - before if now >= before else now for before, now in steps)

    @property
    def seconds(self) -> float:
        """How long it was watched."""
        return (self.times[-1] - self.times[0]) * NS


@dataclass(slots=True)
class _Pages:
    """All series of a phase, and what the pages say of their families."""

    start_ns: int = 0
    end_ns: int = 0
    kinds: dict[str, str] = field(default_factory=dict)
    help: dict[str, str] = field(default_factory=dict)
    series: dict[_Key, _Series] = field(default_factory=dict)
    urls: dict[str, int] = field(default_factory=dict)


def read(path: Path) -> Mapping[str, JsonValue]:
    """Return an export as it is; raises InputError for a file that is none."""
    value = read_json(path).value
    if not isinstance(value, dict) or not isinstance(value.get("metrics"), dict):
        raise InputError(
            Problem("this is no export of server metrics: it has no metrics", str(path))
        )
    return value


def write(outgoing: Outgoing, folder: Path) -> Path:
    """Write what the metrics pages of a point say; where there are none, `infx` says why."""
    path = folder / SERVER_METRICS
    window = outgoing.window(Phase.PROFILING)
    pages = _read(outgoing, window) if window is not None else _Pages()
    told: dict[str, JsonValue] = {
        "schema_version": SCHEMA,
        "benchmark_id": outgoing.manifest.run,
        "summary": _summary(outgoing, window, pages),
        "metrics_phase": Phase.PROFILING.value,
        "metrics": dict(_metrics(pages)),
    }
    if not pages.series:
        server = outgoing.server
        reason = server.reason if isinstance(server, Absent) else "no page holds a series"
        told["infx"] = {"absent": reason}
    write_whole(path, orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return path


def _summary(outgoing: Outgoing, window: PhaseWindow | None, pages: _Pages) -> JsonValue:
    ranges: dict[str, JsonValue] = {}
    for phase in outgoing.point.phases:
        edges = {"start_ns": phase.start_ns, "end_ns": phase.end_ns}
        ranges[phase.phase.value] = {name: outgoing.wall(edge) for name, edge in edges.items()}
    return {
        "endpoints_configured": [*pages.urls],
        "endpoints_successful": [*pages.urls],
        "start_time": outgoing.stamp(window.start_ns) if window else outgoing.manifest.started,
        "end_time": outgoing.stamp(window.end_ns) if window else outgoing.manifest.ended,
        "phase_time_ranges": ranges,
    }


def _read(outgoing: Outgoing, window: PhaseWindow) -> _Pages:
    """Keep of each source the last page before the window, those within, and the first after."""
    found = _Pages(window.start_ns, window.end_ns)
    before: dict[str, Page] = {}
    closed: set[str] = set()
    for page in outgoing.pages():
        if page.received_ns <= window.start_ns:
            before[page.source] = page
        elif page.source not in closed:
            if (first := before.pop(page.source, None)) is not None:
                _keep(found, first)
            _keep(found, page)
            if page.sent_ns >= window.end_ns:
                closed.add(page.source)
    return found


def _keep(found: _Pages, page: Page) -> None:
    _describe(found, page.text)
    found.urls[page.source] = found.urls.get(page.source, 0) + 1
    for reading in _readings(page):
        key = _Key(page.source, reading.name, reading.labels)
        series = found.series.setdefault(key, _Series())
        series.times.append(page.received_ns)
        series.values.append(reading.value)


def _readings(page: Page) -> Iterator[Reading]:
    """Yield the samples of a page; one that JSON cannot carry, or no sample, is passed over."""
    for line in page.text.split("\n"):
        if line and line[0] != "#":
            try:
                yield from (one for one in parse(line) if abs(one.value) < float("inf"))
            except MachineError:
                continue


def _describe(found: _Pages, text: str) -> None:
    for line in text.split("\n"):
        if line.startswith(("# TYPE ", "# HELP ")):
            _, kind, name, *rest = line.split(" ", 3)
            of = found.kinds if kind == "TYPE" else found.help
            of.setdefault(name, rest[0].strip() if rest else "")


def _metrics(pages: _Pages) -> Iterator[tuple[str, JsonValue]]:
    """Yield each family with its series; a counter goes by its name without `_total`."""
    families: dict[tuple[str, str], list[JsonValue]] = {}
    parts: dict[tuple[str, str, tuple[tuple[str, str], ...]], dict[str, _Series]] = {}
    names: dict[str, str] = {}
    for key, series in pages.series.items():
        name, kind = _family(pages, key.name)
        base = name.removesuffix("_total") if kind == "counter" else name
        names[base] = name
        if kind == "histogram":
            labels = tuple(pair for pair in key.labels if pair[0] != "le")
            edge = dict(key.labels).get("le", "")
            parts.setdefault((base, key.url, labels), {})[key.name[len(name) :] + edge] = series
        else:
            stats = _growth(series) if kind in GROWING else _levels(pages, series)
            families.setdefault((base, kind), []).append(_told(key.url, key.labels, stats=stats))
    for (base, url, labels), each in parts.items():
        told = _told(url, labels, **_histogram(each))
        families.setdefault((base, "histogram"), []).append(told)
    for (base, kind), several in sorted(families.items()):
        about = pages.help.get(names[base], "")
        yield base, {"type": kind, "description": about, "series": several}


def _family(pages: _Pages, name: str) -> tuple[str, str]:
    """Return the family that a sample belongs to, and its type."""
    for end in ("", "_bucket", "_sum", "_count", "_total"):
        base = name.removesuffix(end)
        kind = pages.kinds.get(base)
        if kind is not None and name == base + end:
            whole = name if end == "_total" else base
            return whole, kind if kind in (*GROWING, "gauge") else "unknown"
    return name, "unknown"


def _told(url: str, labels: tuple[tuple[str, str], ...], **more: JsonValue) -> JsonValue:
    return {"endpoint_url": url, "labels": dict(labels), **more}


def _growth(series: _Series) -> dict[str, JsonValue]:
    grown = series.growth
    if grown is None:
        return {}
    return {"total": grown, "rate": grown / series.seconds if series.seconds else None}


def _levels(pages: _Pages, series: _Series) -> dict[str, JsonValue]:
    each = zip(series.times, series.values, strict=True)
    ordered = sorted(value for time, value in each if pages.start_ns < time <= pages.end_ns)
    if not ordered:
        return {}
    told = {f"p{p}": percentile(ordered, p) for p in PERCENTILES}
    edges = {"min": ordered[0], "max": ordered[-1]}
    return {"avg": mean(ordered), **edges, "std": population_std(ordered), **told}


def _histogram(parts: Mapping[str, _Series]) -> dict[str, JsonValue]:
    grown = {name: one.growth for name, one in parts.items()}
    count, total = grown.get("_count"), grown.get("_sum")
    stats: dict[str, JsonValue] = {}
    if count is not None and total is not None:
        stats = {"count": round(count), "sum": total, "avg": total / count if count else None}
    edges: dict[str, JsonValue] = {
        name.removeprefix("_bucket"): round(one)
        for name, one in grown.items()
        if name.startswith("_bucket") and one is not None
    }
    return {"stats": stats, "buckets": edges}
