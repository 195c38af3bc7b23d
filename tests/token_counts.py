"""Tokenizers with a known rule, so that a test can count by hand."""

import asyncio
from collections.abc import Callable
from hashlib import sha256

from infx.model.workload import Message
from infx.workloads.calibration import Calibration, calibrate


class WeighedWords:
    """Counts each word as 1 to `most` tokens, fixed by the word, plus an overhead a text."""

    def __init__(self, overhead: int = 0, *, most: int = 1, salt: str = "") -> None:
        self.overhead = overhead
        self.most = most
        self.salt = salt
        self.texts: list[str] = []

    def weight(self, word: str) -> int:
        return 1 + sha256((self.salt + word).encode()).digest()[0] % self.most

    def count(self, text: str) -> int:
        self.texts.append(text)
        assert text == " ".join(text.split()), "words must be joined by single spaces"
        return self.overhead + sum(map(self.weight, text.split()))


def calibrated(count: Callable[[str], int], **options) -> Calibration:
    async def count_tokens(text: str) -> int:
        return count(text)

    return asyncio.run(calibrate(count_tokens, **options))


def text_of(messages: tuple[Message, ...]) -> str:
    (message,) = messages
    return "".join(message.parts)
