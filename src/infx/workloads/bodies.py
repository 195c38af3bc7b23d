"""What requests carry of a recorded body beside its prompt.

Fields that every OpenAI-compatible server takes or passes over are sent as they were recorded.
Those that the workload decides are its own, and what could break a measurement (several answers,
log probabilities) or a strict server (fields nobody knows) is left out, and counted.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import JsonValue

from infx.model.agentic import AgenticWorkload, own_fields
from infx.model.workload import FixedWorkload

if TYPE_CHECKING:
    from infx.model.trace import Trace

SENT = (
    "tools", "tool_choice", "parallel_tool_calls", "response_format", "chat_template_kwargs",
    "reasoning_effort", "temperature", "top_p", "top_k", "min_p", "frequency_penalty",
    "presence_penalty", "repetition_penalty", "logit_bias", "seed", "stop",
)  # fmt: skip
"""Fields of a body that are sent as they were recorded."""
MEMBERS = ("name", "tool_calls", "tool_call_id")
"""What a message has in the OpenAI API beside its role and its text, and is sent."""


def members(message: Mapping[str, Any]) -> str:
    """Return what a message has beside role and text, as the inside of a JSON object."""
    found = {name: message[name] for name in MEMBERS if message.get(name) is not None}
    return orjson.dumps(found).decode()[1:-1]


def sent(
    workload: FixedWorkload | AgenticWorkload, recorded: Mapping[str, Any]
) -> dict[str, JsonValue]:
    """Return the fields of a recorded body that are sent, which the workload does not decide."""
    decided = _decided(workload)
    return {name: value for name, value in recorded.items()
            if name in SENT and name not in decided}  # fmt: skip


def unsent(workload: AgenticWorkload, trace: "Trace") -> dict[str, int]:
    """Return for each recorded field that is not sent in how many requests of a trace it stood.

    A field that the workload decides as it was recorded is not among them.
    """
    decided = _decided(workload)
    found: Counter[str] = Counter()
    for content in (call.content for stream in trace.streams for call in stream.calls):
        if content is None:
            continue
        found.update(
            name
            for name, value in content.extra.items()
            if (decided[name] != value if name in decided else name not in SENT)
        )
        found.update(content.unsaid)
    return dict(sorted(found.items()))


def _decided(workload: FixedWorkload | AgenticWorkload) -> Mapping[str, JsonValue]:
    return {**own_fields(workload), **workload.extra_body}
