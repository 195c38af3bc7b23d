"""The text of blocks: exact, the same for the same id, and of no other trace."""

from array import array
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cut_tokens import byte_level, trained
from infx.errors import InputError
from infx.workloads.blocks import (
    WORDS,
    Passage,
    PassageBlocks,
    code_passage,
    drift,
    word_passage,
)
from infx.workloads.tokenizer import LocalTokenizer
from infx.workloads.vocabulary import Group, Vocabulary, shipped_words

tokenizers = pytest.importorskip("tokenizers")
PASSAGE = word_passage(Vocabulary(7, shipped_words()), 42)
SOURCE = PassageBlocks(PASSAGE, 42)
IDS = st.lists(st.integers(0, 2**63), min_size=1, max_size=20)


def text(ids: list[int], *, scope: str = "t", size: int = 64, last: int | None = None) -> str:
    return SOURCE.blocks(scope, array("Q", ids), size=size, last=last or size)


def test_a_block_is_two_slices_at_places_drawn_from_its_key() -> None:
    """The first 8 bytes of sha256 over 42:t:7 are be c6 97 ce 86 85 46 a2.

    As two numbers over 2**32 they are 3200686030/4294967296 and 2256881314/4294967296 of the
    passage's 65,536 words: words 48838 and 34437 on, 32 of each.
    """
    assert sha256(b"42:t:7").digest()[:8].hex() == "bec697ce868546a2"
    words = PASSAGE.text.split()
    assert text([7]).split() == words[48838 : 48838 + 32] + words[34437 : 34437 + 32]


@settings(max_examples=80, deadline=None)
@given(IDS, st.integers(1, 700), st.data())
def test_a_text_has_exactly_its_tokens_and_each_block_its_own(ids, size, data) -> None:
    last = data.draw(st.integers(1, size))
    words = text(ids, size=size, last=last).split(" ")
    assert words[0] == "", "every token brings its own space"
    assert len(words) - 1 == size * (len(ids) - 1) + last
    alone = [text([one], size=size).split() for one in ids]
    assert words[1:] == [word for one in alone for word in one][: len(words) - 1]


def test_scopes_and_seeds_have_no_text_in_common() -> None:
    other = PassageBlocks(PASSAGE, 43).blocks("t", array("I", [7]), size=64, last=64)
    assert len({text([7]), text([8]), text([7], scope="u"), other}) == 4


@given(st.integers(0, 1000), st.text(max_size=5))
def test_loose_text_has_its_tokens_too(tokens, scope) -> None:
    found = SOURCE.loose(scope, tokens)
    assert len(found.split()) == found.count(" ") == tokens
    assert SOURCE.loose(scope, tokens + 9).startswith(found)


def test_a_slice_at_the_end_of_a_passage_goes_on_at_its_beginning() -> None:
    words = PASSAGE.text.split()
    assert PASSAGE.slice(WORDS - 2, 5).split() == words[-2:] + words[:3]
    assert len(PASSAGE.slice(5, 3 * WORDS).split()) == 3 * WORDS


def test_the_passage_does_not_depend_on_the_order_in_which_words_were_proven() -> None:
    backwards = Vocabulary(0, shipped_words()[::-1])
    assert word_passage(backwards, 42) == PASSAGE
    assert word_passage(backwards, 43) != PASSAGE


def test_words_of_unknown_length_make_no_block() -> None:
    group = Group(("one", "two"), 3)
    with pytest.raises(InputError, match=r"no block of text is exact.*--tokenizer PATH"):
        word_passage(Vocabulary(7, (), (group,), group), 42)


# With a tokenizer


def sentence_pieces() -> "tokenizers.Tokenizer":
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    made.decoder = tokenizers.decoders.Metaspace()
    trained(made, special_tokens=["<unk>"])
    return made


@pytest.fixture(scope="module", params=["words", "classes", "pieces"])
def tokenizer(request) -> LocalTokenizer:
    if request.param == "pieces":
        return LocalTokenizer(sentence_pieces(), "sha256:0")
    return LocalTokenizer(byte_level(classes=request.param == "classes"), "sha256:0")


@pytest.fixture(scope="module")
def passage(tokenizer) -> Passage:
    return tokenizer.passage(42)


def test_a_passage_is_cut_where_its_tokenizer_cuts_it(tokenizer, passage) -> None:
    """Counted after a word, a slice has its tokens, but for a word that is cut off at its end."""
    last = len(passage.starts) - 1
    assert tokenizer.count(passage.text) == last
    assert list(passage.starts) == sorted(passage.starts)
    assert (passage.starts[0], passage.starts[last]) == (0, len(passage.text))
    assert all(passage.text[passage.starts[n]] == " " for n in passage.entries)
    counted = [tokenizer.count("key" + passage.slice(n, 40)) for n in range(0, 9000, 50)]
    counted = [count - tokenizer.count("key") for count in counted]
    assert sum(abs(count - 40) for count in counted) <= 0.01 * 40 * len(counted)


@pytest.mark.parametrize("size", [16, 64, 512])
def test_a_few_tokens_drift_in_a_message(tokenizer, passage, size) -> None:
    """32 messages of 3 blocks: at most one token for the first word of each, and one in a hundred
    of the 6 places where slices meet."""
    found = drift(PassageBlocks(passage, 42), tokenizer, size=size)
    assert (found.messages, found.asked_tokens) == (32, 32 * 3 * size)
    assert abs(found.counted_tokens - found.asked_tokens) <= 32 + 0.01 * 6 * 32


def test_measuring_leaves_a_tokenizer_as_it_was() -> None:
    inside = byte_level(classes=False)
    before = inside.to_str()
    assert list(LocalTokenizer(inside, "sha256:0").ends("a b")) == [1, 3]
    assert inside.to_str() == before


def test_a_tokenizer_without_words_is_refused() -> None:
    class Letters:
        def count(self, text: str) -> int:
            return len(text)

        def ends(self, text: str) -> "array[int]":
            return array("I", [len(text)])

    with pytest.raises(InputError, match="only 0 tokens of the passage begin with a space"):
        code_passage(Letters(), 42)
