"""A corpus as text: its counts, a table of its sizes and times, and how they spread."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from infx.cli.grids import Grid, aligned, printable
from infx.model.corpus import CorpusDescription, Distribution
from infx.report.units import figure

HEADS = ("", "unit", "n", "mean", "least", "p50", "p75", "p90", "p99", "most")
DRAWN = ("input", "output", "pause")
"""Distributions that are drawn as well."""
BAR = 40
"""Columns of the longest bar."""
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "main": "session",
        "subagent": "subagent",
        "agent": "unlabelled agent",
        "worker": "parallel worker",
        "aux": "side call",
    }
)


def text(found: CorpusDescription, source: str, *, plain: bool) -> str:
    """Return all that is known of a corpus; `plain` keeps to ASCII."""
    rows = tuple(_row(name, one) for name, one in found.distributions.items())
    table = Grid("", HEADS, ("",) * len(HEADS), rows)
    drawn = [
        "\n".join(_histogram(name, found.distributions[name], plain=plain))
        for name in DRAWN
        if name in found.distributions
    ]
    return "\n\n".join(["\n".join(_counts(found, source)), "\n".join(aligned(table)), *drawn])


def _counts(found: CorpusDescription, source: str) -> Iterator[str]:
    yield printable(f"{source}: {_of(found.traces, 'trace')}, {_of(found.requests, 'request')}")
    kinds = [
        _of(found.streams[kind], name) for kind, name in KINDS.items() if kind in found.streams
    ]
    yield f"streams: {', '.join(kinds)}; at most {_of(found.depth, 'level')} below a session"
    left_out = {
        "subagents that nothing starts": found.dropped_subagents,
        "traces above the context limit": found.too_long,
        "bad rows": found.rows_skipped,
    }
    told = [f"{what}: {count:,}" for what, count in left_out.items() if count]
    if told:
        yield f"left out {', '.join(told)}"
    if found.background:
        yield f"in the background, with nobody who waits: {_of(found.background, 'stream')}"
    if found.input_tokens is not None:
        outputs = "unknown" if found.output_tokens is None else f"{found.output_tokens:,}"
        yield f"tokens: {found.input_tokens:,} in, {outputs} out"
    if found.hit_rate is None:
        yield "theoretical prefix hit: unknown, as prompts have no blocks"
    else:
        yield (
            f"theoretical prefix hit: {100 * found.hit_rate:.1f} % of all blocks, "
            "with an endless cache for each trace"
        )
    if found.models:
        yield printable(f"models: {', '.join(found.models)}")


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _row(name: str, one: Distribution) -> tuple[str, ...]:
    values = (one.mean, one.least, one.p50, one.p75, one.p90, one.p99, one.most)
    return (name, one.unit, f"{one.n:,}", *(_number(value) for value in values))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e15 else figure(value)


def _histogram(name: str, one: Distribution, *, plain: bool) -> Iterator[str]:
    """Draw the counts of a distribution, one bar a bin, the fullest 40 columns wide."""
    yield f"{name} ({one.unit})"
    fullest = max(one_bin.count for one_bin in one.bins)
    names = [f"{_number(one_bin.low)} - {_number(one_bin.high)}" for one_bin in one.bins]
    width = max(map(len, names))
    for shown, one_bin in zip(names, one.bins, strict=True):
        bar = _bar(one_bin.count / fullest, plain=plain)
        yield f"  {shown.rjust(width)}  {bar} {one_bin.count:,}".rstrip()


def _bar(share: float, *, plain: bool) -> str:
    """Return a bar; whatever is there at all has at least the thinnest mark."""
    if plain:
        return "#" * (max(1, round(share * BAR)) if share else 0)
    eighths = max(1, round(share * BAR * 8)) if share else 0
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (" ▏▎▍▌▋▊▉"[rest] if rest else "")
