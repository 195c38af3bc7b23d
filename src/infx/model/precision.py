"""Number formats, and which of two keeps more."""

from typing import Literal

Precision = Literal["nvfp4", "mxfp4", "int4", "fp8", "mxfp8", "int8", "bf16", "fp16", "fp32"]

RANK: dict[Precision, int] = {
    "nvfp4": 0,
    "mxfp4": 0,
    "int4": 0,
    "fp8": 1,
    "mxfp8": 1,
    "int8": 1,
    "bf16": 2,
    "fp16": 2,
    "fp32": 3,
}
"""A lower rank is cheaper; formats of one rank are of one width."""


def cheaper(one: Precision, other: Precision) -> bool:
    """Say whether one format keeps less than the other.

    >>> cheaper("fp8", "bf16"), cheaper("bf16", "fp16"), cheaper("fp32", "bf16")
    (True, False, False)
    """
    return RANK[one] < RANK[other]
