"""Sizing prompts without a tokenizer: the server's own counts of a few texts.

Tokens of a text are the overhead (chat template) plus the tokens of its words, and a word in the
middle of a text is never less than one token. So a group of n words that the server counts as n
holds only words of one token each: one probe proves hundreds of words. Groups that are counted
higher still have an exact total, in any order; they are used whole when no group proves itself.
"""

from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from infx.errors import MachineError, Problem
from infx.workloads.draws import Draws, seed_key
from infx.workloads.vocabulary import SINGLES_MIN, Group, Vocabulary, shipped_words

LENGTHS = (16, 64, 128, 256)
"""Words of the probed groups; with the other probes about 700 tokens and 6 templates."""
FILLER_REPEATS = 16
TOLERANCE_TOKENS = 4
TOLERANCE_SHARE = 0.01


def tolerance(tokens: int) -> float:
    """Return how many tokens a prompt may miss its asked length by: 4, or 1 % where that is more.

    >>> tolerance(100), tolerance(8192)
    (4, 81.92)
    """
    return max(TOLERANCE_TOKENS, TOLERANCE_SHARE * tokens)


@dataclass(frozen=True, slots=True)
class Probe:
    """One question to the server: a text of that many words, and its count of prompt tokens."""

    words: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the probes say: tokens = overhead + per_word * words.

    `max_residual` is the largest distance in tokens between a probe and what the vocabulary
    predicts for it. The vocabulary sizes prompts; the line only describes.
    """

    per_word: float
    max_residual: int
    probes: tuple[Probe, ...]
    vocabulary: Vocabulary

    @property
    def overhead(self) -> int:
        """Tokens that the server adds to every prompt."""
        return self.vocabulary.overhead

    def words_for(self, tokens: int) -> int:
        """Return how many words make a prompt of that many tokens, overhead included."""
        return max(0, round((tokens - self.overhead) / self.per_word))

    def facts(self) -> dict[str, JsonValue]:
        """Return the calibration as plain data, as a point's file keeps it."""
        return {
            "overhead_tokens": self.overhead,
            "tokens_per_word": self.per_word,
            "max_residual_tokens": self.max_residual,
            "single_token_words": len(self.vocabulary.singles),
            "probes": [{"words": p.words, "tokens": p.tokens} for p in self.probes],
        }


async def calibrate(
    count_tokens: Callable[[str], Awaitable[int]], *, lengths: Sequence[int] = LENGTHS
) -> Calibration:
    """Learn from a server how long its prompts are: at most len(lengths) + 3 probes.

    `count_tokens` asks the server for one token after a text and returns `usage.prompt_tokens`.
    `lengths` are the words of the probed groups, at least three and each at least 16.
    Raises MachineError when the counts do not add up within 1 % or 4 tokens.
    """
    steps = measurement(shipped_words(), lengths)
    text = next(steps)
    while True:
        tokens = await count_tokens(text)
        try:
            text = steps.send(tokens)
        except StopIteration as end:
            found: Calibration = end.value
            return found


def measurement(words: Sequence[str], lengths: Sequence[int]) -> Generator[str, int, Calibration]:
    """Yield probe texts, take their token counts, and return the calibration.

    Asks nobody itself, so that a server and a local tokenizer are measured alike.
    """
    probes: list[Probe] = []

    def count(parts: Sequence[str]) -> Generator[str, int, int]:
        tokens = yield " ".join(parts)
        probes.append(Probe(len(parts), tokens))
        return tokens

    samples = _samples(words, sorted(lengths))
    first = samples[0]
    once = yield from count(first)
    twice = yield from count((*first, *reversed(first)))
    overhead = 2 * once - twice
    groups = [Group(first, twice - once)]
    for sample in samples[1:]:
        counted = yield from count(sample)
        groups.append(Group(sample, counted - overhead))
    # Crosses all group borders, and is no longer than the longest probe: counts must add up.
    check = [word for sample in samples[:-1] for word in reversed(sample)]
    counted = yield from count(check)
    residual = abs(counted - overhead - sum(group.tokens for group in groups[:-1]))
    _require_sum(probes, overhead, residual)
    singles = _proven(groups)
    if len(singles) >= SINGLES_MIN:
        vocabulary = Vocabulary(overhead, singles)
    else:
        counted = yield from count(first[:1] * FILLER_REPEATS)
        filler = Group(first[:1], max(1, round((counted - overhead) / FILLER_REPEATS)))
        residual = max(residual, abs(counted - overhead - FILLER_REPEATS * filler.tokens))
        _require_sum(probes, overhead, residual)
        vocabulary = Vocabulary(overhead, (), tuple(groups), filler)
    per_word = sum(group.tokens for group in groups) / sum(len(group.words) for group in groups)
    return Calibration(per_word, residual, tuple(probes), vocabulary)


def _samples(words: Sequence[str], lengths: Sequence[int]) -> list[tuple[str, ...]]:
    if len(set(lengths)) < 3 or min(lengths) < SINGLES_MIN or sum(lengths) > len(words):
        raise ValueError(f"probes need three or more lengths of 16 to {len(words)} words in all")
    order = Draws(seed_key("calibration")).shuffled(words)
    ends = [sum(lengths[: index + 1]) for index in range(len(lengths))]
    return [tuple(order[end - length : end]) for length, end in zip(lengths, ends, strict=True)]


def _proven(groups: Sequence[Group]) -> tuple[str, ...]:
    """Return the words of the groups that hold exactly one token a word."""
    proven = (group for group in groups if group.tokens == len(group.words))
    return tuple(word for group in proven for word in group.words)


def _require_sum(probes: Sequence[Probe], overhead: int, residual: int) -> None:
    counts = ", ".join(f"{probe.tokens} for {probe.words} words" for probe in probes)
    remedy = "give the model's tokenizer (--tokenizer PATH), or prompts of your own (--dataset)"
    if probes[1].tokens <= probes[0].tokens:
        what = f"the server's prompt token counts do not grow with the text: {counts}"
        raise MachineError(Problem(what, remedy=remedy))
    # A first word without its space may be shorter than inside a text: slightly below 0 is sound.
    if overhead < -TOLERANCE_TOKENS:
        what = f"the server's prompt token counts leave {overhead} for its chat template: {counts}"
        raise MachineError(Problem(what, remedy=remedy))
    if residual > tolerance(max(probe.tokens for probe in probes)):
        what = f"the server's prompt token counts are {residual} tokens off their sum: {counts}"
        raise MachineError(Problem(what, remedy=remedy))
