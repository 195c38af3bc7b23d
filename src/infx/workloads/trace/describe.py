"""The statistics of a corpus, gathered while its traces pass by."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from infx.model.corpus import Bin, CorpusDescription, Distribution
from infx.model.trace import Call, Trace
from infx.stats.percentile import mean, percentile
from infx.workloads.trace.hits import Hit, hit_rate, theoretical_hits
from infx.workloads.trace.reading import Tally

UNITS: Mapping[str, str] = MappingProxyType(
    {
        "requests per trace": "requests",
        "turns of the session": "requests",
        "streams per trace": "streams",
        "input": "tokens",
        "new input": "tokens",
        "output": "tokens",
        "pause": "s",
        "duration": "s",
        "span": "s",
        "peak context": "tokens",
        "hit rate": "of a trace's blocks",
    }
)
"""Name and unit of each distribution, in the order that they are shown.

`new input` is what is not in an infinite cache of the trace; `pause` is from the end of a call to
the start of the next one in its stream; `span` is from a session's start to its last answer.
"""

NS = 1e9
EDGES = [
    0.0, *(float(f"{digit}e{power}") for power in range(-3, 20) for digit in (1, 2, 5))
]  # fmt: skip


def describe(traces: Iterable[Trace], tally: Tally) -> CorpusDescription:
    """Draw all traces and return what they are like; `tally` is their reader's."""
    values = {name: array("d") for name in UNITS}
    count: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    models: dict[str, None] = {}
    hits: list[Hit] = []
    depth = 0
    for trace in traces:
        of_trace = theoretical_hits(trace)
        for name, value in _observed(trace, of_trace):
            values[name].append(value)
        hits.append(_sum(of_trace))
        kinds.update(stream.kind for stream in trace.streams)
        depth = max(depth, *(trace.depth(index) for index in range(len(trace.streams))))
        models.update((c.model, None) for s in trace.streams for c in s.calls if c.model)
        count["traces"] += 1
        count["dropped"] += len(trace.dropped)
        count["background"] += sum(s.parent is not None and s.join is None for s in trace.streams)
    return CorpusDescription(
        traces=count["traces"],
        requests=round(sum(values["requests per trace"])),
        streams=dict(kinds),
        depth=depth,
        background=count["background"],
        dropped_subagents=count["dropped"],
        too_long=tally.too_long,
        rows_skipped=tally.skipped,
        input_tokens=round(sum(values["input"])) if values["input"] else None,
        output_tokens=round(sum(values["output"])) if values["output"] else None,
        hit_rate=hit_rate(hits),
        models=tuple(models),
        distributions={
            name: distribution(of_name, UNITS[name]) for name, of_name in values.items() if of_name
        },
    )


def _sum(hits: Sequence[Sequence[Hit]]) -> Hit:
    known = sum(hit.known for stream in hits for hit in stream)
    return Hit(known, sum(hit.blocks for stream in hits for hit in stream))


def _observed(trace: Trace, hits: Sequence[Sequence[Hit]]) -> Iterator[tuple[str, float]]:
    yield "requests per trace", trace.calls
    yield "turns of the session", len(trace.streams[0].calls)
    yield "streams per trace", len(trace.streams)
    yield "span", trace.end_ns / NS
    if trace.peak_context_tokens:
        yield "peak context", trace.peak_context_tokens
    rate = hit_rate([_sum(hits)])
    if rate is not None:
        yield "hit rate", rate
    for stream, of_stream in zip(trace.streams, hits, strict=True):
        for call, hit in zip(stream.calls, of_stream, strict=True):
            yield from _of_call(call, hit, trace.block_tokens)
        for before, after in pairwise(stream.calls):
            yield "pause", max(0, after.start_ns - before.end_ns) / NS


def _of_call(call: Call, hit: Hit, block_tokens: int) -> Iterator[tuple[str, float]]:
    if call.input_tokens is not None:
        yield "input", call.input_tokens
        if hit.blocks:
            yield "new input", max(0, call.input_tokens - hit.known * block_tokens)
    if call.asked_output is not None:
        yield "output", call.asked_output
    if call.duration_ns is not None:
        yield "duration", max(0, call.duration_ns) / NS


def distribution(values: Iterable[float], unit: str) -> Distribution:
    """Summarise observations of at least 0, in any order; raises ValueError for none."""
    ordered = sorted(values)
    return Distribution(
        unit=unit,
        n=len(ordered),
        mean=mean(ordered),
        least=ordered[0],
        p50=percentile(ordered, 50),
        p75=percentile(ordered, 75),
        p90=percentile(ordered, 90),
        p99=percentile(ordered, 99),
        most=ordered[-1],
        bins=tuple(_bins(ordered)),
    )


def _bins(ordered: Sequence[float]) -> Iterator[Bin]:
    """Yield the bins from the first that holds anything to the last one."""
    first = bisect_right(EDGES, ordered[0]) - 1
    last = bisect_right(EDGES, ordered[-1]) - 1
    counts = Counter(bisect_right(EDGES, value) - 1 for value in ordered)
    for number in range(first, last + 1):
        yield Bin(low=EDGES[number], high=EDGES[number + 1], count=counts[number])
