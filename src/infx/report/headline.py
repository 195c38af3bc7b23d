"""The top of a report: what was measured, when, on which host, and how far it can be trusted."""

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from infx.model.agentic import AgenticWorkload
from infx.model.bundle import Manifest, PointFile
from infx.model.record import EndState
from infx.model.result import Absent, PointSummary
from infx.model.traits import curve_traits
from infx.model.validity import REASONS
from infx.model.workload import FixedWorkload
from infx.report.columns import END_NAMES, are_replays, kinds
from infx.report.content import Report
from infx.report.markup import Html, element, join
from infx.report.names import Names, load_kind, load_name
from infx.report.units import figure, interval, label, sample, statistic, unit


class Best(NamedTuple):
    """One card: the best figure of a metric over all points."""

    title: str
    metric: str
    statistic: str
    largest: bool


MOST_NAMED = 3
"""Models or engines that a title names."""

BESTS: tuple[Best, ...] = (
    Best("Highest output throughput", "output_throughput", "mean", largest=True),
    Best("Lowest median TTFT", "ttft", "p50", largest=False),
    Best("Lowest median TPOT", "tpot", "p50", largest=False),
)
BESTS_OF_REPLAYS: tuple[Best, ...] = (
    Best("Highest total throughput", "total_throughput", "mean", largest=True),
    Best("Lowest p90 TTFT of a turn", "ttft", "p90", largest=False),
    Best("Highest p90 interactivity", "interactivity", "p90", largest=True),
)


def title(report: Report) -> str:
    """Return what was measured: the model and what serves it."""
    if not report.points:
        return "A run without points"
    files = [point.file for point in report.points]
    models = [one.recipe.model or one.endpoint.model or "a model nobody named" for one in files]
    engines = [one.recipe.engine or one.endpoint.url for one in files]
    return f"{_few(models, 'models')} on {_few(engines, 'engines')}"


def _few(names: Sequence[str], what: str) -> str:
    """Return different names, or how many there are where those are many."""
    found = [*dict.fromkeys(names)]
    return ", ".join(found) if len(found) <= MOST_NAMED else f"{len(found)} {what}"


def headline(report: Report) -> Html:
    """Return the page header: banners, title, verdict, facts, and the best figures as cards."""
    return join(
        [
            *_banners(report),
            element("p", f"infx report · {report.result.run}", class_="kicker"),
            element("h1", title(report)),
            element("p", _when_and_where(report.manifest), class_="when"),
            _certificate(report),
            *_kinds(report),
        ]
    )


def _banners(report: Report) -> list[Html]:
    banners = []
    if report.result.simulated or report.manifest.simulated:
        text = "Simulated: no server was measured. These figures come from a model of one."
        banners.append(text)
    if report.manifest.state != "finished":
        failure = f": {report.manifest.failure}" if report.manifest.failure else ""
        banners.append(f"This run is {report.manifest.state}{failure}.")
    return [element("p", text, class_="banner", role="note") for text in banners]


def _kinds(report: Report) -> Iterator[Html]:
    """Yield what was asked and the best figures: once, or for each kind of workload."""
    if not report.points:
        yield element("p", "Nothing was measured.", class_="asked")
        yield _cards([])
    files = {(one.summary.point_id, one.summary.repetition): one.file for one in report.points}
    for name, points in kinds([point.summary for point in report.points]):
        lines: dict[str, list[PointSummary]] = {}
        for point in points:
            lines.setdefault(_asked(files[point.point_id, point.repetition]), []).append(point)
        for asked, members in lines.items():
            what = f"{asked}, at {_loads(members)}"
            title = element("b", f"{name.capitalize()}: ") if name else ""
            yield element("p", title, what, class_="asked")
        yield _cards(points)


def _loads(points: Sequence[PointSummary]) -> str:
    ordered = sorted(points, key=lambda point: (point.rate or 0, point.concurrency))
    return f"{load_kind(points)} {', '.join(dict.fromkeys(map(load_name, ordered)))}"


def _asked(file: PointFile) -> str:
    """Return what a point asked, its load aside."""
    if isinstance(file.workload, AgenticWorkload):
        return _replayed(file.workload)
    arrivals = curve_traits(file.curve_key).get("arrivals")
    return _lengths(file.workload) + (f", {arrivals}" if arrivals else "")


def _lengths(work: FixedWorkload) -> str:
    asked = f"{_range(work.isl, work)} tokens in" if work.isl else "prompts from a data set"
    return f"{asked}, {_range(work.osl, work)} tokens out"


def _range(longest: int, work: FixedWorkload) -> str:
    """Return the lengths that are drawn: `102–128`, or one where they do not vary."""
    shortest = max(1, math.floor(longest * Fraction(repr(work.range_ratio))))
    return f"{longest:,}" if shortest == longest else f"{shortest:,}–{longest:,}"


def _replayed(work: AgenticWorkload) -> str:
    how_long = "each once" if work.duration_s is None else f"for {work.duration_s:,g} s"
    rule = "with settings of its own" if work.rule == "custom" else f"under the rule {work.rule}"
    return f"recorded agent sessions, {how_long}, {rule}"


def _certificate(report: Report) -> Html:
    if report.result.certified:
        badge = element("b", "✓ Certified", class_="badge good")
        return element("p", badge, " The client was not the bottleneck and every point is valid.")
    points = report.result.points
    sound = sum(point.certified for point in points)
    words = f"{sound} of {len(points)} points certified" if sound else "✗ Not certified"
    badge = element("b", words, class_="badge partly" if sound else "badge bad")
    reasons = [_reason(reason, report) for reason in report.result.reasons]
    return join([element("p", badge), element("ul", *reasons, class_="reasons")])


def _reason(reason: str, report: Report) -> Html:
    """Return a reason with its meaning, and where it stands unless that is everywhere."""
    points = [point.summary for point in report.points]
    there = [point for point in points if reason in point.reasons]
    where = f" ({report.names.places(there)})" if there and len(there) < len(points) else ""
    return element("li", element("code", reason), f"{where} {REASONS.get(reason, '')}")


def _when_and_where(manifest: Manifest) -> str:
    host = manifest.host
    parts = [
        _moment(manifest.started),
        _took(manifest),
        f"on {host['cpu_model']}" if host.get("cpu_model") else "",
        f"{host['usable_cores']} cores" if host.get("usable_cores") else "",
    ]
    return " · ".join(part for part in parts if part)


def _moment(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()


def _took(manifest: Manifest) -> str:
    try:
        span = datetime.fromisoformat(manifest.ended or "") - datetime.fromisoformat(
            manifest.started
        )
    except (ValueError, TypeError):
        return ""
    return f"took {figure(span.total_seconds())} s"


def _cards(points: Sequence[PointSummary]) -> Html:
    bests = BESTS_OF_REPLAYS if are_replays(points) else BESTS
    names = Names(points)
    cards = [_best(points, best, names) for best in bests]
    cards += [_hits(points, names)] if are_replays(points) else []
    cards.append(_requests(points))
    return element("div", *cards, class_="cards")


def _requests(points: Sequence[PointSummary]) -> Html:
    """Return how many requests were ok, and how the others ended; unknown counts are said."""
    found = [point.counts for point in points if not isinstance(point.counts, Absent)]
    if points and not found:
        return _card("Requests", "–", "", "not counted by what was imported")
    sums = {state: sum(getattr(one, state) for one in found) for state in END_NAMES}
    note = f"of {sum(one.issued for one in found):,} issued"
    others = (
        (count, name) for (_, count), name in zip(sums.items(), END_NAMES.values(), strict=True)
    )
    note += "".join(f", {count:,} {name}" for count, name in [*others][1:] if count)
    if len(found) < len(points):
        note += f"; {len(points) - len(found)} points do not say"
    return _card("Requests", f"{sums[EndState.OK]:,}", "ok", note)


def _best(points: Sequence[PointSummary], best: Best, names: Names) -> Html:
    known = [
        (value, point)
        for point in points
        if not isinstance(value := statistic(point, best.metric, best.statistic), Absent)
    ]
    if not known:
        return _card(best.title, "–", "", f"no point has {label(best.metric)}")
    choose = max if best.largest else min
    value, point = choose(known, key=lambda pair: pair[0])
    shown_unit = unit(points, best.metric) or ""
    note = f"at {names.place(point)}, {sample(point, best.metric)}"
    if within := interval(point, best.metric, best.statistic):
        note += f", 95 % interval {figure(within[0])}–{figure(within[1])}"
    else:
        note += ", no interval"
    return _card(best.title, figure(value), shown_unit, note)


def _hits(points: Sequence[PointSummary], names: Names) -> Html:
    """Return the largest share of prompt tokens that was cached, and what could have been."""
    title = "Served prefix hit"
    metric = "served_prefix_hit"
    found = [(statistic(point, metric, "mean"), point) for point in points]
    known = [(value, point) for value, point in found if not isinstance(value, Absent)]
    if not known:
        reasons = dict.fromkeys(value.reason for value, _ in found if isinstance(value, Absent))
        return _card(title, "–", "", "; ".join(reasons))
    value, point = max(known, key=lambda pair: pair[0])
    possible = statistic(point, "theoretical_prefix_hit", "mean")
    beside = "not known" if isinstance(possible, Absent) else f"{figure(possible)} %"
    note = f"at {names.place(point)}; in theory {beside}"
    return _card(title, figure(value), "%", note)


def _card(name: str, value: str, shown_unit: str, note: str) -> Html:
    number = element("p", element("b", value), f" {shown_unit}", class_="number")
    return element("div", element("h2", name), number, element("p", note), class_="card")
