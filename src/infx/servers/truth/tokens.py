"""How the server counts prompt tokens, so that a client's calibration can be tested exactly.

    prompt tokens = template + floor(words * per_word)

`words` is the number of whitespace-separated words over the contents of all messages, or of the
prompt of a completion. `template` is charged once a chat request and is 0 for completions. A
completion prompt given as token ids counts its ids. In the answer one word is one token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

_SLICE = 1 << 20
"""Characters split at a time, so that a prompt of 64 MiB is never a list of its words."""

_OTHER_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f"
"""What separates words in ASCII beside the space."""


@dataclass(frozen=True, slots=True)
class TokenRule:
    """The two figures of the counting rule."""

    template: int
    per_word: float

    def tokens(self, words: int) -> int:
        """Return the prompt tokens of so many words."""
        return self.template + floor(words * self.per_word)

    def words(self, tokens: int) -> int:
        """Return how many leading words the first `tokens` tokens of a prompt need."""
        return max(0, ceil((tokens - self.template) / self.per_word))


def count_words(text: str) -> int:
    """Count whitespace-separated words.

    >>> count_words("  one two\\nthree ")
    3
    """
    if text.isascii() and "  " not in text and not any(space in text for space in _OTHER_SPACES):
        # Most prompts are such, and counting is several times faster than splitting.
        edges = text.startswith(" ") + text.endswith(" ")
        return text.count(" ") + 1 - edges if text else 0
    if len(text) <= _SLICE:
        return len(text.split())
    words = 0
    for start in range(0, len(text), _SLICE):
        words += len(text[start : start + _SLICE].split())
        if start and not text[start - 1].isspace() and not text[start].isspace():
            words -= 1
    return words


def block_keys(texts: Sequence[tuple[str, str]], rule: TokenRule, *, size: int) -> tuple[int, ...]:
    """Return one key for each full block of `size` prompt tokens, chained by prefix.

    `texts` are role and content of each message in order. Two prompts share a key exactly when
    they are equal up to the end of that block, roles included. Keys are good inside one process.
    """
    words: list[str] = []
    for role, text in texts:
        of_text = text.split()
        if of_text:
            # No word holds a newline, so a marked word never equals one of the text.
            of_text[0] = f"{role}\n{of_text[0]}"
        words += of_text
    keys: list[int] = []
    key = start = 0
    for tokens in range(size, rule.tokens(len(words)) + 1, size):
        end = min(rule.words(tokens), len(words))
        key = hash((key, *words[start:end]))
        keys.append(key)
        start = end
    return tuple(keys)
