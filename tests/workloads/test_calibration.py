"""Without a tokenizer, prompts still have the asked length as the server counts it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.errors import MachineError
from infx.model.workload import FixedWorkload
from infx.workloads.calibration import tolerance
from infx.workloads.draws import seed_key
from infx.workloads.word_prompts import WordPrompts
from token_counts import WeighedWords, calibrated, text_of

POINT = seed_key("a point")


def made(calibration, tokens, ordinal=0) -> str:
    prompts = WordPrompts(calibration.vocabulary, FixedWorkload(isl=tokens, osl=1))
    return text_of(prompts.prompt(tokens, point=POINT, ordinal=ordinal).messages)


def test_one_token_a_word_is_found_out_with_few_cheap_probes():
    server = WeighedWords(31)
    found = calibrated(server.count)
    assert (found.overhead, found.per_word, found.max_residual) == (31, 1.0, 0)
    assert [(probe.words, probe.tokens) for probe in found.probes] == [
        (16, 47), (32, 63), (64, 95), (128, 159), (256, 287), (208, 239)
    ]  # fmt: skip
    assert len(server.texts) <= 12
    assert sum(probe.tokens for probe in found.probes) <= 1500
    assert len(set(found.vocabulary.singles)) == 464
    assert found.words_for(100) == 69
    assert found.words_for(10) == 0


def test_the_facts_of_a_calibration_are_kept_as_plain_data():
    facts = calibrated(WeighedWords(3).count, lengths=(16, 32, 48)).facts()
    assert facts == {
        "overhead_tokens": 3,
        "tokens_per_word": 1.0,
        "max_residual_tokens": 0,
        "single_token_words": 96,
        "probes": [
            {"words": 16, "tokens": 19},
            {"words": 32, "tokens": 35},
            {"words": 32, "tokens": 35},
            {"words": 48, "tokens": 51},
            {"words": 48, "tokens": 51},
        ],
    }


@settings(max_examples=60, deadline=None)
@given(
    overhead=st.integers(0, 400),
    most=st.integers(1, 5),
    salt=st.text(max_size=4),
    more=st.integers(0, 9000),
    ordinal=st.integers(-100, 700),
)
def test_lengths_hold_whatever_the_words_weigh(overhead, most, salt, more, ordinal):
    server = WeighedWords(overhead, most=most, salt=salt)
    found = calibrated(server.count)
    smallest = WordPrompts(found.vocabulary, FixedWorkload(isl=1, osl=1)).smallest
    tokens = smallest + more
    assert abs(server.count(made(found, tokens, ordinal)) - tokens) <= most / 2 <= tolerance(tokens)


def test_a_first_word_that_costs_more_moves_the_length_by_no_more_than_the_tolerance():
    server = WeighedWords(20)

    def count(text: str) -> int:
        return server.count(text) + len(text.split()[0]) % 3

    found = calibrated(count)
    misses = [abs(count(made(found, 200, n)) - 200) for n in range(100)]
    assert max(misses) <= 2


def test_a_group_with_one_odd_word_is_left_out():
    server = WeighedWords(7)
    odd = calibrated(server.count, lengths=(16, 32, 48)).vocabulary.singles[20]

    def count(text: str) -> int:
        return server.count(text) + text.split().count(odd)

    found = calibrated(count, lengths=(16, 32, 48))
    assert len(found.vocabulary.singles) == 16 + 48
    assert odd not in found.vocabulary.singles
    assert count(made(found, 2000)) == 2000


def words_in(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("count", "said"),
    [
        pytest.param(lambda _: 12, "do not grow with the text: 12 for 16 words", id="constant"),
        pytest.param(lambda t: words_in(t) - 5, "leave -5 for its chat template", id="too few"),
        pytest.param(lambda t: min(200, 9 + words_in(t)), "17 tokens off their sum", id="cut"),
        pytest.param(lambda t: words_in(t) + 9 * (t.count(" ") > 200), "9 tokens off", id="jump"),
    ],
)
def test_counts_that_make_no_sense_are_the_servers_failure(count, said):
    with pytest.raises(MachineError, match=f"{said}.* for 256 words.*--tokenizer PATH"):
        calibrated(count)


@pytest.mark.parametrize("lengths", [(16, 32), (16, 16, 32), (8, 16, 32), (16, 32, 2000)])
def test_fewer_than_three_sound_lengths_are_a_defect_of_the_caller(lengths):
    with pytest.raises(ValueError, match="three or more lengths"):
        calibrated(WeighedWords().count, lengths=lengths)


def test_the_tolerance_is_four_tokens_or_one_percent():
    assert [tolerance(1), tolerance(400), tolerance(1000)] == [4, 4, 10]
