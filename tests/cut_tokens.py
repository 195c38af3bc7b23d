"""Small tokenizers of the usual kinds, trained on code-like text of our own."""

import pytest

from infx.workloads.code_text import pieces
from infx.workloads.draws import Draws, seed_key

tokenizers = pytest.importorskip("tokenizers")

BYTES = tokenizers.pre_tokenizers.ByteLevel
CLASSES = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
"""How newer tokenizers part a text before they cut it; the older way is built in."""


def byte_level(*, classes: bool) -> "tokenizers.Tokenizer":
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = BYTES(add_prefix_space=False)
    if classes:
        split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(CLASSES), "isolated")
        own = BYTES(add_prefix_space=False, use_regex=False)
        made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, own])
    made.decoder = tokenizers.decoders.ByteLevel()
    trained(made, initial_alphabet=BYTES.alphabet())
    # As in many a tokenizer.json: the places of tokens leave out the space before a word.
    made.post_processor = tokenizers.processors.ByteLevel(trim_offsets=True)
    return made


def trained(made: "tokenizers.Tokenizer", **options: object) -> None:
    written = pieces(Draws(seed_key("other text")))
    sample = [next(written) for _ in range(1000)]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=2000, show_progress=False, **options)
    made.train_from_iterator(sample, trainer)
