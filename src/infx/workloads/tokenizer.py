"""Sizing prompts with the model's own tokenizer, to the exact token."""

from array import array
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from infx.errors import InputError, Problem
from infx.model.workload import FixedWorkload, Message
from infx.workloads.calibration import LENGTHS, Calibration, measurement, tolerance
from infx.workloads.draws import Draws, derive, seed_key
from infx.workloads.prompts import Prompt, role_of
from infx.workloads.vocabulary import SINGLES_MIN, Vocabulary, shipped_words
from infx.workloads.word_prompts import PIECE_WORDS, WordPrompts

ROUNDS = 10
"""How often a prompt is counted and corrected before its length is given up."""
SAMPLES = 8
SAMPLE_TOKENS = 2048
"""How many prompts, and up to which length, show whether the counts of fragments add up."""

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from infx.workloads.blocks import Passage


class Counter(Protocol):
    """Something that counts the tokens of a text, without any that a server adds."""

    def count(self, text: str) -> int:
        """Return the tokens of the text."""


class LocalTokenizer:
    """The tokenizer of a `tokenizer.json`; `digest` is the sha256 of that file."""

    def __init__(self, tokenizer: "Tokenizer", digest: str) -> None:
        self._tokenizer = tokenizer
        self.digest = digest

    def count(self, text: str) -> int:
        """Return the tokens of a text, special ones not included."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def ends(self, text: str) -> "array[int]":
        """Return where in a text each of its tokens ends, special ones not included."""
        from tokenizers.processors import ByteLevel

        # Some tokenizers leave the spaces of a token out of its place; they belong to the text.
        kept, self._tokenizer.post_processor = (
            self._tokenizer.post_processor,
            ByteLevel(trim_offsets=False),
        )
        try:
            offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        finally:
            self._tokenizer.post_processor = kept
        return array("I", [end for _, end in offsets])

    def passage(self, seed: int) -> "Passage":
        """Return the passage that the blocks of recorded prompts are cut from."""
        from infx.workloads.blocks import code_passage

        return code_passage(self, seed)

    def prompts(self, workload: FixedWorkload, *, overhead: int) -> "TokenizedPrompts":
        """Return prompts of exact length; `overhead` tokens are added by the server to each."""
        return TokenizedPrompts(self, workload, overhead=overhead)


def open_tokenizer(path: Path) -> LocalTokenizer:
    """Read a `tokenizer.json`, given itself or by the directory that holds it.

    Raises InputError when it cannot be read, or when `tokenizers` is not installed.
    """
    try:  # an extra, so imported only for who asks
        from tokenizers import Tokenizer
    except ImportError as error:
        what = "a tokenizer needs the package `tokenizers`"
        remedy = "pip install 'infx[tokenizer]', or leave out --tokenizer"
        raise InputError(Problem(what, str(path), remedy)) from error
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        content = file.read_bytes()
    except OSError as error:
        what = f"cannot read the tokenizer: {error.strerror}"
        remedy = "give a tokenizer.json or the model directory that holds one"
        raise InputError(Problem(what, str(file), remedy)) from error
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except ValueError as error:
        what = f"not a tokenizer.json of Hugging Face's tokenizers: {error}"
        remedy = "give the tokenizer.json that stands beside the model's weights"
        raise InputError(Problem(what, str(file), remedy)) from error
    # A file may carry a limit of its own; a cut count would size every longer prompt wrongly.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return LocalTokenizer(tokenizer, f"sha256:{sha256(content).hexdigest()}")


def vocabulary(counter: Counter, overhead: int) -> Vocabulary:
    """Return the shipped words that are one token each, or measured groups where too few are."""
    words = shipped_words()
    alone = counter.count(words[0])
    singles = tuple(word for word in words if counter.count(f"{words[0]} {word}") == alone + 1)
    if len(singles) >= SINGLES_MIN:
        return Vocabulary(overhead, singles)
    steps = measurement(words, LENGTHS)
    text = next(steps)
    while True:
        tokens = counter.count(text)
        try:
            text = steps.send(tokens)
        except StopIteration as end:
            found: Calibration = end.value
            return replace(found.vocabulary, overhead=overhead)


class TokenizedPrompts:
    """Prompts that a tokenizer counts to the asked length, trimmed or extended until they do.

    `overhead` is what the server adds to a text, measured as its `prompt_tokens` less the count.
    Fragments are counted once each and summed, where sample prompts show that the tokenizer
    joins nothing across words; otherwise each prompt is counted as a whole.
    """

    def __init__(self, counter: Counter, workload: FixedWorkload, *, overhead: int) -> None:
        self._counter = counter
        self._overhead = overhead
        self._role = role_of(workload.api)
        self._words = WordPrompts(vocabulary(counter, overhead), workload)
        self._anchor = shipped_words()[0]
        self._anchor_tokens = counter.count(self._anchor)
        self._known: dict[str, int] = {}
        self._adds_up = all(
            self._sum(parts) == counter.count("".join(parts)) for parts in self._samples(workload)
        )

    @property
    def smallest(self) -> int:
        """The shortest prompt it can make, in tokens with overhead."""
        return self._words.smallest

    def prompt(self, tokens: int | None, *, point: bytes, ordinal: int) -> Prompt:
        """Return the prompt of that many tokens.

        Where ten rounds find no exact text (a tokenizer without single-token words), the nearest
        one is taken; raises InputError when it misses by more than 1 % or 4 tokens.
        """
        if tokens is None or tokens < self.smallest:
            return self._words.prompt(tokens, point=point, ordinal=ordinal)
        wanted = tokens - self._overhead
        parts = self._words.parts(wanted, point=point, ordinal=ordinal)
        draws = Draws(derive(point, f"correction {ordinal}"))
        nearest, least = parts, wanted
        for _ in range(ROUNDS):
            missing = wanted - self._count(parts)
            if abs(missing) < least:
                nearest, least = parts, abs(missing)
            if not missing:
                break
            more = self._words.filling(missing, draws) if missing > 0 else ""
            parts = (*parts, more) if missing > 0 else _without_end(parts, -missing)
        if least > tolerance(tokens):
            what = f"no text of {wanted} tokens was found in {ROUNDS} rounds, {least} off at best"
            raise InputError(Problem(what, "--tokenizer", "leave it out to calibrate instead"))
        return Prompt((Message(self._role, tuple(filter(None, nearest))),))

    def _samples(self, workload: FixedWorkload) -> Iterator[tuple[str, ...]]:
        longest = workload.isl or SAMPLE_TOKENS
        budget = max(self.smallest, min(longest, SAMPLE_TOKENS)) - self._overhead
        point = seed_key("samples")
        return (self._words.parts(budget, point=point, ordinal=n) for n in range(SAMPLES))

    def _count(self, parts: tuple[str, ...]) -> int:
        return self._sum(parts) if self._adds_up else self._counter.count("".join(parts))

    def _sum(self, parts: tuple[str, ...]) -> int:
        return self._counter.count(parts[0]) + sum(map(self._inside, parts[1:]))

    def _inside(self, part: str) -> int:
        """Count a fragment as it stands inside a text; shared ones are remembered."""
        known = self._known.get(part)
        if known is None:
            known = self._counter.count(self._anchor + part) - self._anchor_tokens
            if part.count(" ") >= PIECE_WORDS:
                self._known[part] = known
        return known


def _without_end(parts: tuple[str, ...], words: int) -> tuple[str, ...]:
    """Drop that many words from the end; whole fragments before it stay the same objects."""
    for end in range(len(parts), 0, -1):
        last = parts[end - 1]
        count = len(last.split())
        if words < count:
            return (*parts[: end - 1], last.rsplit(" ", words)[0])
        words -= count
    return parts[:1]
