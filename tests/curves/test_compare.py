"""Four words, and a difference is only named when chance does not make it."""

import math
from dataclasses import replace
from heapq import heappop, heappush
from random import Random

import pytest

from compared import KNOWN, found, metric, pair, point, summary
from handmade import measured, record
from infx.curves.compare import Found, compare
from infx.curves.matching import Pair
from infx.metrics.ratio_errors import ratio_errors
from infx.metrics.summary import compute_metrics
from infx.model.comparison import MetricComparison
from infx.model.measured import Measured
from infx.model.result import Absent, ClientAudit, Interval
from infx.model.workload import Arrival, FixedWorkload
from infx.stats.log_error import LogError


def judged(given: Found, name: str = "tpot", statistic: str = "p50") -> MetricComparison:
    (told,) = compare(("A", "B"), [(pair(), given)]).points
    assert told.reason is None
    return next(m for m in told.metrics if (m.metric, m.statistic) == (name, statistic))


def words(comparison) -> set[str]:
    return {one.word for told in comparison.points for one in told.metrics if one.p is not None}


@pytest.mark.parametrize(
    ("name", "b", "word"),
    [
        ("tpot", 1.1, "worse"),
        ("tpot", 0.9, "better"),
        ("output_throughput", 1.1, "better"),
        ("output_throughput", 0.9, "worse"),
        ("tpot", 1.018, "no detectable difference"),
        ("output_throughput", 1.0, "no detectable difference"),
    ],
)
def test_the_word_follows_the_direction_of_the_metric(name, b, word):
    statistic = "mean" if name == "output_throughput" else "p50"
    told = judged(found(1.0, b, name=name), name, statistic)
    assert (told.word, told.ratio) == (word, pytest.approx(b))
    assert (told.a, told.b, told.reason) == (1.0, pytest.approx(b), None)


def test_the_ratio_lies_within_its_error():
    told = judged(found(1.0, 1.1, se=0.05))
    assert isinstance(told.interval, Interval)
    assert told.interval.low == pytest.approx(1.1 * math.exp(-1.96 * 0.05), rel=1e-3)
    assert told.interval.high == pytest.approx(1.1 * math.exp(1.96 * 0.05), rel=1e-3)
    assert (told.interval.method, told.interval.units) == ("lanes", 16)
    assert told.word == "no detectable difference"


def test_few_units_are_trusted_less():
    wide, narrow = (judged(found(1.0, 1.1, df=df)).interval for df in (9, 500))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_without_repetitions_a_small_difference_is_not_named_however_sure():
    assert judged(found(1.0, 1.019, se=0.0001)).word == "no detectable difference"
    told = judged(found(1.0, 1.021, se=0.0001))
    assert (told.word, told.least) == ("worse", 0.02)
    assert told.noise == Absent(reason="no repetitions")


def test_half_a_millisecond_of_a_read_is_not_named_either():
    assert judged(found(0.0010, 0.0014, name="ttft"), "ttft").word == "no detectable difference"
    told = judged(found(0.0010, 0.0016, name="ttft"), "ttft")
    assert (told.word, told.least) == ("worse", 0.0005)
    assert judged(found(0.0010, 0.0014)).word == "worse"  # many reads make a TPOT


def test_what_the_client_may_have_done_is_not_named():
    """Three repetitions are sure of 2 ms, and the client's audit says that it may be off by 3."""
    given = found((0.0100,) * 3, (0.0120,) * 3, name="ttft")
    assert judged(given, "ttft").word == "worse"
    audit = ClientAudit(ttft_bias_mean=0.003, ttft_bias_p99=0.004, send_lag_p99=0.0)
    late = tuple(one.model_copy(update={"client": audit}) for one in given.b)
    told = judged(replace(given, b=late), "ttft")
    assert (told.word, told.least) == ("no detectable difference", 0.003)
    assert judged(replace(given, b=late), "ttft", "p90").least == 0.004


def test_a_difference_must_exceed_the_noise_of_repetitions_too():
    """Lanes are sure of 5 %, and repetitions differ by as much among themselves."""
    told = judged(found((1.0, 1.05, 0.95), (1.05, 1.1, 1.0)))
    assert told.word == "no detectable difference"
    # Pooled logarithms have the std .05; the root of 2/3 of it, times 2.78 at 4 degrees of freedom.
    assert told.noise == pytest.approx(math.expm1(2.78 * 0.05 * (2 / 3) ** 0.5), rel=0.03)
    steady = (1.0, 1.001, 0.999), (1.01, 1.011, 1.009)
    assert judged(found(*steady)).word == "no detectable difference"  # lanes are 1 % unsure
    # 1 % is below what is named where the noise is not known; here it is.
    assert judged(found(*steady, se=0.001)).word == "worse"


def test_with_too_few_lanes_repetitions_decide_alone():
    told = judged(found((1.0, 1.01, 0.99), (1.1, 1.11, 1.09), se=None))
    assert told.word == "worse"
    assert isinstance(told.interval, Interval)
    assert (told.interval.method, told.interval.units) == ("repetitions", 6)
    assert told.interval.low < 1.1 < told.interval.high


def test_with_neither_lanes_nor_repetitions_nothing_is_said():
    told = judged(found(1.0, 9.0, se=None))
    assert (told.word, told.reason) == ("not comparable", "4 lanes")
    assert (told.p, told.interval) == (None, Absent(reason="4 lanes"))
    assert told.ratio == pytest.approx(9.0)


def test_a_figure_that_one_side_lacks_is_not_comparable():
    lacking = (summary({"tpot": Absent(reason="no usage")}),)
    given = replace(found(1.0, 1.0), b=lacking)
    told = judged(given)
    assert (told.word, told.reason) == ("not comparable", "B: no usage")
    assert (told.a, told.b, told.ratio) == (1.0, None, None)
    assert judged(replace(given, a=lacking)).reason == "A: no usage; B: no usage"


def test_a_figure_that_is_not_positive_has_no_ratio():
    assert judged(found(1.0, 0.0)).reason == "B: its p50 is 0.0, which has no ratio"


def test_what_belongs_to_open_loops_and_targets_stands_only_where_it_is():
    (told,) = compare(("A", "B"), [(pair(), found(1.0, 1.0))]).points
    names = [(m.metric, m.statistic) for m in told.metrics]
    assert names == [
        ("ttft", "p50"), ("ttft", "p90"), ("tpot", "p50"), ("tpot", "p90"), ("e2el", "p50"),
        ("output_throughput", "mean"), ("total_throughput", "mean"),
    ]  # fmt: skip
    (told,) = compare(("A", "B"), [(pair(), found(2.0, 2.0, name="goodput"))]).points
    assert told.metrics[-1].metric == "goodput"
    assert told.metrics[-1].word == "no detectable difference"


def test_goodput_at_other_targets_is_other_goodput():
    differing = pair(point(slo={"ttft": 1.0}), point(slo={"ttft": 2.0}))
    (told,) = compare(("A", "B"), [(differing, found(2.0, 1.0, name="goodput"))]).points
    assert (told.metrics[-1].word, told.metrics[-1].reason) == (
        "not comparable",
        "the latency targets differ",
    )


def test_a_point_that_is_spoiled_on_one_side_is_not_comparable():
    short = ("output-shortfall", "client-lag")
    (told,) = compare(("A", "B"), [(pair(), found(1.0, 1.0, reasons=((), short)))]).points
    assert (told.reason, told.metrics) == ("B has output-shortfall", ())
    assert told.notes == ("B is not certified: client-lag, output-shortfall",)
    (told,) = compare(("A", "B"), [(pair(), found(1.0, 1.0, reasons=(short, short)))]).points
    assert told.reason is None


def test_what_the_client_says_of_itself_is_a_note():
    given = found(1.0, 1.0, reasons=(("client-lag",), ()))
    (told,) = compare(("A", "B"), [(pair(), given)]).points
    assert told.reason is None
    assert told.notes == ("A is not certified: client-lag",)


def test_a_refused_pair_keeps_its_reason_and_is_counted():
    refused = Pair((point(),), (), "B has no point at concurrency 16")
    told = compare(("A", "B"), [(refused, None), (pair(), found(1.0, 2.0))])
    assert told.points[0].reason == "B has no point at concurrency 16"
    assert (told.points[0].a, told.points[0].b) == ((point().point_id,), ())
    assert told.count("worse") == 2  # p50 and p90
    assert told.count("not comparable") == 1 + 5
    assert told.count("better") == 0


def test_many_comparisons_ask_for_more():
    """A difference that alone would be named at p = 2 % is none among forty that show nothing."""
    alone = [(pair(), found(1.0, 1.07, se=0.03))]
    assert words(compare(("A", "B"), alone)) == {"worse"}
    nothing = [(pair(), found(1.0, 1.0))] * 20
    assert words(compare(("A", "B"), [*alone, *nothing])) == {"no detectable difference"}


@pytest.mark.parametrize("repetitions", [1, 3])
def test_equal_servers_are_called_equal(repetitions):
    """A/A over 500 comparisons of two points with 7 figures: at most 8 % of them name anything.

    The chance of each figure is 7 % of its size, far above the 2 % below which none is named; the
    errors are estimated, as unsure as 15 degrees of freedom are.
    """
    chance = Random(1)
    named = sum(
        words(compare(("A", "B"), [(pair(), _drawn(chance, repetitions)) for _ in range(2)]))
        != {"no detectable difference"}
        for _ in range(500)
    )
    assert named / 500 <= 0.08


def _drawn(chance: Random, repetitions: int) -> Found:
    """Draw a figure a repetition from equal servers, and estimates of the true error of a ratio."""
    names, se, df = ("ttft", "tpot", "e2el", "output_throughput", "total_throughput"), 0.07, 15
    single = se * (repetitions / 2) ** 0.5
    a, b = (
        tuple(
            summary({name: metric(name, chance.lognormvariate(0, single)) for name in names})
            for _ in range(repetitions)
        )
        for _ in "ab"
    )
    errors = {}
    for name in names:
        for statistic in ("mean", "p50", "p90"):
            squares = sum(chance.gauss() ** 2 for _ in range(df))
            errors[name, statistic] = LogError(se * math.sqrt(squares / df), df, "lanes", 16)
    return Found(a, b, errors)


def _run(chance: Random, slow: float = 1.0) -> Measured:
    """Measure a closed loop: 16 lanes, each with a speed of its own, share 160 requests."""
    lanes = [(0.0, lane) for lane in range(16)]
    own = [slow * chance.lognormvariate(0, 0.03) for _ in lanes]
    records = []
    for number in range(160):
        sent, lane = heappop(lanes)
        first = sent + chance.lognormvariate(-3, 0.2)
        gap = 0.01 * own[lane] * chance.lognormvariate(0, 0.05)
        records.append(
            record(
                lane=lane,
                request=number,
                session=number,
                sent=sent,
                first=first,
                gaps=(gap,) * 15,
                prompt_tokens=64,
                completion_tokens=16,
            )
        )
        heappush(lanes, (first + 15 * gap + 1e-6, lane))
    return measured(*records)


def _both(a: Measured, b: Measured) -> Found:
    summaries = [(summary(compute_metrics(side)),) for side in (a, b)]
    return Found(*summaries, ratio_errors([a], [b], key="k"))


def test_from_requests_to_words():
    """30 comparisons of equal servers name at most two, 5 of a 10 % slower decode name TPOT."""
    chance = Random(2)
    equal = [compare(("A", "B"), [(pair(), _both(_run(chance), _run(chance)))]) for _ in range(30)]
    assert sum(words(one) != {"no detectable difference"} for one in equal) <= 2
    for _ in range(5):
        told = judged(_both(_run(chance), _run(chance, slow=1.1)))
        assert told.word == "worse"
        assert told.interval.low < 1.1 < told.interval.high


def test_the_rate_of_an_open_loop_stands_beside_the_bound():
    work = FixedWorkload(isl=64, osl=16, arrival=Arrival(rate=2.5), requests=9)
    open_loop = point(recipe=KNOWN, workload=work)
    (told,) = compare(("A", "B"), [(pair(open_loop, open_loop), found(1.0, 1.0))]).points
    assert (told.concurrency, told.rate) == (16, 2.5)
