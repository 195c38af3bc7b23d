"""Samples of metrics pages over a window: how counters grew, and gauges second by second."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from infx.metrics.per_request import NS_PER_S
from infx.model.measured import Sample
from infx.model.server import GAUGES, Quantity
from infx.stats.percentile import mean

REPLICATED = frozenset({"tp_rank", "pp_rank", "moe_ep_rank"})
"""Labels of series that state the same of one engine, each by a rank of it."""

Labels = tuple[tuple[str, str], ...]
Key = tuple[Quantity, Labels]
Combine = Callable[[Sequence[float]], float]

COMBINE: dict[Quantity, Combine] = {
    Quantity.KV_USAGE: max,
    Quantity.HOST_KV_USAGE: max,
    Quantity.BLOCK_TOKENS: max,
    Quantity.HIT_RATE: mean,
    Quantity.ACCEPTANCE_LENGTH: mean,
}
"""How gauges of several engines become one; what is not listed is added up."""


@dataclass(slots=True)
class Source:
    """What one page's URL measured in the window.

    `based` tells that a page had come by the window's start, `closed` that one was asked for after
    its end; they lay so many nanoseconds beyond it. `grown` and `slices` are by series; a slice is
    a second of the window.
    """

    before_ns: int | None = None
    after_ns: int | None = None
    pages: int = 0
    restarts: int = 0
    missed: dict[str, int] = field(default_factory=dict)
    grown: dict[Key, float] = field(default_factory=dict)
    slices: dict[Quantity, dict[int, dict[Labels, float]]] = field(default_factory=dict)
    last: dict[Key, float] = field(default_factory=dict)
    sent_ns: int = 0
    fell: bool = False
    done: bool = False

    @property
    def based(self) -> bool:
        """Whether counters have where to grow from."""
        return self.before_ns is not None

    @property
    def closed(self) -> bool:
        """Whether counters have where to grow to."""
        return self.after_ns is not None


class Scraped:
    """The samples of a point over its window from `start_ns` to `end_ns`, by source.

    Of each source the samples come in the order of time, each page's after its `up`. A counter's
    growth begins at the last page that had come by the start, and ends at the first one asked for
    after the end, so no token of the window is left out. A series that was not on the page before
    began at 0; one that falls began anew, and what it had counted since the page before is lost.
    """

    def __init__(self, samples: Iterable[Sample], start_ns: int, end_ns: int) -> None:
        self.window_ns = (start_ns, end_ns)
        self.sources: dict[str, Source] = {}
        for sample in samples:
            source = self.sources.setdefault(sample.source, Source())
            if sample.name == Quantity.UP:
                self._page(source, sample)
            elif math.isfinite(sample.value):
                self._series(source, sample)

    def _page(self, source: Source, sample: Sample) -> None:
        start, end = self.window_ns
        said = dict(sample.labels)
        if not sample.value:
            if start <= int(said["sent_ns"]) < end:
                reason = said["reason"]
                source.missed[reason] = source.missed.get(reason, 0) + 1
            return
        source.sent_ns = int(said["sent_ns"])
        source.fell = False
        source.done = source.closed
        if sample.time_ns <= start:
            source.before_ns = start - sample.time_ns
        elif source.sent_ns >= end:
            source.after_ns = source.after_ns if source.closed else source.sent_ns - end
        elif start <= source.sent_ns and sample.time_ns <= end:
            source.pages += 1

    def _series(self, source: Source, sample: Sample) -> None:
        quantity = Quantity(sample.name)
        if quantity in GAUGES:
            self._gauge(source, quantity, sample)
        elif not source.done:
            self._counter(source, (quantity, sample.labels), sample)

    def _gauge(self, source: Source, quantity: Quantity, sample: Sample) -> None:
        start, end = self.window_ns
        if start <= source.sent_ns and sample.time_ns <= end:
            second = (sample.time_ns - start) // NS_PER_S
            of_second = source.slices.setdefault(quantity, {}).setdefault(second, {})
            of_second[sample.labels] = sample.value

    def _counter(self, source: Source, key: Key, sample: Sample) -> None:
        before = source.last.get(key, 0.0)
        source.last[key] = sample.value
        if sample.time_ns <= self.window_ns[0]:
            source.grown[key] = 0.0
            return
        anew = sample.value < before
        if anew and not source.fell:
            source.restarts += 1
            source.fell = True
        step = sample.value if anew else sample.value - before
        source.grown[key] = source.grown.get(key, 0.0) + step


def growth(sources: Iterable[Source], quantity: Quantity) -> float | None:
    """Return how much a counter grew over all series, None where no page has it."""
    found = [one for source in sources for one in _of_engines(source.grown, quantity)]
    return math.fsum(found) if found else None


def _of_engines(grown: dict[Key, float], quantity: Quantity) -> Iterable[float]:
    engines: dict[Labels, float] = {}
    for (of, labels), value in grown.items():
        if of is quantity:
            engine = _engine(labels)
            engines[engine] = max(value, engines.get(engine, 0.0))
    return engines.values()


def _engine(labels: Labels) -> Labels:
    return tuple(sorted(pair for pair in labels if pair[0] not in REPLICATED))


def slices(sources: Iterable[Source], quantity: Quantity) -> dict[int, float]:
    """Return a gauge over all engines for each second of the window, from 0.

    Seconds in which a page is missing that has it in another second are left out.
    """
    having = [source.slices[quantity] for source in sources if quantity in source.slices]
    combine = COMBINE.get(quantity, math.fsum)
    shared = set.intersection(*(set(one) for one in having)) if having else set()
    found = {}
    for second in sorted(shared):
        engines: dict[tuple[int, Labels], float] = {}
        for place, of_source in enumerate(having):
            for labels, value in of_source[second].items():
                key = (place, _engine(labels))
                engines[key] = max(value, engines.get(key, -math.inf))
        found[second] = combine(list(engines.values()))
    return found
