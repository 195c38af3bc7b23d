"""The words that prompts are made of, and what is known of their token counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

SINGLES_MIN = 16
"""Below this many words of one token each, prompts are made of measured groups instead."""


@dataclass(frozen=True, slots=True)
class Group:
    """Words that were counted together: `tokens` in all, in whichever order they stand."""

    words: tuple[str, ...]
    tokens: int

    @property
    def text(self) -> str:
        """The words with a space before each, as they stand inside a prompt."""
        return spaced(self.words)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words with known token counts, each meant with a leading space.

    `overhead` tokens are added to every prompt by the server (chat template, begin of text).
    `singles` are words of exactly one token. Where fewer than 16 are known, `groups` (smallest
    first) are used whole, and `filler`, a single word, fills what remains.
    """

    overhead: int
    singles: tuple[str, ...]
    groups: tuple[Group, ...] = ()
    filler: Group | None = None

    def __post_init__(self) -> None:
        if len(self.singles) < SINGLES_MIN and not (self.groups and self.filler):
            raise ValueError("a vocabulary needs singles, or groups and a filler")

    @property
    def exact(self) -> bool:
        """Whether every length can be met exactly."""
        return len(self.singles) >= SINGLES_MIN


def spaced(words: Sequence[str]) -> str:
    """Join words with a space before each."""
    return " " + " ".join(words) if words else ""


def shipped_words() -> tuple[str, ...]:
    """Return the shipped word list: 1,024 common English words, in alphabetical order.

    Each is one token, with and without its leading space, in the vocabularies of SmolLM2, Qwen,
    DeepSeek V3, Mistral (SentencePiece and Tekken), cl100k and o200k.
    """
    text = files("infx").joinpath("data", "words.txt").read_text("ascii")
    return tuple(text.split())
