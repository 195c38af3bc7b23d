"""The top of a report: what was measured, when, on which host, and how far it can be trusted."""

from datetime import datetime
from typing import NamedTuple

from infx.model.agentic import AgenticWorkload
from infx.model.bundle import Manifest
from infx.model.result import Absent, PointSummary
from infx.model.validity import REASONS
from infx.model.workload import FixedWorkload
from infx.report.columns import are_replays, load_kind, load_name
from infx.report.content import Report
from infx.report.markup import Html, element, join
from infx.report.units import figure, interval, label, statistic, unit


class Best(NamedTuple):
    """One card: the best figure of a metric over all points."""

    title: str
    metric: str
    statistic: str
    largest: bool


BESTS: tuple[Best, ...] = (
    Best("Highest output throughput", "output_throughput", "mean", largest=True),
    Best("Lowest median TTFT", "ttft", "p50", largest=False),
    Best("Lowest median TPOT", "tpot", "p50", largest=False),
)
BESTS_OF_REPLAYS: tuple[Best, ...] = (
    Best("Highest total throughput", "total_throughput", "mean", largest=True),
    Best("Lowest p90 E2EL", "e2el", "p90", largest=False),
    Best("Highest p90 interactivity", "interactivity", "p90", largest=True),
)


def title(report: Report) -> str:
    """Return what was measured: the model and what serves it."""
    if not report.points:
        return "A run without points"
    file = report.points[0].file
    model = file.recipe.model or file.endpoint.model or "a model nobody named"
    engine = file.recipe.engine or file.endpoint.url
    return f"{model} on {engine}"


def headline(report: Report) -> Html:
    """Return the page header: banners, title, verdict, facts, and the best figures as cards."""
    return join(
        [
            *_banners(report),
            element("p", f"infx report · {report.result.run}", class_="kicker"),
            element("h1", title(report)),
            element("p", _asked(report), class_="asked"),
            _certificate(report),
            element("p", _when_and_where(report.manifest), class_="when"),
            _cards(report),
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


def _asked(report: Report) -> str:
    if not report.points:
        return "Nothing was measured."
    work = report.points[0].file.workload
    summaries = [point.summary for point in report.points]
    loads = ", ".join(dict.fromkeys(map(load_name, summaries)))
    asked = _replayed(work) if isinstance(work, AgenticWorkload) else _lengths(work)
    return f"{asked}, at {load_kind(summaries)} {loads}"


def _lengths(work: FixedWorkload) -> str:
    shape = f"{work.isl:,} tokens in" if work.isl else "prompts from a data set"
    return f"{shape}, {work.osl:,} tokens out"


def _replayed(work: AgenticWorkload) -> str:
    how_long = "each once" if work.duration_s is None else f"for {figure(work.duration_s)} s"
    rule = "with settings of its own" if work.rule == "custom" else f"under the rule {work.rule}"
    return f"recorded agent sessions, {how_long}, {rule}"


def _certificate(report: Report) -> Html:
    if report.result.certified:
        badge = element("b", "✓ Certified", class_="badge good")
        return element("p", badge, " The client was not the bottleneck and every point is valid.")
    points = report.result.points
    sound = sum(point.certified for point in points)
    words = f"✗ {sound} of {len(points)} points certified" if sound else "✗ Not certified"
    badge = element("b", words, class_="badge bad")
    reasons = [
        element("li", element("code", reason), f" {REASONS.get(reason, '')}")
        for reason in report.result.reasons
    ]
    return join([element("p", badge), element("ul", *reasons, class_="reasons")])


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


def _cards(report: Report) -> Html:
    summaries = [point.summary for point in report.points]
    issued = sum(summary.counts.issued for summary in summaries)
    ok = sum(summary.counts.ok for summary in summaries)
    bests = BESTS_OF_REPLAYS if are_replays(summaries) else BESTS
    cards = [_best(summaries, best) for best in bests]
    cards.append(_card("Requests", f"{ok:,}", "ok", f"of {issued:,} issued"))
    return element("div", *cards, class_="cards")


def _best(summaries: list[PointSummary], best: Best) -> Html:
    known = [
        (value, summary)
        for summary in summaries
        if not isinstance(value := statistic(summary, best.metric, best.statistic), Absent)
    ]
    if not known:
        return _card(best.title, "–", "", f"no point has {label(best.metric)}")
    choose = max if best.largest else min
    value, summary = choose(known, key=lambda pair: pair[0])
    shown_unit = unit(summaries, best.metric) or ""
    note = f"at {load_kind([summary])} {load_name(summary)}"
    if within := interval(summary, best.metric, best.statistic):
        note += f", 95 % interval {figure(within[0])}–{figure(within[1])}"
    return _card(best.title, figure(value), shown_unit, note)


def _card(name: str, value: str, shown_unit: str, note: str) -> Html:
    number = element("p", element("b", value), f" {shown_unit}", class_="number")
    return element("div", element("h2", name), number, element("p", note), class_="card")
