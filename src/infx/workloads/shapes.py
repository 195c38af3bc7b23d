"""Shapes: the input and output lengths of fixed requests, by name or as two numbers."""

import re

from infx.errors import InputError, Problem, nearest
from infx.model.asked import NAMED_SHAPES

_NUMBERS = re.compile(r"([0-9]{1,9})x([0-9]{1,9})")


def shape(text: str) -> tuple[int, int]:
    """Return input and output tokens of a shape: a known name, or numbers as in `512x64`.

    Raises InputError that names the nearest known shape.

    >>> shape("8k1k"), shape("512x64")
    ((8192, 1024), (512, 64))
    """
    word = text.strip().lower()
    if word in NAMED_SHAPES:
        return NAMED_SHAPES[word]
    numbers = _NUMBERS.fullmatch(word)
    if not numbers:
        advice = f"{nearest(word, NAMED_SHAPES)} (or state INPUTxOUTPUT, such as 512x64)"
        raise InputError(Problem(f"unknown shape {text!r}", "--shape", advice))
    isl, osl = int(numbers[1]), int(numbers[2])
    if not isl or not osl:
        problem = f"shape {text!r} asks for no tokens"
        raise InputError(Problem(problem, "--shape", "both lengths must be at least 1"))
    return isl, osl
