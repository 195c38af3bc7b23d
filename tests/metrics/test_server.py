"""Windows over counters and gauges of metrics pages: edges, restarts, gaps, and order."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.result import Absent, MetricValue
from infx.model.scrape import Miss, Page
from scraped_pages import SGLANG, VLLM, S, computed, from_rest, page

NAME = "vllm:generation_tokens_total"


def tokens(*counts: float, start: float = 0.0, source: str = "http://a/metrics") -> list[Page]:
    """A page a second, each with one counter."""
    return [page(f"{NAME} {count}\n", start + at, source) for at, count in enumerate(counts)]


def generated(pages: list[Page | Miss], start: float, end: float) -> float | str:
    figure = computed(pages, start, end).metrics["generation_tokens"]
    return figure.mean if isinstance(figure, MetricValue) else figure.reason


def test_growth_is_between_the_pages_around_the_window() -> None:
    """Pages at 0, 1, 2, 3, 4 s; the window 1.5-2.5 s is held by those of 1 s and 3 s: 160 - 110."""
    found = computed(tokens(100, 110, 130, 160, 999), 1.5, 2.5)
    assert found.metrics["generation_tokens"] == MetricValue(unit="tok", n=1, mean=50)
    assert (found.window_s, found.pages) == (1.0, 1)
    assert (found.before_s, found.after_s) == pytest.approx((0.49, 0.5))


def test_a_page_under_way_at_an_edge_is_on_the_side_where_it_cannot_hide_tokens() -> None:
    """The page of 1 s came at 1.01 s, so it is no start for a window from 1.005 s: 130 - 100."""
    assert generated(tokens(100, 110, 130), 1.005, 1.9) == 30


@pytest.mark.parametrize(
    ("window", "says"),
    [
        ((-1, 1.5), "the window has no start: no metrics page had come by its start"),
        ((0.5, 9), "the window has no end: no metrics page was asked for after its end"),
    ],
)
def test_a_window_without_a_page_beyond_it_has_no_growth(
    window: tuple[float, float], says: str
) -> None:
    assert generated(tokens(1, 2, 3), *window) == says


def test_a_restart_turns_a_total_into_a_reason_that_holds_the_least() -> None:
    """50 up to the last page before it, then 30 anew: at least 80."""
    found = computed(tokens(100, 150, 20, 30), 0.5, 2.5)
    why = "the server's counters began anew once, so it is at least 80 tok"
    assert found.metrics["generation_tokens"] == Absent(reason=why)
    assert found.restarts == 1


def test_a_ratio_outlives_a_restart() -> None:
    """70 of 100 and, after it, 20 of 80: 90 of 180."""
    pages = [
        page(f"vllm:prefix_cache_hits_total {hits}\nvllm:prefix_cache_queries_total {of}\n", at)
        for at, (hits, of) in enumerate([(0, 0), (70, 100), (20, 80), (20, 80)])
    ]
    found = computed(pages, 0.5, 2.5)
    assert found.metrics["prefix_hit"] == MetricValue(unit="share", n=180, mean=0.5)
    assert found.restarts == 1


def test_a_series_that_appears_within_the_window_began_at_nothing() -> None:
    """SGLang shows cached tokens from the first hit on."""
    first = "sglang:cached_tokens_total"
    without = "\n".join(line for line in SGLANG.split("\n") if not line.startswith(first))
    pages = [page(without, 0.5), page(without, 1.5), page(SGLANG, 2.5), page(SGLANG, 3.5)]
    found = computed(pages)
    # Nothing else grew: the server was not at rest on the first page.
    assert found.metrics["prefix_hit"] == Absent(
        reason="the server counted none of it in the window"
    )
    pages[0] = page(without.replace("800", "300"), 0.5)
    assert computed(pages).metrics["prefix_hit"] == MetricValue(unit="share", n=500, mean=0.8)


def test_gauges_are_told_second_by_second_over_all_sources() -> None:
    """Sums of 1 + 10 and 3 + 20; the third second lacks a page of one of them, so it is left out.

    Usage 80 and 0.9: one value above 1.5 makes the whole gauge percent.
    """
    text = "vllm:num_requests_running {}\nvllm:kv_cache_usage_perc {}\n"
    pages = [
        page(text.format(running, usage), at, source)
        for source, at, running, usage in (
            ("http://a", 0.2, 1, 80),
            ("http://b", 0.3, 10, 0.9),
            ("http://a", 1.2, 3, 40),
            ("http://b", 1.3, 20, 0.9),
            ("http://a", 2.2, 99, 99),
        )
    ]
    found = computed(pages, 0, 3)
    running = found.metrics["running"]
    assert isinstance(running, MetricValue)
    assert (running.n, running.mean, running.p50) == (2, 17, 17)
    assert found.metrics["kv_usage_peak"] == MetricValue(unit="share", n=2, mean=0.8)
    alone = found.by_source["http://b"]["running"]
    assert isinstance(alone, MetricValue)
    assert alone.mean == 15


@pytest.mark.parametrize(("stated", "share"), [(1.0, 1.0), (1.5, 1.5), (1.6, 0.016), (64, 0.64)])
def test_a_usage_above_one_and_a_half_is_percent(stated: float, share: float) -> None:
    found = computed([page(f"vllm:kv_cache_usage_perc {stated}\n", at) for at in (0.5, 1.5, 2.5)])
    assert found.metrics["kv_usage_peak"].mean == pytest.approx(share)  # type: ignore[union-attr]


def test_hit_rates_of_several_engines_are_averaged() -> None:
    """Two servers that state 0.2 and 0.6 and count nothing: 0.4."""
    text = "sglang:num_running_reqs 1\nsglang:cache_hit_rate {}\n"
    pages = [
        page(text.format(rate), at + 0.1 * n, f"http://{n}")
        for at in (0, 1, 2)
        for n, rate in enumerate((0.2, 0.6))
    ]
    assert computed(pages).metrics["prefix_hit"].mean == pytest.approx(0.4)  # type: ignore[union-attr]


def test_misses_are_counted_by_reason_and_only_within_the_window() -> None:
    missed = [
        Miss("http://a/metrics", at * S, at * S + 5, reason)
        for at, reason in ((1, "reset"), (4, "timed-out"), (5, "timed-out"), (9, "reset"))
    ]
    pages = sorted([*tokens(*range(9)), *missed], key=lambda one: one.sent_ns)
    found = computed(pages, 2.5, 7.5)
    assert found.missed == {"timed-out": 2}
    assert found.metrics["generation_tokens"] == MetricValue(unit="tok", n=5, mean=6)


def test_without_a_page_in_the_window_a_gauge_has_no_figure() -> None:
    found = computed([page(VLLM, 0), page(VLLM, 9)], 2, 3)
    assert found.metrics["running"] == Absent(reason="no metrics page was read within the window")


def test_an_engine_that_has_not_drafted_has_no_acceptance_length() -> None:
    idle = "sglang:num_running_reqs 1\nsglang:spec_accept_length 0.0\n"
    found = computed(from_rest(idle))
    why = "the server drafted nothing in the window"
    assert found.metrics["acceptance_length"] == Absent(reason=why)
    busy = [page(idle.replace("0.0", "2.5"), at) for at in (0.5, 1.5, 2.5, 3.5)]
    length = computed(busy).metrics["acceptance_length"]
    assert isinstance(length, MetricValue)
    assert (length.n, length.mean) == (2, 2.5)


def test_no_number_is_no_figure() -> None:
    found = computed(from_rest("vllm:kv_cache_usage_perc NaN\nvllm:num_requests_running +Inf\n"))
    assert isinstance(found.metrics["kv_usage"], Absent)
    assert isinstance(found.metrics["running"], Absent)


@given(st.randoms(use_true_random=False), st.sampled_from([VLLM, SGLANG]))
def test_the_order_of_series_and_of_sources_does_not_matter(
    chance: random.Random, text: str
) -> None:
    pages = from_rest(text, text)
    expected = computed(pages)
    shuffled = []
    for one in pages:
        lines = one.text.splitlines(keepends=True)
        chance.shuffle(lines)
        shuffled.append(Page(one.source, one.sent_ns, one.received_ns, "".join(lines)))
    chance.shuffle(shuffled)
    shuffled.sort(key=lambda one: one.sent_ns)
    assert computed(shuffled) == expected


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=20),
    st.sets(st.integers(1, 19), max_size=3),
)
def test_what_grew_between_two_pages_is_counted_once_whatever_restarts(
    steps: list[int], restarts: set[int]
) -> None:
    """A counter that is set back to 0 loses only what it had not shown on a page yet."""
    count, shown, grown = 0, [0], 0
    for place, step in enumerate(steps, 1):
        fell = place in restarts and step < count
        count = step if fell else count + step
        grown += step
        shown.append(count)
    found = computed(tokens(*shown, start=0), 0.5, len(steps) - 0.5)
    figure = found.metrics["generation_tokens"]
    if isinstance(figure, MetricValue):
        assert (figure.mean, found.restarts) == (grown, 0)
    else:
        assert found.restarts > 0
        assert figure.reason.endswith(f"at least {grown} tok")
