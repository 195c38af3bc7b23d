"""The fixed scenario asks what the workload says, the same on every machine and server."""

import subprocess
import sys
from fractions import Fraction
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.errors import InputError
from infx.model.record import Phase
from infx.model.workload import Arrival, FixedWorkload
from infx.workloads import fixed
from infx.workloads.vocabulary import Vocabulary, shipped_words
from infx.workloads.word_prompts import WordPrompts
from token_counts import text_of


def plan(*, concurrency=2, repetition=0, overhead=10, words=1024, **workload):
    stated = FixedWorkload(**{"isl": 100, "osl": 50, **workload})
    prompts = WordPrompts(Vocabulary(overhead, shipped_words()[:words]), stated)
    return fixed.sessions(stated, concurrency=concurrency, repetition=repetition, prompts=prompts)


def texts(sessions) -> list[str]:
    return [text_of(session.turns[0].messages) for session in sessions]


def test_warmups_come_first_two_a_lane_then_ten_a_lane():
    phases = [session.phase for session in plan(concurrency=3)]
    assert phases == [Phase.WARMUP] * 6 + [Phase.PROFILING] * 30


@pytest.mark.parametrize(
    ("stated", "warmups", "profiled"),
    [
        ({"requests": 5, "warmups": 0}, 0, 5),
        ({"requests_per_lane": 3, "warmups_per_lane": 1}, 4, 12),
        ({"warmups": 7}, 7, 40),
        ({"requests": 5, "duration_s": 3600.0}, 8, 5),
    ],
)
def test_stated_totals_hold(stated, warmups, profiled):
    phases = [session.phase for session in plan(concurrency=4, **stated)]
    assert (phases.count(Phase.WARMUP), phases.count(Phase.PROFILING)) == (warmups, profiled)


@settings(max_examples=30, deadline=None)
@given(
    isl=st.integers(20, 3000),
    osl=st.integers(1, 3000),
    percent=st.integers(50, 100),
    seed=st.integers(0, 2**53 - 1),
)
def test_lengths_lie_between_the_floor_and_the_stated_length(isl, osl, percent, seed):
    ratio = percent / 100
    low_input, low_output = isl * percent // 100, max(1, osl * percent // 100)
    for session in plan(isl=isl, osl=osl, range_ratio=ratio, seed=seed, overhead=4):
        (turn,) = session.turns
        assert low_input <= turn.asked_input <= isl
        assert low_output <= turn.asked_output <= osl
        assert len(text_of(turn.messages).split()) + 4 == turn.asked_input


@given(st.integers(1, 10**6), st.integers(1, 100))
def test_the_shortest_length_is_the_exact_floor_of_the_decimal(length, percent):
    exact = Fraction(percent, 100) * length
    assert fixed.shortest(length, percent / 100) == max(1, exact.numerator // exact.denominator)


def test_input_and_output_lengths_are_independent_and_reach_both_ends():
    turns = [s.turns[0] for s in plan(isl=50, osl=50, requests=2000, warmups=0)]
    pairs = {(turn.asked_input, turn.asked_output) for turn in turns}
    assert {a for a, _ in pairs} == {b for _, b in pairs} == set(range(40, 51))
    assert len(pairs) == 121


def test_ratio_one_asks_for_the_same_length_always():
    turns = [s.turns[0] for s in plan(range_ratio=1.0)]
    assert {(turn.asked_input, turn.asked_output) for turn in turns} == {(100, 50)}


def test_no_prompt_shares_its_first_eight_words_within_a_point():
    heads = {tuple(text.split()[:8]) for text in texts(plan(concurrency=64))}
    assert len(heads) == 64 * 12


@pytest.mark.parametrize(
    "change",
    [{"concurrency": 3}, {"repetition": 1}, {"seed": 1}, {"isl": 101}, {"osl": 51},
     {"range_ratio": 0.81}],
)  # fmt: skip
def test_another_point_or_seed_shares_no_prompt(change):
    first = {text[:40] for text in texts(plan())}
    other = {text[:40] for text in texts(plan(**change))}
    assert not first & other


@pytest.mark.parametrize(
    "change",
    [{"requests": 20}, {"ignore_eos": False}, {"extra_body": {"top_k": 1}}, {"temperature": 1.0},
     {"tokenizer": "sha256:ab"}],
)  # fmt: skip
def test_what_does_not_name_prompts_does_not_change_them(change):
    assert texts(plan()) == texts(plan(**change))


def test_more_requests_keep_the_earlier_ones():
    assert texts(plan(requests=30))[:20] == texts(plan(requests=20))[:20]


def test_the_seed_fields_and_draws_are_the_declared_ones():
    """Rebuilds the first profiling request with nothing but sha256."""
    (session,) = plan(isl=30, osl=50, requests=1, warmups=0, overhead=20, seed=7, repetition=3)
    point = sha256(b'["fixed",7,30,50,"0.8",2,3]').digest()
    lengths = sha256(sha256(point + b"lengths 0").digest() + bytes(8)).digest()
    asked_input = 24 + int.from_bytes(lengths[24:], "big") * 7 // 2**64
    asked_output = 40 + int.from_bytes(lengths[16:24], "big") * 11 // 2**64
    turn = session.turns[0]
    assert (turn.asked_input, turn.asked_output) == (asked_input, asked_output)
    rank = int.from_bytes(sha256(point + b"head").digest(), "big")
    assert text_of(turn.messages).split()[0] == shipped_words()[rank % 1024]


def test_another_process_with_another_hash_seed_makes_the_same_bytes():
    script = (
        "from hashlib import sha256\n"
        "from infx.workloads import fixed, vocabulary, word_prompts\n"
        "from infx.model.workload import FixedWorkload\n"
        "w = FixedWorkload(isl=2000, osl=9)\n"
        "p = word_prompts.WordPrompts(vocabulary.Vocabulary(0, vocabulary.shipped_words()), w)\n"
        "s = fixed.sessions(w, concurrency=1, repetition=0, prompts=p)\n"
        "print(sha256(repr(s).encode()).hexdigest())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_a_shape_below_what_the_server_adds_is_refused_with_the_smallest_one():
    assert plan(isl=27, overhead=20)
    with pytest.raises(InputError, match=r"prompts of 20 tokens.*is 21; ask for at least 27"):
        plan(isl=26, overhead=20)


def test_nothing_to_size_prompts_by_is_refused():
    with pytest.raises(InputError, match="neither an input length nor a dataset"):
        plan(isl=None)
    with pytest.raises(InputError, match="concurrency must be at least 1"):
        plan(concurrency=0)


@pytest.mark.parametrize(
    ("settings", "concurrency", "count"),
    [
        # 819 tokens at the least: 0.824 s a request; 60 s hold 73 of them, and one more begins.
        ({"isl": 10, "osl": 1024, "duration_s": 60.0}, 4, 4 * 74),
        # Answers may end early: 64 tokens, 0.069 s a request, 870 in a minute.
        ({"isl": 10, "osl": 1024, "duration_s": 60.0, "ignore_eos": False}, 1, 871),
        ({"isl": 10, "osl": 1024, "duration_s": 1.0}, 4, 40),
        ({"isl": 10, "osl": 1, "duration_s": 86400.0}, 64, 100_000),
    ],
)
def test_a_duration_plans_what_the_fastest_lane_could_end(settings, concurrency, count):
    assert fixed.request_count(FixedWorkload(**settings), concurrency) == count


OPEN = {"arrival": Arrival(rate=5.0)}


def test_a_closed_loop_has_no_due_times():
    assert {session.start_ns for session in plan()} == {None}


def test_in_an_open_loop_warmups_go_by_lanes_and_profiling_by_time():
    sessions = plan(requests=30, warmups=3, **OPEN)
    assert [s.phase for s in sessions] == [Phase.WARMUP] * 3 + [Phase.PROFILING] * 30
    assert [s.start_ns for s in sessions[:3]] == [None] * 3
    starts = [s.start_ns for s in sessions[3:]]
    assert starts == sorted(starts)
    assert 2 * 10**9 < starts[-1] < 12 * 10**9


@pytest.mark.parametrize(("concurrency", "warmups"), [(1, 2), (3, 6), (1024, 8)])
def test_a_bound_of_requests_in_flight_asks_for_no_crowd_of_warmups(concurrency, warmups):
    phases = [session.phase for session in plan(concurrency=concurrency, requests=1, **OPEN)]
    assert phases.count(Phase.WARMUP) == warmups


def test_points_at_different_rates_share_no_prompt():
    rates = (None, Arrival(rate=1.0), Arrival(rate=2.0), Arrival(rate=2.0, process="constant"))
    heads = [{text[:40] for text in texts(plan(arrival=arrival))} for arrival in rates]
    assert len(set.union(*heads)) == sum(map(len, heads))


def test_more_open_requests_keep_the_earlier_ones():
    assert plan(requests=30, **OPEN)[:20] == plan(requests=20, **OPEN)[:20]


def test_a_large_point_shares_its_text():
    """8,192 tokens at 64 lanes: over 20 MB of prompts rest on less than 2 MB of text."""
    sessions = plan(isl=8192, osl=1024, concurrency=64)
    parts = [part for s in sessions for m in s.turns[0].messages for part in m.parts]
    assert sum(map(len, parts)) > 20_000_000
    assert sum(map(len, {id(part): part for part in parts}.values())) < 2_000_000
