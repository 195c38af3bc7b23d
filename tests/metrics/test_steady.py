"""T18: the ramp and the drain of a closed loop do not enter its steady state."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import measured, record
from infx.metrics.steady import steady
from infx.metrics.summary import compute_metrics
from infx.model.measured import Replayed
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent, MetricValue, Steady


def lane(number: int, start: float, count: int, each: float = 1.0) -> list[RequestRecord]:
    """Requests of four tokens, one after the other, with content at 1/4, 2/4, 3/4 and their end."""
    return [
        record(
            lane=number,
            request=100 * number + place,
            sent=start + each * place,
            first=start + each * (place + 0.25),
            gaps=(each / 4,) * 3,
            prompt_tokens=10,
            completion_tokens=4,
        )
        for place in range(count)
    ]


def figure(found: Steady, name: str) -> MetricValue:
    metric = found.metrics[name]
    assert isinstance(metric, MetricValue)
    return metric


def test_a_ramp_and_a_drain_by_hand() -> None:
    """Ten lanes start half a second apart and end together, except one that goes on alone."""
    lanes = [lane(n, 0.5 * n, 10 - n // 2) for n in range(9)]
    # Lane 8 starts at 4 s: from then on nine of ten are in flight, and they are at their peak.
    records = [r for one in lanes for r in one] + lane(9, 0.25, 20)
    found = steady(measured(*records))
    assert isinstance(found, Steady)
    # Even lanes end at 10 s; lanes 1, 3, 5, 7 start at .5 s and take one request less: 9.5 .. 10.5
    # Lane n ends at n/2 + 10 - n//2: 10 for even n, 10.5 for odd n. At 10 s five lanes are gone.
    assert (found.peak, found.share) == (10, 0.9)
    assert (found.start_s, found.end_s) == (3.5, 10.0)
    assert figure(found, "ttft").mean == pytest.approx(0.25)
    assert figure(found, "tpot").p50 == pytest.approx(0.25)
    assert figure(found, "e2el").p99 == pytest.approx(1.0)
    # Wholly inside 3.5 .. 10: lanes 0, 2, 4, 6 from 4 s (6 each), lane 8 (6), lanes 1, 3, 5, 7 from
    # 3.5 s and until 9.5 s (6 each), lane 9 from 4.25 s and until 9.25 s (5).
    assert found.n == 9 * 6 + 5


def test_throughput_counts_what_came_inside_by_its_own_time() -> None:
    """Ten lanes that begin together: the window is their whole time, and the lone tail is not."""
    records = [r for n in range(10) for r in lane(n, 0.0, 4)] + lane(10, 0.0, 8)
    found = steady(measured(*records), share=1.0)
    assert isinstance(found, Steady)
    assert (found.peak, found.start_s, found.end_s) == (11, 0.0, 4.0)
    assert figure(found, "output_throughput").mean == pytest.approx(11 * 4)
    assert figure(found, "total_throughput").mean == pytest.approx(11 * 14)
    assert figure(found, "request_rate").mean == pytest.approx(11)
    # Over the whole time the lone tail halves it.
    whole = compute_metrics(measured(*records))["output_throughput"]
    assert isinstance(whole, MetricValue)
    assert whole.mean == pytest.approx((10 * 16 + 32) / 8)


def test_a_request_on_the_edge_counts_by_its_part() -> None:
    """Lane 10 is half a second late: it has two of four tokens when the others end at 4 s."""
    records = [r for n in range(10) for r in lane(n, 0.0, 4)] + lane(10, 0.5, 4)
    found = steady(measured(*records), share=1.0)
    assert isinstance(found, Steady)
    assert (found.start_s, found.end_s) == (0.5, 4.0)
    # Inside 0.5 .. 4: of each early lane 2 of the first request's tokens and 3 x 4 more, of the
    # late lane 3 x 4 + 2. The early prompts of the first request came at 0.25, before the window.
    assert figure(found, "output_throughput").mean == pytest.approx((10 * 14 + 14) / 3.5)
    assert figure(found, "total_throughput").mean == pytest.approx((154 + 10 * (30 + 4)) / 3.5)
    assert figure(found, "request_rate").mean == pytest.approx((40 + 3) / 3.5)


def test_failed_and_lost_requests_hold_their_place() -> None:
    good = [r for n in range(9) for r in lane(n, 0.0, 4)]
    lost = record(lane=9, sent=0.0, state=EndState.LOST)
    failed = record(lane=10, sent=0.0, end=2.0, state=EndState.ERROR)
    found = steady(measured(*good, lost, failed))
    assert isinstance(found, Steady)
    # Eleven in flight until 2 s; nine of ten after, which is below 0.9 x 11 = 9.9, so ten needed.
    assert (found.peak, found.end_s) == (11, 4.0)
    assert steady(measured(*good, failed), share=1.0).end_s == 2.0  # type: ignore[union-attr]


def test_warmup_is_no_load_of_the_profiling_phase() -> None:
    warm = [record(phase=Phase.WARMUP, sent=0.0, first=1.0) for _ in range(50)]
    found = steady(measured(*warm, *lane(0, 1.0, 10)))
    assert isinstance(found, Steady)
    assert (found.peak, found.start_s, found.end_s, found.n) == (1, 0.0, 10.0, 10)


def test_a_replay_is_steady_while_its_sessions_live() -> None:
    """Ten lanes whose sessions think: requests in flight vary, live sessions do not.

    Lanes ask at 0 .. 20 s, one second in two, and lane 9 goes on alone to 60 s. Nothing is issued
    from 40 s on, so up to then every lane has a live session, and the grace is left out.
    """
    pausing = [
        [record(lane=n, sent=2.0 * k, first=2.0 * k + 0.5, gaps=(0.5,), prompt_tokens=1,
                completion_tokens=2) for k in range(10)]
        for n in range(9)
    ]  # fmt: skip
    alone = [
        record(lane=9, sent=2.0 * k, first=2.0 * k + 0.5, gaps=(0.5,), prompt_tokens=1,
               completion_tokens=2) for k in range(30)
    ]  # fmt: skip
    records = [r for one in (*pausing, alone) for r in one]
    replay = Replayed(profiling=(0, 60 * 10**9), duration_ns=40 * 10**9)
    found = steady(measured(*records, replay=replay))
    assert isinstance(found, Steady)
    assert (found.peak, found.start_s, found.end_s) == (10, 0.0, 40.0)
    assert found.n == 9 * 10 + 20
    assert figure(found, "request_rate").mean == pytest.approx(110 / 40)
    # Without a stated end a lane's session lives to its last answer: nine of them to 19 s.
    told = steady(measured(*records, replay=Replayed()))
    assert isinstance(told, Steady)
    assert (told.start_s, told.end_s) == (0.0, 19.0)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (measured(), "no request of the profiling phase was in flight"),
        (measured(record(sent=1.0, end=1.0)), "no request of the profiling phase was in flight"),
        (
            measured(*lane(0, 0.0, 9)),
            "9 ok requests lie wholly inside the window; 10 are needed",
        ),
        (measured(*lane(0, 0.0, 20), open_loop=True), "an open loop holds no concurrency"),
    ],
    ids=["nothing", "no time", "too few", "open loop"],
)
def test_absent_with_a_reason(given: object, reason: str) -> None:
    assert steady(given) == Absent(reason=reason)  # type: ignore[arg-type]


def test_one_request_without_usage_leaves_no_throughput() -> None:
    holed = record(lane=0, sent=0.0, first=0.5)
    found = steady(measured(*lane(0, 1.0, 10), holed))
    assert isinstance(found, Steady)
    reason = "the server gave no count for 1 of 11 ok requests"
    assert found.metrics["output_throughput"] == Absent(reason=reason)
    assert found.metrics["total_throughput"] == Absent(reason=reason)
    assert isinstance(found.metrics["request_rate"], MetricValue)


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(1, 12), st.sampled_from([0.25, 0.5, 1.0, 2.0])),
        min_size=1,
        max_size=6,
    ),
    st.randoms(),
)
def test_it_lies_within_the_point_and_order_does_not_matter(
    lanes: list[tuple[int, int, float]], chance: Random
) -> None:
    records = [
        r for n, (start, count, each) in enumerate(lanes) for r in lane(n, start / 4, count, each)
    ]
    found = steady(measured(*records))
    shuffled = list(records)
    chance.shuffle(shuffled)
    assert steady(measured(*shuffled)) == found
    if isinstance(found, Steady):
        assert 0 <= found.start_s < found.end_s
        assert 10 <= found.n <= len(records)
        assert 1 <= found.peak <= len(lanes)
