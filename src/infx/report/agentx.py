"""The public AgentX benchmark's own figures of a replay, by its own names, rules and units."""

from collections.abc import Iterator

from infx.model.agentx import Qps, RequestMetrics, Spread
from infx.report.markup import Html, element, table
from infx.report.units import figure

STATISTICS = ("mean", "p50", "p75", "p90", "p95", "std")
SPEEDS = ("intvty", "e2e_norm_intvty", "full_response_intvty")
NOTE = (
    "A percentile of a speed is 1 over that percentile of its time, so the p90 is the slow tail. "
    "Throughput is over the time from the first start to the last end of the requests that count."
)


def agentx_details(found: RequestMetrics, name: str) -> Html:
    """Return a folded table of a point's figures; `name` is what the point is called."""
    title = f"By the rules of AgentX ({found.rules}): {name}"
    head = ["Figure", "unit", *STATISTICS]
    rows = table(title, head, _rows(found), class_="figures")
    note = element("p", f"They rest on {found.kept:,} requests. {NOTE}", class_="notes")
    return element("details", element("summary", title), rows, note)


def _rows(found: RequestMetrics) -> Iterator[list[str]]:
    for name, spread in found.latency:
        yield _row(name, "tok/s/user" if name in SPEEDS else "s", spread)
    for name, spread in found.tokens:
        yield _row(f"tokens {name}", "tok", spread)
    yield _row("qps", "requests/s", found.qps)
    rates = found.throughput
    if rates is not None:
        for name, rate in (
            ("total", rates.total),
            ("input", rates.input),
            ("output", rates.output),
        ):
            yield _single(f"{name} throughput", "tok/s", rate)
            if rates.gpus is not None:
                yield _single(f"{name} throughput per GPU", "tok/s/gpu", rate / rates.gpus)
    share = found.theoretical_cache_hit_rate
    yield _single("theoretical cache hit rate", "%", None if share is None else 100 * share)


def _row(name: str, unit: str, spread: Spread | Qps | None) -> list[str]:
    values = (getattr(spread, one, None) for one in STATISTICS)
    return [name, unit, *("–" if value is None else figure(value) for value in values)]


def _single(name: str, unit: str, value: float | None) -> list[str]:
    return [name, unit, "–" if value is None else figure(value), *("–" for _ in STATISTICS[1:])]
