"""Tool calls of a streamed answer: they come in pieces, as its text does."""

from collections.abc import Iterator, Mapping
from typing import Any


class ToolCalls:
    """The tool calls of one answer while it comes."""

    def __init__(self) -> None:
        self._found: dict[int, dict[str, str]] = {}

    def take(self, calls: object) -> None:
        """Take the `tool_calls` of one delta: a call begins with its name, and arguments follow."""
        for call in _objects(calls):
            index = call.get("index")
            place = index if isinstance(index, int) else 0
            found = self._found.setdefault(place, {"id": "", "name": "", "arguments": ""})
            found["id"] = found["id"] or _text(call.get("id"))
            function = call.get("function")
            if isinstance(function, Mapping):
                found["name"] += _text(function.get("name"))
                found["arguments"] += _text(function.get("arguments"))

    def member(self) -> dict[str, Any]:
        """Return `tool_calls` as a message has it; nothing where no tool was called."""
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for _, call in sorted(self._found.items())
        ]
        return {"tool_calls": calls} if calls else {}


def names_or_arguments(calls: object) -> bool:
    """Whether the tool calls of a delta carry any text: a name or arguments."""
    functions = [call.get("function") for call in _objects(calls)]
    return any(isinstance(f, Mapping) and (f.get("name") or f.get("arguments")) for f in functions)


def _objects(calls: object) -> Iterator[Mapping[str, Any]]:
    return (
        (call for call in calls if isinstance(call, Mapping))
        if isinstance(calls, list)
        else iter(())
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
