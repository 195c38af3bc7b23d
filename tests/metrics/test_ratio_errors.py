"""What chance may have done to a ratio: the same requests on both sides, and each side's lanes."""

from random import Random

import pytest

from handmade import measured, record
from infx.metrics.ratio_errors import ratio_errors
from infx.model.measured import Measured, Replayed
from infx.model.record import Slo
from infx.model.result import Absent
from infx.stats.log_error import LogError

FEW = "8 lanes over no repetitions; 10 are needed, from lanes or repetitions"


def side(
    lanes: int,
    count: int,
    *,
    common: float = 0.0,
    own: float = 0.0,
    seed: int = 0,
    slow: float = 1.0,
    open_loop: bool = False,
    replay: Replayed | None = None,
) -> Measured:
    """Lanes that take turns: request k of a run is equal in both, but for chance of its own."""
    shared, chance = Random(99), Random(seed)
    made, sent = [], [0.0] * lanes
    for place in range(count):
        for number in range(lanes):
            session = place * lanes + number if replay is None else 0
            each = slow * shared.lognormvariate(0, common) * chance.lognormvariate(0, own)
            made.append(
                record(
                    lane=number,
                    request=place * lanes + number,
                    session=session,
                    play=0 if replay is None else place,
                    sent=sent[number],
                    first=sent[number] + 0.2 * each,
                    gaps=(0.2 * each,) * 4,
                    prompt_tokens=10,
                    completion_tokens=5,
                )
            )
            sent[number] += each + 0.001
    return measured(*made, slo=Slo(ttft=9.0), open_loop=open_loop, replay=replay)


def error(found: dict, metric: str = "tpot", statistic: str = "mean") -> LogError:
    one = found[metric, statistic]
    assert isinstance(one, LogError)
    return one


def test_what_both_sides_share_is_no_chance_of_the_ratio() -> None:
    """One lane, whose requests differ by 50 %: the ratio of two equal runs has no error."""
    equal = ratio_errors([side(1, 100, common=0.5)], [side(1, 100, common=0.5)], key="k")
    assert error(equal).se == pytest.approx(0.0, abs=1e-9)
    slower = ratio_errors([side(1, 100, common=0.5)], [side(1, 100, common=0.5, slow=2.0)], key="k")
    assert error(slower).se == pytest.approx(0.0, abs=1e-9)
    assert error(slower, "output_throughput").se < 0.001


def test_what_is_each_sides_own_stays() -> None:
    runs = [side(1, 400, own=0.1, seed=seed) for seed in (1, 2)]
    found = error(ratio_errors(runs[:1], runs[1:], key="k"))
    assert found.se == pytest.approx(0.1 * (2 / 400) ** 0.5, rel=0.3)
    assert found.method == "blocks"


def test_lanes_of_both_sides_are_added() -> None:
    runs = [side(16, 20, own=0.1, seed=seed) for seed in (1, 2)]
    found = error(ratio_errors(runs[:1], runs[1:], key="k"))
    # In time and by lanes, each sees the same chance of .1 over 320 requests, on two sides.
    assert found.se == pytest.approx(0.1 * (4 / 320) ** 0.5, rel=0.3)
    assert found.units == 10  # blocks of 32 requests


def test_it_is_told_for_what_is_there() -> None:
    closed = ratio_errors([side(1, 100)], [side(1, 100)], key="k")
    assert ("goodput", "mean") in closed
    assert ("ttft_from_due", "p50") not in closed
    assert closed["ttft", "p99"] == Absent(reason="1 of 100 requests lie beyond p99; 10 are needed")
    opened = [side(5, 40, open_loop=True) for _ in range(2)]
    found = ratio_errors(opened[:1], opened[1:], key="k")
    assert isinstance(found["ttft_from_due", "p90"], LogError)


@pytest.mark.parametrize("few", [0, 1])
def test_few_lanes_say_why(few: int) -> None:
    sides = [[side(16, 20)], [side(16, 20)]]
    sides[few] = [side(8, 20)]
    assert set(ratio_errors(*sides, key="k").values()) == {Absent(reason=FEW)}
    again = [side(8, 20, seed=seed) for seed in (1, 2)]
    assert isinstance(ratio_errors(again, again, key="k")["tpot", "mean"], LogError)


def test_requests_that_ended_well_on_one_side_only_are_no_pair() -> None:
    runs = [side(1, 100), side(1, 100)]
    moved = [
        record(session=1000 + n, request=n, sent=float(n), first=n + 0.5, gaps=(0.1,) * 4,
               prompt_tokens=10, completion_tokens=5)
        for n in range(100)
    ]  # fmt: skip
    found = ratio_errors(runs[:1], [measured(*moved, slo=Slo(ttft=9.0))], key="k")
    assert set(found.values()) == {Absent(reason="no observations")}


def test_equal_keys_give_equal_errors() -> None:
    runs = [side(12, 20, own=0.1, seed=seed) for seed in (1, 2)]
    first = ratio_errors(runs[:1], runs[1:], key="k")
    assert ratio_errors(runs[:1], runs[1:], key="k") == first
    assert ratio_errors(runs[:1], runs[1:], key="other") != first


def test_a_replay_asks_the_same_in_each_play() -> None:
    """Every request is the first turn of the same session: lane and play tell them apart.

    So requests are held against their own counterparts, and two equal runs have no error.
    """
    sides = [side(1, 100, common=0.5, replay=Replayed()) for _ in "ab"]
    found = error(ratio_errors([sides[0]], [sides[1]], key="k"))
    assert found.se == pytest.approx(0.0, abs=1e-9)
