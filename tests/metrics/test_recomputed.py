"""Every statistic computed a second time, in a few lines of numpy, over journals that are drawn.

Nothing of the metrics' own code is used here: formulas are those of the reference page, sections
4.1 and 4.2. Times are drawn in milliseconds and told in seconds, tokens are the server's counts.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handmade import NS, measured
from infx.metrics.agentx import request_metrics
from infx.metrics.counts import counts, incomplete_tokens
from infx.metrics.replay import censored
from infx.metrics.summary import compute_metrics
from infx.model.agentx import Spread
from infx.model.measured import Measured, Replayed
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent, Metric, MetricValue

MS = NS // 1000
NEAR = pytest.approx


@st.composite
def journals(draw: st.DrawFn) -> list[RequestRecord]:
    """Draw requests of both phases and all six ends, with and without content and counts."""
    optional = st.one_of(st.none(), st.integers(1, 40))
    found = []
    for number in range(draw(st.integers(0, 12))):
        sent = draw(st.integers(1, 4000))
        first = draw(st.one_of(st.none(), st.integers(0, 900)))
        gaps = draw(st.lists(st.integers(0, 300), max_size=4)) if first is not None else []
        last = sent + (first or 0) + sum(gaps)
        output = draw(optional)
        prompt = draw(st.one_of(st.none(), st.integers(50, 400)))
        state = draw(st.sampled_from([EndState.OK] * 5 + list(EndState)))
        found.append(
            RequestRecord(
                request=number, session=0, turn=number, lane=draw(st.integers(0, 2)),
                phase=draw(st.sampled_from([Phase.PROFILING] * 3 + [Phase.WARMUP])),
                state=state, due_ns=sent * MS, sent_ns=sent * MS,
                end_ns=None if state is EndState.LOST else (last + draw(st.integers(0, 50))) * MS,
                asked_input=draw(st.one_of(st.none(), st.integers(50, 400))),
                asked_output=draw(st.integers(1, 40)),
                first_content_ns=None if first is None else (sent + first) * MS,
                gaps_ns=tuple(gap * MS for gap in gaps),
                prompt_tokens=prompt,
                completion_tokens=output,
                reasoning_tokens=draw(st.one_of(st.none(), st.integers(0, output or 0))),
                cached_tokens=draw(st.one_of(st.none(), st.integers(0, prompt or 0))),
                first_chunk_tokens=draw(st.one_of(st.none(), st.integers(1, output or 1))),
            )
        )  # fmt: skip
    return found


def kept(records: Sequence[RequestRecord]) -> list[RequestRecord]:
    return [one for one in records if one.phase == "profiling" and one.state == "ok"]


def seconds(values: Sequence[int]) -> list[float]:
    return [value / 1e9 for value in values]


def ttft(records: Sequence[RequestRecord]) -> list[float]:
    return seconds([r.first_content_ns - r.sent_ns for r in records if r.first_content_ns])


def e2el(records: Sequence[RequestRecord]) -> list[float]:
    return seconds(
        [r.first_content_ns + sum(r.gaps_ns) - r.sent_ns for r in records if r.first_content_ns]
    )


def a_token(records: Sequence[RequestRecord], first: Callable[[RequestRecord], int]) -> list[float]:
    """(E2EL - TTFT) / (OSL - tokens that are taken for the first chunk's), where both are known."""
    return [
        sum(r.gaps_ns) / 1e9 / (r.completion_tokens - first(r))
        for r in records
        if r.first_content_ns and sum(r.gaps_ns) and (r.completion_tokens or 0) > first(r)
    ]


def one(_: RequestRecord) -> int:
    return 1


def of_first_chunk(record: RequestRecord) -> int:
    return record.first_chunk_tokens or 1


def e2el_a_token(records: Sequence[RequestRecord]) -> list[float]:
    known = [r for r in records if r.first_content_ns and r.completion_tokens]
    times = [(r.first_content_ns + sum(r.gaps_ns) - r.sent_ns) / 1e9 for r in known]
    return [t / r.completion_tokens for t, r in zip(times, known, strict=True) if t]


def window(records: Sequence[RequestRecord]) -> float:
    """From the first send to the last content, or the end of what delivered none."""
    ends = [
        r.first_content_ns + sum(r.gaps_ns) if r.first_content_ns is not None else r.end_ns
        for r in records
    ]
    return (max(ends) - min(r.sent_ns for r in records)) / 1e9


def is_distribution(found: Metric, values: list[float], unit: str, *, speed: bool = False) -> None:
    if not values:
        assert isinstance(found, Absent)
        return
    assert isinstance(found, MetricValue)
    assert (found.n, found.unit) == (len(values), unit)
    percents = {f"p{p}": np.percentile(values, p) for p in (50, 75, 90, 95, 99)}
    mean, std = np.mean(values), np.std(values)
    if speed:
        percents = {name: 1 / value for name, value in percents.items()}
        mean, std = 1 / mean, np.std(1 / np.array(values))
    assert found.mean == NEAR(mean)
    assert found.std == NEAR(std, abs=1e-9)
    assert {name: getattr(found, name) for name in percents} == NEAR(percents)


@given(journals())
def test_distributions_are_numpys(records: list[RequestRecord]) -> None:
    found, ok = compute_metrics(measured(*records)), kept(records)
    is_distribution(found["ttft"], ttft(ok), "s")
    is_distribution(found["e2el"], e2el(ok), "s")
    is_distribution(found["tpot"], a_token(ok, one), "s")
    is_distribution(found["itl"], a_token(ok, of_first_chunk), "s")
    is_distribution(found["interactivity"], a_token(ok, of_first_chunk), "tok/s/user", speed=True)
    is_distribution(found["e2e_interactivity"], e2el_a_token(ok), "tok/s/user", speed=True)
    gaps = seconds([gap for r in ok for gap in r.gaps_ns])
    is_distribution(found["chunk_gap"], gaps, "s")


@given(journals())
def test_rates_are_sums_over_the_window(records: list[RequestRecord]) -> None:
    found, ok = compute_metrics(measured(*records, gpus=4, replay=Replayed())), kept(records)
    parts = {
        "input_throughput": [r.prompt_tokens for r in ok],
        "output_throughput": [r.completion_tokens for r in ok],
        "total_throughput": [plus(r.prompt_tokens, r.completion_tokens) for r in ok],
        "uncached_throughput": [less(r.prompt_tokens, r.cached_tokens) for r in ok],
        "request_rate": [1 for _ in ok],
    }
    for name, each in parts.items():
        metric = found[name]
        if not ok or None in each or not window(ok):
            assert isinstance(metric, Absent)
            continue
        assert isinstance(metric, MetricValue)
        assert metric.mean == NEAR(sum(each) / window(ok))
        assert found[f"{name}_per_gpu"].mean == NEAR(metric.mean / 4)
    cached = [(r.cached_tokens, r.prompt_tokens) for r in ok]
    hit = found["served_prefix_hit"]
    if not ok or any(None in pair for pair in cached):
        assert isinstance(hit, Absent)
    else:
        assert hit.mean == NEAR(sum(c for c, _ in cached) / sum(p for _, p in cached))


def plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def less(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


@given(journals())
def test_agentx_is_numpys_without_times_of_zero(records: list[RequestRecord]) -> None:
    found, ok = request_metrics(measured(*records, gpus=4)), kept(records)
    of = found.latency
    times = {
        "ttft": ttft(ok), "e2el": e2el(ok), "itl": a_token(ok, of_first_chunk),
        "tpot": a_token(ok, of_first_chunk), "full_response_itl": a_token(ok, one),
    }  # fmt: skip
    for name, values in times.items():
        is_spread(getattr(of, name), [value for value in values if value > 0])
    is_spread(of.intvty, times["itl"], speed=True)
    is_spread(of.full_response_intvty, times["full_response_itl"], speed=True)
    is_spread(of.e2e_norm_intvty, e2el_a_token(ok), speed=True)
    is_spread(found.tokens.input, [r.prompt_tokens for r in ok if r.prompt_tokens is not None])
    outputs = [r.completion_tokens for r in ok if r.completion_tokens is not None]
    is_spread(found.tokens.output_actual, outputs)
    told = found.throughput
    if not ok or None in [plus(r.prompt_tokens, r.completion_tokens) for r in ok] or not window(ok):
        assert told is None
        return
    assert told is not None
    sums = sum(r.prompt_tokens for r in ok), sum(r.completion_tokens for r in ok)
    assert (told.input, told.output) == NEAR(tuple(one / window(ok) for one in sums))
    assert told.total == NEAR(sum(sums) / told.duration_seconds)


def is_spread(found: Spread | None, values: Sequence[float], *, speed: bool = False) -> None:
    if not values:
        assert found is None
        return
    assert found is not None
    names = {"p50": 50, "p75": 75, "p90": 90, "p95": 95}
    told = {name: np.percentile(values, p) for name, p in names.items()} | {"mean": np.mean(values)}
    std = np.std(values)
    if speed:
        told, std = {name: 1 / one for name, one in told.items()}, np.std(1 / np.array(values))
    assert found.model_dump() == NEAR({**told, "std": std}, abs=1e-9)


@given(journals())
def test_completions_a_second_are_a_histogram(records: list[RequestRecord]) -> None:
    """Whole windows from the first completion on; of a span below one, the mean alone."""
    found, ok = request_metrics(measured(*records)).qps, kept(records)
    ends = sorted(
        (r.first_content_ns + sum(r.gaps_ns) if r.first_content_ns is not None else r.end_ns) // MS
        for r in ok
    )
    if not ends or ends[-1] == ends[0]:
        assert found is None
        return
    assert found is not None
    windows = (ends[-1] - ends[0]) // 1000
    per = [sum(0 <= end - ends[0] - 1000 * n < 1000 for end in ends) for n in range(windows)]
    assert found.samples == windows
    assert found.mean == NEAR(np.mean(per) if per else 1000 * len(ends) / (ends[-1] - ends[0]))
    assert found.p90 == (NEAR(np.percentile(per, 90)) if per else None)


@given(journals())
def test_what_did_not_end_ok_is_counted_and_enters_no_figure(records: list[RequestRecord]) -> None:
    profiled = [r for r in records if r.phase == "profiling"]
    told = counts(records, Phase.PROFILING)
    assert told.issued == len(profiled) == sum(getattr(told, state.value) for state in EndState)
    others = [r for r in profiled if r.state != "ok"]
    lost = incomplete_tokens(records)
    assert lost.requests == len(others)
    assert lost.tokens == sum(r.completion_tokens or 0 for r in others)
    assert lost.chunks == sum(
        1 + len(r.gaps_ns)
        for r in others
        if r.completion_tokens is None and r.first_content_ns is not None
    )
    cut = [r for r in profiled if r.state in ("cancelled_at_end", "lost")]
    found = censored(Measured(tuple(records)))
    if not profiled:
        assert found is None
    else:
        assert found is not None
        assert (found.count, found.share) == (len(cut), len(cut) / len(profiled))
    assert compute_metrics(measured(*records)) == compute_metrics(measured(*kept(records))) | {
        name: compute_metrics(measured(*records))[name] for name in ("error_rate",)
    }
