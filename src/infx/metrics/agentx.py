"""The statistics of the public AgentX benchmark under its rule set `agentx-v1`.

Kept are the records of profiling that ended ok. Times are in seconds; those of 0 are dropped.
Percentiles interpolate linearly at rank (n-1)p/100, deviations are the population's, and there is
no p99. A percentile of a speed is 1 over that of its time; its deviation is that of the speeds of
the requests. Throughput is all tokens over the time from the first send to the last content.
Ours stand in the metrics' own modules; these are kept apart so that the two are never mixed.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from infx.metrics.e2e_interactivity import time_a_token_s
from infx.metrics.itl import itl_s
from infx.metrics.per_point import end_ns, window_s
from infx.metrics.per_request import NS_PER_S, completed, e2el_s, per_token_s, ttft_s
from infx.metrics.theoretical_prefix_hit import hit_rate
from infx.metrics.total_throughput import tokens
from infx.model.agentx import Latency, Qps, RequestMetrics, Spread, Throughput, Tokens
from infx.model.measured import Measured, Replayed
from infx.model.record import RequestRecord
from infx.stats.percentile import mean, percentile, population_std

WINDOW_S = 1


def request_metrics(measured: Measured) -> RequestMetrics:
    """Return what AgentX says of a point's requests.

    Where the server left out the token count of even one kept request there is no throughput: the
    reference would divide a sum with holes. Raises ValueError when a record's moments run
    backwards.
    """
    kept = completed(measured)
    replay = measured.replay or Replayed()
    expected = [one for record in kept if (one := replay.of(record)) is not None]
    return RequestMetrics(
        kept=len(kept),
        qps=_qps([end_ns(record) for record in kept]),
        latency=_latency(kept),
        tokens=Tokens(
            input=_counts(record.prompt_tokens for record in kept),
            output_actual=_counts(record.completion_tokens for record in kept),
            output_expected=_counts(one.output_tokens for one in expected),
        ),
        throughput=_throughput(kept, measured.gpus),
        theoretical_cache_hit_rate=hit_rate(expected),
    )


def _latency(kept: Sequence[RequestRecord]) -> Latency:
    itl = _positive(map(itl_s, kept))
    full = _positive(map(per_token_s, kept))
    token = _positive(map(time_a_token_s, kept))
    return Latency(
        ttft=_spread(_positive(map(ttft_s, kept))),
        e2el=_spread(_positive(map(e2el_s, kept))),
        itl=_spread(itl),
        tpot=_spread(itl),
        intvty=_speeds(itl),
        e2e_norm_intvty=_speeds(token),
        full_response_itl=_spread(full),
        full_response_intvty=_speeds(full),
    )


def _positive(values: Iterable[float | None]) -> list[float]:
    return sorted(value for value in values if value is not None and value > 0)


def _spread(ordered: Sequence[float]) -> Spread | None:
    if not ordered:
        return None
    p50, p75, p90, p95 = (percentile(ordered, p) for p in (50, 75, 90, 95))
    return Spread(
        mean=mean(ordered), p50=p50, p75=p75, p90=p90, p95=p95, std=population_std(ordered)
    )


def _speeds(ordered: Sequence[float]) -> Spread | None:
    """Return the speeds that belong to times: a high percentile is a slow one."""
    times = _spread(ordered)
    if times is None:
        return None
    slow = {name: 1 / getattr(times, name) for name in ("mean", "p50", "p75", "p90", "p95")}
    return Spread(**slow, std=population_std([1 / time for time in ordered]))


def _counts(values: Iterable[int | None]) -> Spread | None:
    return _spread(sorted(float(value) for value in values if value is not None))


def _throughput(kept: Sequence[RequestRecord], gpus: int | None) -> Throughput | None:
    if not kept or any(tokens(record) is None for record in kept):
        return None
    duration = window_s(kept)
    if not duration:
        return None
    given = sum(record.prompt_tokens or 0 for record in kept)
    written = sum(record.completion_tokens or 0 for record in kept)
    return Throughput(
        input=given / duration,
        output=written / duration,
        total=(given + written) / duration,
        duration_seconds=duration,
        gpus=gpus,
    )


def _qps(ends: Iterable[int]) -> Qps | None:
    """Count completions in whole windows from the first one on; the last end closes, and no more.

    A completion at the edge of two windows is of the later one.
    """
    ordered = sorted(ends)
    if not ordered or ordered[-1] == ordered[0]:
        return None
    first, span = ordered[0], ordered[-1] - ordered[0]
    step = WINDOW_S * NS_PER_S
    edges = range(first, first + step * (span // step) + 1, step)
    places = [bisect_left(ordered, edge) for edge in edges]
    rates = sorted((after - at) / WINDOW_S for at, after in pairwise(places))
    spread = _spread(rates)
    if spread is None:
        return Qps(window_seconds=WINDOW_S, samples=0, mean=len(ordered) * NS_PER_S / span)
    return Qps(window_seconds=WINDOW_S, samples=len(rates), **spread.model_dump())
