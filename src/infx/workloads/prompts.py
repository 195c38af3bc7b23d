"""What a request asks, and the sources that its prompt may come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from infx.model.asked import Api
from infx.model.workload import Message


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one request asks. `asked_output` and `fields` are set only where it brings its own."""

    messages: tuple[Message, ...]
    asked_output: int | None = None
    fields: Mapping[str, JsonValue] = field(default_factory=dict, hash=False)


class PromptSource(Protocol):
    """Where prompts come from; one implementation for each way of sizing them."""

    @property
    def smallest(self) -> int | None:
        """The shortest prompt it can make, in tokens with overhead; None where nobody sizes."""

    def prompt(self, tokens: int | None, *, point: bytes, ordinal: int) -> Prompt:
        """Return the prompt of that many tokens, chat template included.

        `point` keys all chance; `ordinal` counts prompts from 0, warmups from -1 downwards.
        Equal arguments give equal prompts, and no two ordinals of a point the same first words.
        """


def role_of(api: Api) -> str:
    """Return the role of a lone prompt; the completions API knows no roles."""
    return "user" if api == "chat" else ""
