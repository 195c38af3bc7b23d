"""The words in which users say what is asked.

They stand apart from the values that are made of them: a command line is parsed by these alone, and
what builds those values takes longer than the parsing.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Api = Literal["chat", "completions"]

Process = Literal["poisson", "constant", "gamma"]
"""How the gaps between the arrivals of an open loop are distributed."""

NAMED_SHAPES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"1k1k": (1024, 1024), "8k1k": (8192, 1024), "1k8k": (1024, 8192)}
)
"""Shape name to input and output tokens, as InferenceX names them."""

IN_FLIGHT = 1024
"""The most requests of an open loop that are in flight, unless another bound is stated."""
