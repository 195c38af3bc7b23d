"""The rows of a dataset file, checked one by one; every problem names file, line and field."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import NoReturn

import orjson

from infx.errors import InputError, Problem, nearest
from infx.model.workload import FixedWorkload, Message
from infx.workloads.bodies import members, sent
from infx.workloads.prompts import Prompt, role_of

ROLES = ("system", "developer", "user", "assistant", "tool")
HUMANS = ("human", "user")
PROBLEMS_SHOWN = 20

Rows = tuple[list[Prompt], int]
"""The prompts of a file, and how many of its rows were skipped."""


class Problems:
    """All problems of one file, the first 20 in full."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._shown: list[Problem] = []
        self._count = 0

    def add(self, line: int, what: str, remedy: str | None = None) -> None:
        """Note one problem of that line."""
        self._count += 1
        if len(self._shown) < PROBLEMS_SHOWN:
            self._shown.append(Problem(what, f"{self._path}:{line}", remedy))

    def require_none(self) -> None:
        """Raise InputError if any problem was noted."""
        hidden = self._count - len(self._shown)
        more = [Problem(f"and {hidden} more problems", self._path)] if hidden else []
        if self._shown:
            raise InputError(*self._shown, *more)


def jsonl(content: bytes, workload: FixedWorkload, problems: Problems) -> Rows:
    """Read rows of `prompt` or `messages`, one JSON object a line; empty lines are passed over.

    Rows of messages may state fields of the request's body, such as its tools.
    """
    prompts = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            problems.add(number, f"not JSON: {error}", "each line must be one JSON object")
            continue
        prompt = _row(row, workload, partial(problems.add, number))
        if prompt:
            prompts.append(prompt)
    return prompts, 0


Report = Callable[[str], None]


def _row(row: object, workload: FixedWorkload, report: Report) -> Prompt | None:
    if not isinstance(row, dict):
        report(f"expected an object with prompt or messages, found {kind(row)}")
        return None
    if ("prompt" in row) == ("messages" in row):
        found = "both" if "prompt" in row else f"only {', '.join(row) or 'nothing'}"
        report(f"expected either prompt or messages, found {found}")
        return None
    output = _output(row, report)
    if "prompt" in row:
        text = _text(row["prompt"], "prompt", report)
        return Prompt((Message(role_of(workload.api), (text,)),), output) if text else None
    if workload.api == "completions":
        report("messages: the completions API takes a prompt")
        return None
    messages = _messages(row["messages"], report)
    return Prompt(messages, output, sent(workload, row)) if messages else None


def _output(row: dict[str, object], report: Report) -> int | None:
    stated = {name: row[name] for name in ("output_tokens", "max_tokens") if name in row}
    for name, value in stated.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            report(f"{name}: expected a whole number of at least 1, found {value!r}")
            return None
    values = set(stated.values())
    if len(values) > 1:
        report("output_tokens and max_tokens differ")
    output = values.pop() if values else None
    return output if isinstance(output, int) else None


def _messages(value: object, report: Report) -> tuple[Message, ...]:
    if not isinstance(value, list) or not value:
        report(f"messages: expected a list of messages, found {kind(value)}")
        return ()
    messages = []
    for index, message in enumerate(value):
        field = f"messages[{index}]"
        if not isinstance(message, dict):
            report(f"{field}: expected an object with role and content, found {kind(message)}")
            continue
        role = message.get("role")
        if role not in ROLES:
            advice = nearest(role, ROLES) if isinstance(role, str) else "expected a role"
            report(f"{field}.role: unknown role {role!r}, {advice}")
            continue
        calls = role == "assistant" and message.get("tool_calls")
        text = (
            ""
            if calls and not message.get("content")
            else _text(message.get("content"), f"{field}.content", report)
        )
        messages.append(Message(role, (text,), members(message)))
    return tuple(messages)


def _text(value: object, field: str, report: Report) -> str:
    if not isinstance(value, str) or not value:
        report(f"{field}: expected text, found {kind(value)}")
        return ""
    if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
        report(f"{field}: half of a surrogate pair is not text")
        return ""
    return value


def kind(value: object) -> str:
    """Say what a value of a JSON file is, in words."""
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value"}
    if value is None:
        return "nothing"
    if value in ("", [], {}):
        return f"an empty {names[type(value)].split()[-1]}"
    return names.get(type(value), "a number")


def sharegpt(content: bytes, workload: FixedWorkload, problems: Problems) -> Rows:
    """Read `[{"conversations": [{"from": "human", "value": "..."}, ...]}, ...]`."""
    prompts: list[Prompt] = []
    skipped = 0
    for line, entry in _elements(content, problems):
        turns = entry.get("conversations") if isinstance(entry, dict) else None
        if not isinstance(turns, list):
            problems.add(line, "expected an object with a list of conversations")
            continue
        humans = (t for t in turns if isinstance(t, dict) and t.get("from") in HUMANS)
        first = next(humans, None)
        if first is None:
            skipped += 1
            continue
        field = f"conversations[{turns.index(first)}].value"
        text = _text(first.get("value"), field, partial(problems.add, line))
        if text:
            prompts.append(Prompt((Message(role_of(workload.api), (text,)),)))
    return prompts, skipped


def _elements(content: bytes, problems: Problems) -> Iterator[tuple[int, object]]:
    """Yield line and value of each element of a JSON array, until the first that is not JSON."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    line, seen = 1, 0
    try:
        text = content.decode("utf-8-sig")
        place = text.index("[") + 1
        while True:
            place = _after_space(text, place)
            line += text.count("\n", seen, place)
            seen = place
            if text.startswith("]", place):
                break
            value, place = decoder.raw_decode(text, place)
            yield line, value
            place = _after_space(text, place)
            if text.startswith(",", place):
                place += 1
            elif not text.startswith("]", place):
                raise json.JSONDecodeError("expected , or ]", text, place)
    except json.JSONDecodeError as error:
        problems.add(error.lineno, f"not JSON: {error.msg}", "expected an array of conversations")
    except RecursionError:
        problems.add(line, "nested too deeply", "expected an array of conversations")
    except ValueError as error:
        problems.add(line, f"not JSON: {error}", "expected an array of conversations")


def _after_space(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\n", "\r", "\t"):
        place += 1
    return place


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")
