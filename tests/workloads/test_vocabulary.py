"""The shipped words: many, short, distinct, plain."""

import re

import pytest

from infx.workloads.vocabulary import Group, Vocabulary, shipped_words, spaced


def test_the_shipped_list_is_plain_and_sorted():
    words = shipped_words()
    assert len(words) == 1024
    assert list(words) == sorted(set(words))
    assert all(re.fullmatch("[a-z]{2,10}", word) for word in words)


def test_words_are_joined_with_a_space_before_each():
    assert spaced(["a", "b"]) == " a b"
    assert spaced([]) == ""


def test_a_vocabulary_knows_at_least_one_way_to_size_text():
    few = ("one",)
    with pytest.raises(ValueError, match="singles, or groups"):
        Vocabulary(0, few)
    assert not Vocabulary(0, few, (Group(few, 2),), Group(few, 2)).exact
    assert Vocabulary(0, few * 16).exact
