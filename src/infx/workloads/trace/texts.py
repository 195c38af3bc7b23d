"""Recorded prompts that are text: messages, and the request fields beside them."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.errors import nearest
from infx.model.trace import ANSWER
from infx.model.workload import Message
from infx.workloads.bodies import MEMBERS, members
from infx.workloads.dataset_rows import ROLES, kind
from infx.workloads.trace.fields import Fields, Report

NOT_TEXT = "only text is replayed"
PLAIN = ("role", "content")


def messages(
    fields: Fields, key: str, report: Report, *, live: bool = False
) -> tuple[Message, ...]:
    """Read a list of messages, at least one; content that is not text is reported.

    An assistant's message that calls tools may be without text. With `live` any may that follows
    another's: nobody recorded it, and the server's own answer stands there.
    """
    listed = fields.listed(key)
    if key in fields and listed == [] and isinstance(fields.get(key), list):
        fields.wrong(key, "at least one message")
    found: list[Message] = []
    for index, value in enumerate(listed):
        part = Fields(value, f"{fields.name(key)}[{index}]", report)
        if part.bad:
            continue
        role = part.get("role")
        if role not in ROLES:
            advice = nearest(role, ROLES) if isinstance(role, str) else f"known are {ROLES}"
            report(f"{part.name('role')}: unknown role {role!r}", advice)
            continue
        content = part.get("content")
        if content is None and role == "assistant":
            if part.get("tool_calls"):
                content = ""
            elif live and found and found[-1].role not in ("assistant", "system", "developer"):
                found.append(ANSWER)
                continue
        if not isinstance(content, str):
            report(f"{part.name('content')}: expected text, found {kind(content)}", NOT_TEXT)
            continue
        found.append(Message(str(role), (content,), members(part.value)))
    return tuple(found)


def unsaid(fields: Fields, key: str) -> tuple[str, ...]:
    """Return the members of a list of messages that no request carries, as `messages[].name`."""
    listed = fields.get(key)
    names = {
        name
        for message in (listed if isinstance(listed, list) else ())
        if isinstance(message, Mapping)
        for name, value in message.items()
        if name not in (*PLAIN, *MEMBERS) and value is not None
    }
    return tuple(f"{key}[].{name}" for name in sorted(names))


def extra(fields: Fields, *, tools: bool = True) -> dict[str, JsonValue]:
    """Read the members `extra` and, with `tools`, `tools`, as fields of the request's body."""
    value = fields.get("extra")
    if value is not None and not isinstance(value, dict):
        fields.wrong("extra", "an object")
        value = None
    body: dict[str, JsonValue] = dict(value) if isinstance(value, Mapping) else {}
    if tools and fields.get("tools") is not None:
        body["tools"] = fields.listed("tools")  # type: ignore[assignment]
    return body
