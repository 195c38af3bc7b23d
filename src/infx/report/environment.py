"""What a run was: host, versions, server, workload, seeds, digests and the command, as facts."""

import shlex
from collections.abc import Callable, Sequence

from pydantic import JsonValue

from infx.model.bundle import PointFile
from infx.model.record import Phase
from infx.model.result import PointSummary
from infx.report.content import Report, ReportedPoint
from infx.report.markup import Html, element, join, table
from infx.report.names import Names
from infx.report.units import figure

Split = Callable[[PointFile], tuple[str, list[tuple[str, str]]]]
"""What tells two blocks apart (a digest), and the facts of the block."""


def environment(report: Report) -> Html:
    """Return the facts of the run; servers and workloads that points share stand once."""
    manifest = report.manifest
    blocks = [
        _block("Host", facts(dict(manifest.host))),
        _block("Versions", facts(dict(manifest.versions))),
        *_shared(report, "Server", _server),
        *_shared(report, "Workload", _workload),
    ]
    command = element("pre", shlex.join(manifest.command), tabindex="0", aria_label="Command")
    return join(
        [
            element("h3", "Command"),
            command,
            element("div", *blocks, class_="columns"),
            _identity(report.points, report.names),
        ]
    )


def facts(value: JsonValue, prefix: str = "") -> list[tuple[str, str]]:
    """Return nested plain data as dotted names and texts; null reads as not stated."""
    if isinstance(value, dict):
        nested = (facts(v, f"{prefix}.{k}" if prefix else k) for k, v in value.items())
        return [row for rows in nested for row in rows]
    return [(prefix, _text(value))]


def _text(value: JsonValue) -> str:
    if value is None:
        return "not stated"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) if value else "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {text}" for name, text in facts(value))
    return str(value)


def _block(title: str, rows: Sequence[tuple[str, str]]) -> Html:
    pairs = (element("div", element("dt", name), element("dd", text)) for name, text in rows)
    return element("section", element("h3", title), element("dl", *pairs), class_="facts")


def _shared(report: Report, title: str, split: Split) -> list[Html]:
    """Return one block a digest; each names its points where there are several blocks."""
    blocks: dict[str, tuple[list[tuple[str, str]], list[PointSummary]]] = {}
    names = report.names
    for point in report.points:
        digest, rows = split(point.file)
        blocks.setdefault(digest, (rows, []))[1].append(point.summary)
    return [
        _block(title if len(blocks) == 1 else f"{title}: {names.places(summaries)}", rows)
        for rows, summaries in blocks.values()
    ]


def _server(file: PointFile) -> tuple[str, list[tuple[str, str]]]:
    rows = [("URL", file.endpoint.url), ("model asked for", _text(file.endpoint.model))]
    rows += facts(file.recipe.model_dump(mode="json", exclude={"site"}))
    for process in file.launch.processes if file.launch else ():
        rows.append((f"started {process.name}", shlex.join(process.argv)))
    return file.recipe_digest, [*rows, ("recipe digest", file.recipe_digest)]


def _workload(file: PointFile) -> tuple[str, list[tuple[str, str]]]:
    rows = facts(file.workload.model_dump(mode="json"))
    rows += facts(dict(file.slo), "slo") + facts(dict(file.calibration), "calibration")
    return file.workload_digest, [*rows, ("workload digest", file.workload_digest)]


def _identity(points: Sequence[ReportedPoint], names: Names) -> Html:
    head = [names.head.capitalize(), "repetition", "measured for (s)", "point id", "plan digest"]
    rows = (
        [
            names.row(point.summary),
            str(point.file.repetition),
            _measured_for(point.file),
            element("code", point.file.point_id),
            element("code", point.file.plan_digest) if point.file.plan_digest else "not kept",
        ]
        for point in points
    )
    return table("Identity of the points", head, rows, class_="digests")


def _measured_for(file: PointFile) -> str:
    spans = [p.end_ns - p.start_ns for p in file.phases if p.phase == Phase.PROFILING]
    return figure(sum(spans) / 1e9) if spans else "not kept"
