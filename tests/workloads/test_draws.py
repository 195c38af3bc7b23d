"""Chance is sha256 alone, so it is the same everywhere."""

from collections import Counter
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from infx.workloads.draws import Draws, derive, seed_key


def test_a_key_is_the_digest_of_the_canonical_fields():
    assert seed_key("fixed", 0, None, 0.8) == sha256(b'["fixed",0,null,"0.8"]').digest()
    assert derive(b"k", "head") == sha256(b"khead").digest()


def test_a_draw_is_the_last_unread_quarter_of_a_block_times_the_bound():
    first = sha256(b"k" + bytes(8)).digest()
    second = sha256(b"k" + bytes(7) + b"\x01").digest()
    quarters = [first[24:], first[16:24], first[8:16], first[:8], second[24:]]
    draws = Draws(b"k")
    assert [draws.below(1000) for _ in range(5)] == [
        int.from_bytes(q, "big") * 1000 // 2**64 for q in quarters
    ]


@given(st.binary(), st.integers(1, 10**9))
def test_draws_stay_below_their_bound(key, bound):
    draws = Draws(key)
    assert all(0 <= draws.below(bound) < bound for _ in range(20))


def test_every_value_is_about_as_likely():
    draws = Draws(b"even")
    counts = Counter(draws.below(10) for _ in range(10_000))
    assert set(counts) == set(range(10))
    assert all(880 < count < 1120 for count in counts.values())


@given(st.binary(), st.lists(st.integers()))
def test_shuffling_keeps_the_items(key, items):
    assert sorted(Draws(key).shuffled(items)) == sorted(items)
    assert Draws(key).shuffled(items) == Draws(key).shuffled(items)
