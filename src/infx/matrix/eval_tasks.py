"""What a row's evaluator and suite mean: a task that infx knows, or a refusal that has a name."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Task:
    """A task that can be run; `items` is how many questions its full split has."""

    name: str
    items: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a suite is not run; `id` names the reason."""

    id: str
    why: str


_VENDOR = "the vendor's verifier drives it, and infx does not ship that"

TASKS: Mapping[tuple[str, str], Task | Refusal] = MappingProxyType(
    {
        ("lm-eval", ""): Task("gsm8k", 1319),
        ("kimi-vendor", "kimi_tool_call_schema_full"): Refusal("kimi-vendor-verifier", _VENDOR),
        ("minimax-vendor", "minimax_m3_full"): Refusal("minimax-vendor-verifier", _VENDOR),
    }
)
"""Every evaluator and suite that `matrix.evals` can write on a row."""
