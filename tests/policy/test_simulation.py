"""Settings that simulate acceptance: read as decimals, on and off told apart."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.config_facts import Observed
from infx.model.verdict import Cite
from infx.policy.simulation import KNOBS, simulates

LENGTHS = st.integers(100, 999).map(lambda cents: Decimal(cents).scaleb(-2))


def seen(name, value):
    return Observed(name=name, value=value, cite=Cite(path="log"))


@given(LENGTHS, LENGTHS, st.sampled_from(sorted(KNOBS)))
def test_a_length_is_equal_to_itself_and_to_no_other(asked, other, engine):
    knobs = KNOBS[engine]
    read = knobs.reads(seen(knobs.length, str(asked - knobs.own)))
    assert (read == asked, read == other) == (True, asked == other)


@pytest.mark.parametrize("text", ["", "NaN", "sNaN", "inf", "4.0_5", "4,05", "0x4", "1e999", "٤"])
def test_what_no_engine_reads_is_no_length(text):
    assert KNOBS["sglang"].reads(seen("SGLANG_SIMULATE_ACC_LEN", text)) is None


@pytest.mark.parametrize(
    ("name", "value", "on"),
    [
        ("SGLANG_SIMULATE_ACC_LEN", "2", True),
        ("env.SGLANG_SIMULATE_ACC_LEN", "-1", False),
        ("SGLANG_SIMULATE_ACC_LEN", "much", True),
        ("SGLANG_SIMULATE_ACC_METHOD", "match-expected", False),
        ("--speculative-config.synthetic_acceptance_rates", "[0.9]", True),
        ("speculative_config.synthetic_acceptance_rates", "null", False),
        ("rejection_sample_method", "Synthetic", True),
        ("rejection_sample_method", "block", False),
        ("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", "0", False),
        ("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", "1.49", True),
        ("spec_decode_acceptance_rate", "0.5", True),
        ("max-running-requests", "64", False),
    ],
)
def test_any_setting_that_simulates_is_on(name, value, on):
    assert bool(simulates([seen(name, value)])) is on
