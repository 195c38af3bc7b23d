"""What a server's own counters say of a point's profiling phase, each figure or its reason.

Formulas over the growth of counters in the window: prefix hit = (tokens found on the GPU + beyond
it) / tokens looked for; acceptance length = 1 + accepted / drafts, or output of speculative steps /
drafts. KV usage is the largest over all engines, requests are added up over them, gauges of hit
rates are averaged. Shares above 1.5 are percent. Source: the reference page, section 5.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from infx.metrics.per_request import NS_PER_S
from infx.metrics.scraped import Scraped, Source, growth, slices
from infx.model.measured import Sample
from infx.model.result import Absent, Metric, MetricValue, ServerMetrics
from infx.model.server import Quantity
from infx.stats.percentile import describe

PERCENT = 1.5
"""A share that is larger is told in percent."""
NO_PAGE = "no metrics page was read within the window"


@dataclass(frozen=True, slots=True)
class _View:
    """Some sources of a point, and why quantities are missing from all of them."""

    sources: Sequence[Source]
    missing: Mapping[Quantity, str]

    def grown(self, quantity: Quantity) -> float | Absent:
        """Return how much a counter grew, or why that is unknown."""
        having = self.having(quantity)
        for edge, there in (("start", "based"), ("end", "closed")):
            if any(not getattr(one, there) for one in having):
                when = "had come by its start" if edge == "start" else "was asked for after its end"
                return Absent(reason=f"the window has no {edge}: no metrics page {when}")
        grown = growth(having, quantity)
        return self.absent(quantity) if grown is None else grown

    def slices(self, quantity: Quantity) -> dict[int, float] | Absent:
        """Return a gauge by second, or why there is none."""
        found = slices(self.sources, quantity)
        if found:
            return found
        if not any(one.pages for one in self.sources) and quantity not in self.missing:
            return Absent(reason=NO_PAGE)
        return self.absent(quantity)

    def absent(self, quantity: Quantity) -> Absent:
        """Say why a quantity was not measured."""
        return Absent(reason=self.missing.get(quantity, "these pages do not have it"))

    def having(self, quantity: Quantity) -> list[Source]:
        """Return the sources whose pages have a counter."""
        return [one for one in self.sources if any(of is quantity for of, _ in one.last)]

    @property
    def pages(self) -> int:
        """How many pages were read within the window."""
        return sum(one.pages for one in self.sources)


def server_metrics(
    samples: Iterable[Sample],
    window_ns: tuple[int, int],
    *,
    dialect: str,
    missing: Mapping[Quantity, str],
) -> ServerMetrics:
    """Compute every figure over the window of a point's profiling phase.

    `missing` says why quantities are on no page. Of each source the samples come in the order of
    time; the order of sources and of the series of a page does not matter.
    """
    scraped = Scraped(samples, *window_ns)
    every = _View(tuple(scraped.sources.values()), missing)
    missed: dict[str, int] = {}
    for source in every.sources:
        for reason, count in source.missed.items():
            missed[reason] = missed.get(reason, 0) + count
    apart = scraped.sources if len(scraped.sources) > 1 else {}
    return ServerMetrics(
        dialect=dialect,
        window_s=(window_ns[1] - window_ns[0]) / NS_PER_S,
        pages=every.pages,
        missed=dict(sorted(missed.items())),
        before_s=max((one.before_ns or 0 for one in every.sources), default=0) / NS_PER_S,
        after_s=max((one.after_ns or 0 for one in every.sources), default=0) / NS_PER_S,
        restarts=sum(one.restarts for one in every.sources),
        metrics=_figures(every),
        by_source={url: _figures(_View((apart[url],), missing)) for url in sorted(apart)},
    )


def _figures(view: _View) -> dict[str, Metric]:
    usage = _usage(view, Quantity.KV_USAGE)
    host = _host_usage(view)
    return {
        **{of: _total(view, of, unit) for of, unit in _TOTALS.items()},
        "prefix_hit": _prefix_hit(view),
        "gpu_prefix_hit": _share(view, Quantity.GPU_HITS, Quantity.CACHE_QUERIES),
        "host_prefix_hit": _share(view, Quantity.HOST_HITS, Quantity.CACHE_QUERIES),
        "router_hit": _share(view, Quantity.ROUTER_HITS, Quantity.ROUTED),
        "shared_router_hit": _share(view, Quantity.SHARED_HITS, Quantity.SHARED_ROUTED),
        "kv_usage": _spread(usage, "share"),
        "kv_usage_peak": _peak(usage, "share"),
        "host_kv_usage": _spread(host, "share"),
        "host_kv_usage_peak": _peak(host, "share"),
        "kv_pool": _pool(view),
        "running": _spread(view.slices(Quantity.RUNNING), "requests"),
        "waiting": _spread(view.slices(Quantity.WAITING), "requests"),
        "acceptance_length": _acceptance_length(view),
        "acceptance_rate": _share(view, Quantity.ACCEPTED, Quantity.DRAFTED),
    }


_TOTALS = {
    Quantity.PROMPT_TOKENS: "tok",
    Quantity.GENERATION_TOKENS: "tok",
    Quantity.REQUESTS: "requests",
    Quantity.PREEMPTIONS: "requests",
    Quantity.OFFLOADED_BYTES: "B",
    Quantity.ONLOADED_BYTES: "B",
}


def _total(view: _View, quantity: Quantity, unit: str) -> Metric:
    """Return a counter's growth; n is the pages of the window. After a restart it is unknown."""
    grown = view.grown(quantity)
    if isinstance(grown, Absent):
        return grown
    restarts = sum(one.restarts for one in view.having(quantity))
    if restarts:
        times = "once" if restarts == 1 else f"{restarts} times"
        what = f"the server's counters began anew {times}, so it is at least {grown:.10g} {unit}"
        return Absent(reason=what)
    return MetricValue(unit=unit, n=view.pages, mean=grown)


def _share(view: _View, part: Quantity, whole: Quantity) -> Metric:
    """Return the growth of one counter over another's; n is the latter."""
    grown, of = view.grown(part), view.grown(whole)
    if isinstance(grown, Absent):
        return grown
    return _ratio(grown, of, "share")


def _ratio(part: float, whole: float | Absent, unit: str) -> Metric:
    if isinstance(whole, Absent):
        return whole
    if whole <= 0:
        return Absent(reason="the server counted none of it in the window")
    return MetricValue(unit=unit, n=round(whole), mean=part / whole)


def _prefix_hit(view: _View) -> Metric:
    """Return the hits in any memory, of counters before a gauge that looks back without a window.

    A memory whose hits are not counted has none that are known.
    """
    every = view.grown(Quantity.HITS)
    if not isinstance(every, Absent):
        return _ratio(every, view.grown(Quantity.CACHE_QUERIES), "share")
    gpu, host = view.grown(Quantity.GPU_HITS), view.grown(Quantity.HOST_HITS)
    known = [one for one in (gpu, host) if not isinstance(one, Absent)]
    if known:
        return _ratio(sum(known), view.grown(Quantity.CACHE_QUERIES), "share")
    gauge = _usage(view, Quantity.HIT_RATE)
    return gpu if isinstance(gauge, Absent) and isinstance(gpu, Absent) else _spread(gauge, "share")


def _usage(view: _View, quantity: Quantity) -> dict[int, float] | Absent:
    found = view.slices(quantity)
    if isinstance(found, Absent) or max(found.values()) <= PERCENT:
        return found
    return {second: value / 100 for second, value in found.items()}


def _host_usage(view: _View) -> dict[int, float] | Absent:
    stated = _usage(view, Quantity.HOST_KV_USAGE)
    used, total = view.slices(Quantity.HOST_KV_USED), view.slices(Quantity.HOST_KV_TOTAL)
    if not isinstance(stated, Absent) or isinstance(used, Absent) or isinstance(total, Absent):
        return stated
    shares = {second: used[second] / total[second] for second in used if total.get(second)}
    return shares or Absent(reason="the server states no size of the host's cache")


def _spread(found: dict[int, float] | Absent, unit: str) -> Metric:
    return found if isinstance(found, Absent) else describe(found.values(), unit)


def _peak(found: dict[int, float] | Absent, unit: str) -> Metric:
    if isinstance(found, Absent):
        return found
    return MetricValue(unit=unit, n=len(found), mean=max(found.values()))


def _pool(view: _View) -> Metric:
    """Return how many tokens the engines' KV caches hold together."""
    tokens = view.slices(Quantity.POOL_TOKENS)
    blocks, each = view.slices(Quantity.POOL_BLOCKS), view.slices(Quantity.BLOCK_TOKENS)
    if isinstance(tokens, Absent) and not isinstance(blocks, Absent):
        if isinstance(each, Absent):
            return each
        tokens = {second: blocks[second] * each[second] for second in blocks if second in each}
    return _peak(tokens, "tok")


def _acceptance_length(view: _View) -> Metric:
    """Return the tokens that a step of speculative decoding gave; n is the steps."""
    drafts = view.grown(Quantity.DRAFTS)
    accepted = view.grown(Quantity.ACCEPTED)
    if not isinstance(accepted, Absent):
        return _map(_ratio(accepted, drafts, "tok"), lambda length: 1 + length)
    tokens, requests = view.grown(Quantity.SPEC_TOKENS), view.grown(Quantity.SPEC_REQUESTS)
    if not isinstance(drafts, Absent) and not isinstance(tokens, Absent):
        first = 0.0 if isinstance(requests, Absent) else requests
        return _ratio(tokens - first, drafts, "tok")
    gauge = view.slices(Quantity.ACCEPTANCE_LENGTH)
    if isinstance(gauge, Absent):
        return drafts if isinstance(drafts, Absent) else accepted
    # An engine that does not draft, or has not yet, states 0.
    lengths = {second: value for second, value in gauge.items() if value >= 1}
    return _spread(lengths or Absent(reason="the server drafted nothing in the window"), "tok")


def _map(metric: Metric, change: Callable[[float], float]) -> Metric:
    if isinstance(metric, Absent):
        return metric
    return metric.model_copy(update={"mean": change(metric.mean)})
