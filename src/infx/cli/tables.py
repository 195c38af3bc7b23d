"""What `bench` prints of a run: a table for people, Markdown, one JSON object, or annotations.

Figures are shown in the units people use (milliseconds for short times); `json` keeps seconds.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from infx.cli.grids import Grid, aligned, annotation, markdown_grid, markdown_text, printable
from infx.model.result import Absent, PointSummary, RunResult
from infx.model.validity import REASONS
from infx.report.columns import (
    END_NAMES,
    PLUS_MINUS,
    Footnotes,
    cells,
    columns,
    count_of,
    has_intervals,
    in_flight_head,
    kinds,
)
from infx.report.names import Names
from infx.report.sessions import SESSION_HEADS, session_cells
from infx.report.units import label, unit

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

SIMULATED = "simulated: no server was measured; these figures come from a model of one"


def points_table(result: RunResult) -> str:
    """Return the figures and end states of every point as aligned text, then all that is to say."""
    grids, notes = _content(result)
    blocks = [SIMULATED] if result.simulated else []
    blocks += ["\n".join(aligned(grid)) for grid in grids]
    return "\n\n".join([*blocks, "\n".join(notes)])


def rich_table(result: RunResult) -> "Group":
    """Return what `points_table` says for a terminal; import Rich only when there is one."""
    from rich.console import Group
    from rich.text import Text

    grids, notes = _content(result)
    banner = [Text(SIMULATED, style="bold red")] if result.simulated else []
    lines = [Text(note) for note in notes]
    return Group(*banner, *map(_rich, grids), *lines)


def markdown(result: RunResult) -> str:
    """Return the tables in GitHub's Markdown, with every foreign text escaped."""
    grids, notes = _content(result)
    blocks = [f"**{SIMULATED}**"] if result.simulated else []
    blocks += [markdown_grid(grid) for grid in grids]
    blocks.append("\n".join(f"- {markdown_text(note.strip())}" for note in notes))
    return "\n\n".join(blocks)


def json(result: RunResult) -> str:
    """Return the run as one JSON object on one line, in seconds and other base units."""
    return result.model_dump_json()


def github(result: RunResult) -> str:
    """Return one workflow annotation a point: an error where nothing was ok, else a notice.

    A point that is not certified is a warning that names its reasons.
    """
    names = Names(result.points)
    return "\n".join(_annotation(point, names.place(point), result) for point in result.points)


FORMATS: Mapping[str, Callable[[RunResult], str]] = MappingProxyType(
    {"text": points_table, "json": json, "markdown": markdown, "github": github}
)
"""What `--format` takes, and the function that writes it."""


def _content(result: RunResult) -> tuple[list[Grid], list[str]]:
    footnotes = Footnotes()
    names = Names(result.points)
    grids = [_figures(points, names, footnotes) for _, points in kinds(result.points)]
    if any(point.replay is not None for point in result.points):
        grids.append(_sessions(result.points, names))
    grids.append(_ends(result.points, names, footnotes))
    notes = [f"[{number}] {printable(reason)}" for number, reason in footnotes]
    notes += [PLUS_MINUS] if has_intervals(result.points) else []
    notes += [
        f"failed at {names.place(point)}: {printable(reason)} ({count:,})"
        for point in result.points
        for reason, count in point.error_reasons.items()
    ]
    return grids, notes + _certificate(result, names)


def _figures(points: Sequence[PointSummary], names: Names, footnotes: Footnotes) -> Grid:
    shown = columns(points)
    heads = [label(metric, name).removesuffix(" throughput") for metric, name in shown]
    units = [unit(points, metric) or "" for metric, _ in shown]
    rows = (
        (names.row(point), *(_cell(cell, footnotes) for cell in cells(point, shown)))
        for point in points
    )
    return Grid(
        title="Latency and throughput",
        heads=(_short(names.head), _short(in_flight_head(points)), *heads),
        units=("", "", *units),
        rows=tuple(rows),
    )


def _short(head: str) -> str:
    return "conc" if head == "concurrency" else head


def _cell(cell: Absent | str, footnotes: Footnotes) -> str:
    return cell if isinstance(cell, str) else f"-[{footnotes.number(cell.reason)}]"


def _sessions(points: Sequence[PointSummary], names: Names) -> Grid:
    return Grid(
        title="Sessions and coverage",
        heads=(_short(names.head), *(one.short for one in SESSION_HEADS)),
        units=("", *(one.unit for one in SESSION_HEADS)),
        rows=tuple(
            (names.row(point), *session_cells(point))
            for point in points
            if point.replay is not None
        ),
    )


def _ends(points: Sequence[PointSummary], names: Names, footnotes: Footnotes) -> Grid:
    heads = (_short(names.head), "issued", *END_NAMES.values())
    rows = (
        (
            names.row(point),
            *(_cell(count_of(point, what), footnotes) for what in ("issued", *END_NAMES)),
        )
        for point in points
    )
    return Grid("What became of the requests", heads, ("",) * len(heads), tuple(rows))


def _certificate(result: RunResult, names: Names) -> list[str]:
    if result.certified:
        return ["certified: yes"]
    sound = sum(point.certified for point in result.points)
    lines = [f"certified: {sound} of {len(result.points)} points" if sound else "certified: no"]
    for reason in result.reasons:
        where = names.places([point for point in result.points if reason in point.reasons])
        place = f" ({where})" if where else ""
        lines.append(f"  {printable(reason)}{place}: {REASONS.get(reason, 'see the report')}")
    return lines


def _rich(grid: Grid) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=grid.title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    for head, unit_name in zip(grid.heads, grid.units, strict=True):
        table.add_column(Text(f"{head}\n{unit_name}".strip()), justify="right")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table


def _annotation(point: PointSummary, place: str, result: RunResult) -> str:
    figures = []
    shown = columns([point])
    for (metric, name), cell in zip(shown, cells(point, shown)[1:], strict=True):
        shown_unit = unit([point], metric)
        text = f"none ({cell.reason})" if isinstance(cell, Absent) else f"{cell} {shown_unit}"
        figures.append(f"{label(metric, name)} {text}")
    counts = point.counts
    dead = not isinstance(counts, Absent) and not counts.ok
    level = "error" if dead else "notice" if point.certified else "warning"
    against = "" if point.certified else f"; not certified: {', '.join(point.reasons)}"
    simulated = " (simulated)" if result.simulated else ""
    title = f"infx {place}{simulated}"
    ok = "requests not counted"
    if not isinstance(counts, Absent):
        ok = f"{counts.ok:,} of {counts.issued:,} ok"
    return annotation(level, title, "; ".join([ok, *figures]) + against)
