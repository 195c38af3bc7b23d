"""Points of which little is left: every figure that cannot be is missing with its reason.

The point is the one of `replayed`: profiling lasts from 0 to 1000 s, a turn takes 10 s with its
first token after 0.1 s and 99 more, one every tenth of a second.
"""

from dataclasses import replace

import pytest

from infx.flows.summary import summarise
from infx.model.record import EndState, Phase
from infx.model.result import Absent, Censored, Coverage, MetricValue, PointSummary
from replayed import POINT, turn, turns


def absent(found: PointSummary) -> set[str]:
    return {metric.reason for metric in found.metrics.values() if isinstance(metric, Absent)}


def test_nothing_was_asked() -> None:
    found = summarise(POINT, ())
    assert found.reasons == ("client-not-audited", "nothing-ok", "profile-coverage")
    assert not any(isinstance(metric, MetricValue) for metric in found.metrics.values())
    assert (found.counts.issued, found.achieved_concurrency, found.client) == (0, None, None)
    assert found.replay is not None
    assert (found.replay.plays, found.replay.censored, found.replay.overflow_share) == (
        0,
        None,
        None,
    )
    assert found.replay.agentx.kept == 0


def test_every_request_was_cut_at_the_end() -> None:
    """Three lanes each had one open since 0 s, cut after 1000, 900 and 800 s.

    Tokens came until 800 s; from then on the cuts alone break the silence, each 100 s long. In
    flight were three, then two, then one: 2700 s in 1000 s.
    """
    open_since = {"first": 1.0, "gaps": (0.5,) * 1598, "state": EndState.CANCELLED_AT_END}
    uncounted = {"completion_tokens": None, "prompt_tokens": None}
    cut = [
        turn(0.0, end=end, lane=lane, request=lane, **open_since, **uncounted)
        for lane, end in enumerate((1000.0, 900.0, 800.0))
    ]
    found = summarise(POINT, tuple(cut))
    assert found.reasons == (
        "client-not-audited", "nothing-ok", "censored", "profile-coverage", "mid-run-stall",
    )  # fmt: skip
    assert (found.counts.cancelled_at_end, found.counts.ok) == (3, 0)
    assert found.replay is not None
    assert found.replay.censored == Censored(count=3, share=1.0, least_age_s=800.0)
    assert isinstance(found.replay.coverage, Coverage)
    assert found.replay.coverage.ttft_ratio is None
    assert found.replay.coverage.silence_s == pytest.approx(100)
    assert found.metrics["error_rate"] == Absent(
        reason="no request of the profiling phase came to an outcome"
    )
    assert found.incomplete_tokens is not None
    assert (found.incomplete_tokens.tokens, found.incomplete_tokens.chunks) == (0, 3 * 1599)
    assert found.achieved_concurrency == pytest.approx(2.7)


def test_a_lone_request() -> None:
    """Every percentile is the one value; 1100 tokens in 10 s; nothing is between completions."""
    found = summarise(POINT, (turn(0.0),))
    ttft = found.metrics["ttft"]
    assert isinstance(ttft, MetricValue)
    assert (ttft.n, ttft.mean, ttft.p50, ttft.p99, ttft.std) == (1, 0.1, 0.1, 0.1, 0)
    assert isinstance(ttft.intervals["mean"], Absent)
    total = found.metrics["total_throughput"]
    assert isinstance(total, MetricValue)
    assert total.mean == pytest.approx(1100 / 10.0)
    assert found.replay is not None
    assert isinstance(found.replay.coverage, Coverage)
    assert found.replay.coverage.completion_gap_s is None
    assert found.replay.agentx.qps is None
    assert found.reasons == ("profile-coverage",)


def test_requests_across_the_edges_of_the_profile() -> None:
    """The warmup's last request ends at 4 s, inside; that of the profile at 1007.5 s, in the grace.

    The one is no part of any figure; the other is, with all of its tokens and time: 100 turns of
    1100 tokens from 0 to 997.5 + 10 = 1007.5 s.
    """
    early = turn(-6.0, request=9_000, phase=Phase.WARMUP, prompt_tokens=10**6)
    last = turn(997.5, request=9_001)
    found = summarise(POINT, (early, *turns()[:99], last))
    assert (found.counts.issued, found.warmup_counts.issued) == (100, 1)
    total = found.metrics["total_throughput"]
    assert isinstance(total, MetricValue)
    assert total.mean == pytest.approx(100 * 1100 / 1007.5)
    assert found.replay is not None
    assert isinstance(found.replay.coverage, Coverage)
    assert found.replay.coverage.ttft_ratio == pytest.approx(0.9976)
    assert found.replay.coverage.inter_token_latency_ratio == pytest.approx(1.0075)
    assert found.reasons == ()


def test_a_cache_that_is_not_reported_is_not_an_empty_one() -> None:
    """One answer of 100 says nothing of its cached tokens; without it 900 of 1000 are cached."""
    silent = [replace(turns()[0], cached_tokens=None), *turns()[1:]]
    found = summarise(POINT, tuple(silent))
    for name in ("served_prefix_hit", "uncached_throughput", "uncached_throughput_per_gpu"):
        assert found.metrics[name] == Absent(
            reason="the server gave no count for 1 of 100 ok requests"
        )
    whole = summarise(POINT, tuple(turns())).metrics["uncached_throughput"]
    assert isinstance(whole, MetricValue)
    assert whole.mean == pytest.approx(100 * 100 / 1000.0)


def test_reasoning_is_output_once() -> None:
    """60 of the 100 tokens are reasoning: they are in `completion_tokens` and are not added."""
    plain, thought = (
        summarise(POINT, tuple(replace(one, reasoning_tokens=some) for one in turns()))
        for some in (None, 60)
    )
    assert plain == thought
    output = thought.metrics["output_throughput"]
    assert isinstance(output, MetricValue)
    assert output.mean == pytest.approx(100 * 100 / 1000.0)


def test_tokens_of_what_failed_are_told_apart() -> None:
    """5 of 100 turns broke off, each after 1000 prompt and 100 output tokens by the server's count.

    The others give 95 x 1100 tokens between 50 s, when the first of them left, and 1000 s.
    """
    failed = [replace(one, state=EndState.ERROR) for one in turns()[:5]]
    found = summarise(POINT, (*failed, *turns()[5:]))
    total = found.metrics["total_throughput"]
    assert isinstance(total, MetricValue)
    assert total.mean == pytest.approx(95 * 1100 / 950.0)
    assert found.incomplete_tokens is not None
    assert (found.incomplete_tokens.requests, found.incomplete_tokens.tokens) == (5, 500)
