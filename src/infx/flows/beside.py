"""What is read beside a point, before and after its load and never during it.

How long work waited for a core of this host, and how much of the prompts the server had in a cache.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from infx.clock import Clock
from infx.errors import InfxError
from infx.telemetry.host import cpu_waited_us
from infx.wire.fetch import Client
from infx.wire.prometheus import Reading, parse, total

METRICS_PATH = "/metrics"
_LIMIT_S = 5.0


@dataclass(frozen=True, slots=True)
class CacheCounters:
    """An engine's counters of prompt tokens: those found in a cache, and those looked for.

    The figure of several names is their sum.
    """

    hits: tuple[str, ...]
    queries: tuple[str, ...]


ENGINES = (
    CacheCounters(("vllm:prefix_cache_hits_total",), ("vllm:prefix_cache_queries_total",)),
    CacheCounters(("sglang:cached_tokens_total",), ("sglang:prompt_tokens_total",)),
    # llama.cpp's total leaves out what it took from the cache.
    CacheCounters(
        ("llamacpp:prompt_tokens_cached_total",),
        ("llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens_cached_total"),
    ),
)


@dataclass(frozen=True, slots=True)
class Moment:
    """What stood beside the load at one moment. `hits` and `queries` are a number or why not."""

    time_ns: int
    cpu_waited_us: int | None
    hits: float | str
    queries: float | str


async def read(client: Client, clock: Clock) -> Moment:
    """Read everything now; what cannot be read is stated as such, and nothing is raised."""
    hits, queries = await _cache(client)
    waited = cpu_waited_us() if clock.timer_grain_ns else None  # virtual time passes on no host
    return Moment(clock.now(), waited, hits, queries)


async def _cache(client: Client) -> tuple[float | str, float | str]:
    try:
        reply = await client.get(METRICS_PATH, timeout_s=_LIMIT_S)
        if reply.status != 200:
            why = f"{METRICS_PATH} answers HTTP {reply.status}"
            return why, why
        readings = parse(reply.body.decode("utf-8", "replace"), where=reply.url)
    except InfxError as error:
        return str(error), str(error)
    for engine in ENGINES:
        hits, queries = _sum(readings, engine.hits), _sum(readings, engine.queries)
        if hits is not None and queries is not None:
            return hits, queries
    why = f"{METRICS_PATH} has no counters of a prompt cache that infx knows"
    return why, why


def _sum(readings: tuple[Reading, ...], names: tuple[str, ...]) -> float | None:
    found = [total(readings, name) for name in names]
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def between(before: Moment, after: Moment) -> dict[str, JsonValue]:
    """Return what went on between two moments, in the words of `PointFile.audit`."""
    facts: dict[str, JsonValue] = {"cpu_pressure": _pressure(before, after)}
    hits = _grown(before.hits, after.hits)
    queries = _grown(before.queries, after.queries)
    if isinstance(hits, str) or isinstance(queries, str):
        why = hits if isinstance(hits, str) else queries
        return {
            **facts, "server_cache_hits": None, "server_cache_queries": None,
            "server_cache_absent": why,
        }  # fmt: skip
    return {**facts, "server_cache_hits": hits, "server_cache_queries": queries}


def _pressure(before: Moment, after: Moment) -> float | None:
    elapsed_us = (after.time_ns - before.time_ns) / 1000
    if before.cpu_waited_us is None or after.cpu_waited_us is None or elapsed_us <= 0:
        return None
    return round((after.cpu_waited_us - before.cpu_waited_us) / elapsed_us, 4)


def _grown(before: float | str, after: float | str) -> float | str:
    if isinstance(before, str):
        return before
    if isinstance(after, str):
        return after
    return after - before if after >= before else "the server's counters began anew"


PREFIX_HIT_SHARE = 0.01


def prefix_hit(audit: Mapping[str, JsonValue], *, template_tokens: float) -> bool:
    """Whether the server had 1 % or more of the prompts' tokens in its cache.

    `template_tokens` are those of the chat template over all requests: they are the same each time,
    in production too, so finding them says nothing of the prompts. False where nothing is known.
    """
    hits, queries = audit.get("server_cache_hits"), audit.get("server_cache_queries")
    if not isinstance(hits, int | float) or not isinstance(queries, int | float) or queries <= 0:
        return False
    return (hits - template_tokens) / queries >= PREFIX_HIT_SHARE
