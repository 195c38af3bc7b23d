"""What is asked of a server: the declared workload, and the sessions it unfolds into.

A fixed request is a session with one turn. Sessions never leave the process, so they are
dataclasses; the workload stands in every point's file, so it is a pydantic value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pydantic import Field, JsonValue

from infx.model.record import Phase
from infx.model.value import Value

Api = Literal["chat", "completions"]

NAMED_SHAPES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"1k1k": (1024, 1024), "8k1k": (8192, 1024), "1k8k": (1024, 8192)}
)
"""Shape name to input and output tokens, as InferenceX names them."""


class FixedWorkload(Value):
    """Requests of given input and output lengths, independent of each other.

    Lengths are drawn uniformly from [floor(L * range_ratio), L], input and output independently.
    With a `dataset` (sha256 of its file) the prompts are its own and `isl` is null.
    `tokenizer` is `calibrated` (sized against the server's own count) or `sha256:...` of the
    tokenizer file that sized the prompts. Each lane asks `requests_per_lane` requests after
    `warmups_per_lane` warmups, unless `requests`, `warmups` or `duration_s` state a total.
    """

    scenario: Literal["fixed"] = "fixed"
    seed: int = 0
    isl: int | None = Field(default=None, gt=0)
    osl: int = Field(gt=0)
    range_ratio: float = Field(default=0.8, gt=0, le=1)
    api: Api = "chat"
    tokenizer: str = "calibrated"
    dataset: str | None = None
    ignore_eos: bool = True
    temperature: float = 0.0
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    requests_per_lane: int = Field(default=10, gt=0)
    warmups_per_lane: int = Field(default=2, ge=0)
    requests: int | None = Field(default=None, gt=0)
    warmups: int | None = Field(default=None, ge=0)
    duration_s: float | None = Field(default=None, gt=0)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt; its content is the concatenation of `parts`.

    Parts that several messages share should be the same string object: they are encoded once.
    """

    role: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a session.

    `asked_output` becomes the token limit. `asked_input` is the length that the prompt was built
    to, chat template included, None where nobody asked for one. `delay_ns` is waited after the
    turn before it ended.
    """

    messages: tuple[Message, ...]
    asked_output: int
    asked_input: int | None
    delay_ns: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that follow each other on one lane.

    `start_ns` is when the session is due, after the start of its phase (open loop); None means that
    a lane takes it when it is free (closed loop).
    """

    phase: Phase
    turns: tuple[Turn, ...]
    start_ns: int | None = None
