"""With the model's tokenizer, every prompt has the asked length to the token."""

import sys
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.errors import InputError
from infx.model.workload import FixedWorkload
from infx.workloads.draws import seed_key
from infx.workloads.tokenizer import TokenizedPrompts, open_tokenizer, vocabulary
from infx.workloads.vocabulary import shipped_words
from token_counts import WeighedWords, text_of

tokenizers = pytest.importorskip("tokenizers")
POINT = seed_key("a point")
WORKLOAD = FixedWorkload(isl=100, osl=1)


def byte_pairs(corpus: list[str], size: int, *, limit: int | None = None) -> str:
    """Train the JSON of a byte-level tokenizer, as the models of the field have them."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, show_progress=False, special_tokens=["<s>"]
    )
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    if limit:
        tokenizer.enable_truncation(limit)
    return tokenizer.to_str()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model directory whose tokenizer knows half of the shipped words as one token."""
    folder = tmp_path_factory.mktemp("model")
    corpus = [f"{word} {word}" for word in shipped_words()[::2]] * 4
    (folder / "tokenizer.json").write_text(byte_pairs(corpus, 3000, limit=128))
    return folder


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9000), st.integers(0, 200), st.integers(-99, 99))
def test_prompts_are_exact(model, length, overhead, ordinal):
    tokenizer = open_tokenizer(model)
    prompts = tokenizer.prompts(WORKLOAD, overhead=overhead)
    prompt = prompts.prompt(length + overhead, point=POINT, ordinal=ordinal)
    whole = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    whole.no_truncation()
    assert len(whole.encode(text_of(prompt.messages)).ids) == length + 1  # with its <s>
    assert tokenizer.count(text_of(prompt.messages)) == length


def test_only_words_of_one_token_are_used(model):
    tokenizer = open_tokenizer(model)
    singles = vocabulary(tokenizer, 0).singles
    assert set(shipped_words()[::2]) - set(singles) == set()
    assert len(singles) < 1024


def test_the_digest_is_that_of_the_file_however_it_is_named(model):
    digest = sha256((model / "tokenizer.json").read_bytes()).hexdigest()
    assert open_tokenizer(model).digest == f"sha256:{digest}"
    assert open_tokenizer(model / "tokenizer.json").digest == f"sha256:{digest}"


def test_a_tokenizer_of_bytes_stays_within_half_a_word(tmp_path):
    (tmp_path / "tokenizer.json").write_text(byte_pairs(["z"], 257))
    tokenizer = open_tokenizer(tmp_path)
    prompts = tokenizer.prompts(WORKLOAD, overhead=9)
    for tokens in (prompts.smallest, 400, 401, 402, 8192):
        text = text_of(prompts.prompt(tokens, point=POINT, ordinal=0).messages)
        assert abs(tokenizer.count(text) + 9 - tokens) <= 4


class JoinedWords(WeighedWords):
    """Makes one token of two words that stand in alphabetical order, as no byte pairs do."""

    def count(self, text: str) -> int:
        words = text.split()
        joined = sum(a < b for a, b in zip(words[1::2], words[2::2], strict=False))
        return super().count(text) - joined


@pytest.mark.parametrize("tokens", [64, 500, 1024, 8192])
def test_a_text_is_corrected_until_its_whole_is_exact(tokens):
    counter = JoinedWords()
    prompts = TokenizedPrompts(counter, WORKLOAD, overhead=0)
    for ordinal in range(10):
        text = text_of(prompts.prompt(tokens, point=POINT, ordinal=ordinal).messages)
        assert counter.count(text) == tokens


def test_shared_text_is_counted_once_where_counts_add_up():
    counter = WeighedWords()
    prompts = TokenizedPrompts(counter, WORKLOAD, overhead=0)
    texts = [text_of(prompts.prompt(8192, point=POINT, ordinal=n).messages) for n in range(200)]
    assert all(len(text.split()) == 8192 for text in texts)
    assert sum(map(len, counter.texts)) < sum(map(len, texts)) / 5


class Stubborn(WeighedWords):
    """Counts every longer text as 5,000 tokens."""

    def count(self, text: str) -> int:
        return super().count(text) if len(text) < 40 else 5000


def test_a_length_that_is_not_found_is_refused():
    prompts = TokenizedPrompts(Stubborn(), WORKLOAD, overhead=0)
    with pytest.raises(InputError, match="no text of 100 tokens was found in 10 rounds"):
        prompts.prompt(100, point=POINT, ordinal=0)


def test_too_short_a_prompt_is_refused(model):
    prompts = open_tokenizer(model).prompts(WORKLOAD, overhead=30)
    assert prompts.smallest == 31
    with pytest.raises(InputError, match="ask for at least 31"):
        prompts.prompt(30, point=POINT, ordinal=0)


def test_a_missing_package_is_named_with_the_command(monkeypatch, model):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(InputError, match=r"pip install 'infx\[tokenizer\]'"):
        open_tokenizer(model)


@pytest.mark.parametrize("content", ["", "not json", "{}", '{"model": {"type": "BPE"}}'])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(InputError, match=r"tokenizer\.json: not a tokenizer\.json of"):
        open_tokenizer(tmp_path)


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file or directory; give a "):
        open_tokenizer(tmp_path)
