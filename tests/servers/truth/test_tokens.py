"""Prompt tokens follow the stated rule exactly, and cache keys follow the prefix."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.servers.truth import tokens
from infx.servers.truth.tokens import TokenRule, block_keys, count_words


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("one", 1), ("  two\twords\n", 2), ("a-b c.d", 2), ("naïve 日本語 東京", 3)],
)
def test_words_are_separated_by_white_space(text, words):
    assert count_words(text) == words


@given(text=st.text(alphabet="ab \n ", max_size=60), size=st.integers(1, 7))
def test_long_texts_count_the_same_in_slices(text, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "_SLICE", size)
        assert count_words(text) == len(text.split())


@pytest.mark.parametrize(
    ("rule", "words", "count"),
    [
        (TokenRule(7, 1.0), 3, 10),
        (TokenRule(0, 1.0), 3, 3),
        (TokenRule(7, 1.3), 10, 20),
        (TokenRule(7, 1.3), 11, 21),  # 14.3 is cut, not rounded
        (TokenRule(5, 0.5), 3, 6),
        (TokenRule(5, 2.0), 0, 5),
    ],
)
def test_tokens_are_the_template_and_the_cut_product(rule, words, count):
    assert rule.tokens(words) == count


@given(
    rule=st.builds(TokenRule, st.integers(0, 9), st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 3.0])),
    words=st.integers(0, 200),
)
def test_the_words_that_a_prefix_needs_are_the_fewest_that_reach_it(rule, words):
    count = rule.tokens(words)
    needed = rule.words(count)
    assert rule.tokens(needed) >= count
    assert needed == 0 or rule.tokens(needed - 1) < count


ONE = TokenRule(0, 1.0)


def keys(text, role="user", size=4, rule=ONE):
    return block_keys(((role, text),), rule, size=size)


def test_only_full_blocks_have_keys():
    assert len(keys("a b c")) == 0
    assert len(keys("a b c d")) == 1
    assert len(keys("a b c d e f g h i")) == 2


def test_the_template_fills_the_front_of_the_first_block():
    assert len(keys("a", rule=TokenRule(7, 1.0))) == 2
    assert len(keys("", rule=TokenRule(7, 1.0))) == 1


def test_prompts_share_keys_exactly_as_far_as_they_are_equal():
    one, other = keys("a b c d e f g h i j k l"), keys("a b c d e f X h i j k l")
    assert one[0] == other[0]
    assert one[1] != other[1]
    assert one[2] != other[2], "an equal block after a different one is a different prefix"


def test_roles_and_message_borders_are_part_of_the_prefix():
    assert keys("a b c d") != keys("a b c d", role="system")
    split = block_keys((("user", "a b"), ("assistant", "c d")), ONE, size=4)
    assert split != keys("a b c d")
    assert len(split) == 1


def test_a_longer_conversation_keeps_the_keys_of_the_shorter():
    first = (("user", "a b c d e"),)
    later = (*first, ("assistant", "f g"), ("user", "h i j k l"))
    short, long = (block_keys(texts, TokenRule(7, 1.5), size=4) for texts in (first, later))
    assert len(long) > len(short) > 0
    assert long[: len(short)] == short
