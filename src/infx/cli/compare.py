"""`infx compare A B`: what run B is next to run A, figure by figure, in four words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, get_args

from cyclopts import Parameter

from infx.cli.flags import Format
from infx.cli.grids import Grid, aligned, annotation, markdown_grid, markdown_text, printable
from infx.cli.runs import Root, find
from infx.cli.streams import put
from infx.curves.compare import UNKNOWN_NOISE, UNKNOWN_NOISE_S
from infx.flows.compare import compare_runs
from infx.flows.runs import open_run
from infx.model.comparison import Comparison, MetricComparison, PointComparison, Word
from infx.model.result import Absent
from infx.report.columns import Footnotes
from infx.report.names import Names
from infx.report.units import display_unit, figure, label

HEADS = ("metric", "unit", "A", "B", "B/A", "95 % interval", "noise", "B is")
LEVELS: Mapping[Word, str] = MappingProxyType({"worse": "warning", "better": "notice"})


def compare(
    a: str,
    b: str,
    /,
    *,
    root: Root = Path("runs"),
    assume_same_server: Annotated[
        bool,
        Parameter(
            negative=(),
            help="You know what stood behind a bare URL in both runs, and mean to compare it.",
        ),
    ] = False,
    fail_on_worse: Annotated[
        bool, Parameter(negative=(), help="Exit 1 when any figure is worse.")
    ] = False,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Compare run B with run A, at every load that both were asked the same under.

    A difference is named better or worse only when it is larger than what chance does within a
    measurement, and from one to the next where a run has repetitions.

    Parameters
    ----------
    a
        The run to start from: its folder, its id, or `latest`.
    b
        The run to judge.
    """
    runs = [open_run(find(run, root)) for run in (a, b)]
    comparison = compare_runs(*runs, assume_same_server=assume_same_server)
    put(FORMATS[format](comparison))
    return 1 if fail_on_worse and comparison.count("worse") else 0


def text(comparison: Comparison) -> str:
    """Return the comparison as an aligned table, and under it all that is to say."""
    grid, notes = _content(comparison)
    head = f"A {comparison.a}\nB {comparison.b}"
    table = ["\n".join(aligned(grid))] if grid.rows else []
    return "\n\n".join([head, *table, "\n".join(map(printable, notes))])


def markdown(comparison: Comparison) -> str:
    """Return the same in GitHub's Markdown."""
    grid, notes = _content(comparison)
    head = f"A {markdown_text(comparison.a)}, B {markdown_text(comparison.b)}"
    table = [markdown_grid(grid)] if grid.rows else []
    return "\n\n".join([head, *table, "\n".join(f"- {markdown_text(note)}" for note in notes)])


def github(comparison: Comparison) -> str:
    """Return a workflow annotation for every difference, and one that sums up."""
    lines = []
    names = Names(comparison.points)
    for point in comparison.points:
        place = names.place(point)
        lines += [
            annotation(LEVELS[one.word], f"infx {place}: {_name(one)}", _sentence(one))
            for one in point.metrics
            if one.word in LEVELS
        ]
    title = f"infx compare {comparison.a} {comparison.b}"
    return "\n".join([*lines, annotation("notice", title, _sum(comparison))])


def json(comparison: Comparison) -> str:
    """Return the comparison as one JSON object on one line."""
    return comparison.model_dump_json()


FORMATS: Mapping[str, Callable[[Comparison], str]] = MappingProxyType(
    {"text": text, "json": json, "markdown": markdown, "github": github}
)


def _content(comparison: Comparison) -> tuple[Grid, list[str]]:
    footnotes = Footnotes()
    points = comparison.points
    names = Names(points)
    rows = tuple(
        (names.row(point), *_figures(one, footnotes)) for point in points for one in point.metrics
    )
    notes = [f"[{number}] {reason}" for number, reason in footnotes]
    notes += [*_said(points, names), *comparison.notes]
    judged = [one for point in points for one in point.metrics if one.p is not None]
    if any(isinstance(one.noise, Absent) for one in judged):
        notes.append(
            "how much figures change from run to run is not known without --repetitions; "
            f"differences below {100 * UNKNOWN_NOISE:g} %, in TTFT and E2EL also below "
            f"{1000 * UNKNOWN_NOISE_S:g} ms, are not named"
        )
    heads = ("conc" if names.head == "concurrency" else names.head, *HEADS)
    return Grid("", heads, ("",) * len(heads), rows), [*notes, _sum(comparison)]


def _said(points: Sequence[PointComparison], names: Names) -> Iterator[str]:
    """Yield what is said of whole points, once for all of which it is said."""
    places: dict[str, list[PointComparison]] = {}
    for point in points:
        why = [f"not comparable: {point.reason}"] if point.reason is not None else []
        for note in (*why, *point.notes):
            places.setdefault(note, []).append(point)
    for note, members in places.items():
        yield f"{names.places(members)}: {note}"


def _figures(one: MetricComparison, footnotes: Footnotes) -> tuple[str, ...]:
    unit, factor = display_unit(one.metric, one.unit)
    interval = "-"
    if not isinstance(one.interval, Absent):
        interval = f"{one.interval.low:.3f}-{one.interval.high:.3f}"
    word: str = one.word if one.reason is None else f"{one.word} [{footnotes.number(one.reason)}]"
    return (
        _name(one),
        unit,
        *("-" if value is None else figure(value * factor) for value in (one.a, one.b)),
        "-" if one.ratio is None else f"{one.ratio:.3f}",
        interval,
        "unknown" if isinstance(one.noise, Absent) else f"{100 * one.noise:.1f} %",
        word,
    )


def _name(one: MetricComparison) -> str:
    return label(one.metric, one.statistic)


def _sentence(one: MetricComparison) -> str:
    unit, factor = display_unit(one.metric, one.unit)
    a, b = (figure((value or 0.0) * factor) for value in (one.a, one.b))
    return f"{one.word}: {b} {unit} after {a} {unit}, ratio {one.ratio:.3f}"


def _sum(comparison: Comparison) -> str:
    return "; ".join(f"{word}: {comparison.count(word)}" for word in get_args(Word))
