"""Prompts have the asked length, differ from their first words on, and share long pieces."""

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.errors import InputError
from infx.model.workload import FixedWorkload
from infx.workloads.draws import seed_key
from infx.workloads.vocabulary import Group, Vocabulary, shipped_words
from infx.workloads.word_prompts import WordPrompts, arrangement
from token_counts import WeighedWords, text_of

WORDS = shipped_words()
POINT = seed_key("a point")


def source(overhead: int = 0, *, count: int = 1024, **settings) -> WordPrompts:
    workload = FixedWorkload(isl=100, osl=1, **settings)
    return WordPrompts(Vocabulary(overhead, WORDS[:count]), workload)


def grouped(weights: WeighedWords, overhead: int) -> WordPrompts:
    cuts = [WORDS[:16], WORDS[16:80], WORDS[80:208]]
    groups = tuple(Group(cut, sum(map(weights.weight, cut))) for cut in cuts)
    filler = Group(WORDS[:1], weights.weight(WORDS[0]))
    return WordPrompts(Vocabulary(overhead, (), groups, filler), FixedWorkload(isl=100, osl=1))


@settings(deadline=None)
@given(st.integers(1, 20_000), st.integers(0, 300), st.integers(-1000, 1000))
def test_single_token_words_meet_every_length(length, overhead, ordinal):
    prompt = source(overhead).prompt(length + overhead, point=POINT, ordinal=ordinal)
    assert len(text_of(prompt.messages).split(" ")) == length
    assert set(text_of(prompt.messages).split(" ")) <= set(WORDS)


@settings(deadline=None)
@given(st.integers(64, 8192), st.integers(0, 300), st.integers(1, 5), st.text(max_size=3))
def test_measured_groups_miss_by_half_a_filler_at_most(length, overhead, most, salt):
    weights = WeighedWords(overhead, most=most, salt=salt)
    prompts = grouped(weights, overhead)
    tokens = prompts.smallest + length
    text = text_of(prompts.prompt(tokens, point=POINT, ordinal=3).messages)
    assert abs(weights.count(text) - tokens) <= most / 2


@pytest.mark.parametrize("count", [1024, 16])
def test_no_two_prompts_of_a_point_share_their_first_eight_words(count):
    prompts = source(count=count)
    heads = {
        tuple(text_of(prompts.prompt(50, point=POINT, ordinal=n).messages).split(" ")[:8])
        for n in range(-2000, 5000)
    }
    assert len(heads) == 7000


def test_groups_give_different_heads_too():
    prompts = grouped(WeighedWords(most=3), 0)
    texts = [text_of(prompts.prompt(200, point=POINT, ordinal=n).messages) for n in range(2000)]
    assert len({tuple(text.split(" ")[:8]) for text in texts}) == 2000


def test_successive_prompts_differ_in_their_first_word_already():
    prompts = source()
    texts = [text_of(prompts.prompt(20, point=POINT, ordinal=n).messages) for n in range(1024)]
    assert len({text.split(" ")[0] for text in texts}) == 1024


@given(st.integers(1, 6), st.integers(0, 4), st.binary(max_size=32), st.integers(-50, 50))
def test_arrangements_come_once_each_before_any_comes_twice(size, length, key, start):
    length = min(size, length)
    total = math.perm(size, length)
    words = "abcdef"[:size]
    walk = [
        tuple(arrangement(words, length, key=key, ordinal=n)) for n in range(start, start + total)
    ]
    assert sorted(walk) == sorted(permutations(words, length))


def test_long_prompts_share_their_pieces_as_the_same_objects():
    prompts = source()
    made = [prompts.prompt(8192, point=POINT, ordinal=n).messages[0] for n in range(200)]
    own = [part for message in made for part in message.parts if part.count(" ") < 16]
    shared = {id(part) for message in made for part in message.parts if part.count(" ") >= 16}
    assert len(shared) <= 9 * 16
    assert sum(map(len, own)) < 200 * 24 * 11
    assert max(len(message.parts) for message in made) <= 12


def test_equal_arguments_give_equal_prompts_and_each_argument_counts():
    def text(seed=0, point=POINT, ordinal=0, tokens=300):
        return text_of(source(seed=seed).prompt(tokens, point=point, ordinal=ordinal).messages)

    assert text() == text()
    others = [text(seed=1), text(point=seed_key("b")), text(ordinal=1), text(ordinal=-1)]
    assert len({text(), *others}) == 5


def test_the_words_do_not_depend_on_what_the_server_adds():
    """A and B with different chat templates see the same prompt, longer or shorter at its end."""
    plain = source(0).prompt(30, point=POINT, ordinal=0)
    templated = source(5).prompt(35, point=POINT, ordinal=0)
    assert plain == templated


def test_a_lone_prompt_is_the_users_in_chat_and_nobodys_in_completions():
    chat = source(api="chat").prompt(9, point=POINT, ordinal=0)
    raw = source(api="completions").prompt(9, point=POINT, ordinal=0)
    assert [chat.messages[0].role, raw.messages[0].role] == ["user", ""]


def test_too_short_a_prompt_is_refused_with_the_shortest_possible():
    assert source(30).prompt(31, point=POINT, ordinal=0).messages
    with pytest.raises(InputError, match="server adds 30 itself; ask for at least 31"):
        source(30).prompt(30, point=POINT, ordinal=0)
    with pytest.raises(InputError, match="no input length"):
        source().prompt(None, point=POINT, ordinal=0)


def test_a_prompt_begins_and_ends_with_a_word():
    texts = [text_of(source().prompt(n, point=POINT, ordinal=n).messages) for n in range(1, 200)]
    assert all(text == text.strip() for text in texts)
    assert texts[0] in WORDS
