"""Session logs of coding agents: their sizes and times, and none of their text."""

import json
from pathlib import Path

import pytest

from infx.errors import Problem
from infx.workloads.trace import weka
from infx.workloads.trace.coding_logs import requests
from infx.workloads.trace.coding_logs import weka as imported
from infx.workloads.trace.reading import Tally

SECRET = "the launch code is 0000"


def at(second: float) -> str:
    return f"2026-03-01T12:00:{second:06.3f}Z"


def user(second: float, kind: str = "text", **fields) -> dict:
    content = [{"type": kind, "text": SECRET, "content": SECRET}]
    return {"type": "user", "timestamp": at(second), "sessionId": SECRET,
            "message": {"role": "user", "content": content}, **fields}  # fmt: skip


def assistant(second: float, name: str, usage: tuple[int, int, int, int], **fields) -> dict:
    """One line of an answer; usage is new, written to the cache, read from it, and output."""
    new, written, read, output = usage
    message = {
        "id": name, "role": "assistant", "model": "m-large", "stop_reason": "tool_use",
        "content": [{"type": fields.pop("part", "text"), "text": SECRET}],
        "usage": {"input_tokens": new, "cache_creation_input_tokens": written,
                  "cache_read_input_tokens": read, "output_tokens": output},
    }  # fmt: skip
    return {"type": "assistant", "timestamp": at(second), "message": message, **fields}


def log(tmp_path, *lines: dict, name: str = "3f2a-session") -> Path:
    path = tmp_path / f"{name}.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def trace_of(tmp_path, *lines: dict):
    """What the importer writes, read by the reader of the format."""
    problems: list[Problem] = []
    line = imported(log(tmp_path, *lines), problems.append)
    assert not problems
    assert SECRET.encode() not in line
    written = tmp_path / "out" / "traces.jsonl"
    written.parent.mkdir()
    written.write_bytes(line)
    (trace,) = weka.traces(written, tally=Tally())
    return trace


def test_a_request_runs_from_its_input_to_the_last_line_of_its_answer(tmp_path):
    """Asked at 1 s; two lines of one answer, at 3 and 4 s, repeat its usage: 100 + 200 + 404 = 704
    tokens in, which are 11 blocks of 64, and 50 out. The tool's result came at 6 s.
    """
    trace = trace_of(
        tmp_path,
        {"type": "summary", "summary": SECRET},
        user(1),
        assistant(3, "m1", (100, 200, 404, 9), part="thinking"),
        assistant(4, "m1", (100, 200, 404, 50), part="tool_use"),
        user(6, "tool_result"),
        assistant(7.5, "m2", (10, 90, 704, 5)),
    )
    first, second = trace.streams[0].calls
    assert (first.start_ns, first.duration_ns) == (0, 3_000_000_000)
    assert (first.input_tokens, first.output_tokens, first.model) == (704, 50, "m-large")
    assert (first.input_types, first.output_types, first.stop) == (
        ("text",), ("thinking", "tool_use"), "tool_use",
    )  # fmt: skip
    assert (second.start_ns, second.duration_ns) == (5_000_000_000, 1_500_000_000)
    assert second.input_types == ("tool_result",)
    assert second.blocks[:11] == first.blocks
    assert second.input_tokens == 768


def test_a_shorter_prompt_keeps_what_the_cache_had(tmp_path):
    """From 20 blocks to 6, of which 130 tokens were read: 2 whole blocks are the same."""
    trace = trace_of(
        tmp_path,
        user(1),
        assistant(2, "m1", (1280, 0, 0, 5)),
        user(3),
        assistant(4, "m2", (254, 0, 130, 5)),
    )
    first, second = trace.streams[0].calls
    assert list(second.blocks[:2]) == list(first.blocks[:2])
    assert not set(second.blocks[2:]) & set(first.blocks)


def test_sidechains_are_subagents_and_share_what_their_kind_begins_with(tmp_path):
    """Both ask 10 blocks; the second one read 320 tokens, 5 blocks, that the first one wrote."""
    side = {"isSidechain": True}
    trace = trace_of(
        tmp_path,
        user(1),
        assistant(2, "m1", (640, 0, 0, 5)),
        user(3, **side, agentId="aa"),
        assistant(4, "s1", (640, 0, 0, 7), **side, agentId="aa"),
        user(5, **side, agentId="bb"),
        assistant(6, "s2", (320, 0, 320, 7), **side, agentId="bb"),
        user(8, "tool_result"),
        assistant(9, "m2", (0, 100, 640, 5)),
    )
    main, first, second = trace.streams
    assert [s.id.partition("::")[2] for s in (first, second)] == ["sa:agent_001", "sa:agent_002"]
    assert list(second.calls[0].blocks[:5]) == list(first.calls[0].blocks[:5])
    assert not set(second.calls[0].blocks[5:]) & set(first.calls[0].blocks)
    assert not set(first.calls[0].blocks) & set(main.calls[0].blocks)
    assert (first.spawn.call, first.join.call) == (0, 1)


def test_events_of_codex_end_a_request_once(tmp_path):
    """The token count comes twice, with the same total: it is one request."""

    def event(second: float, kind: str, **fields) -> dict:
        return {"timestamp": at(second), "type": "event_msg", "payload": {"type": kind, **fields}}

    count = event(
        4,
        "token_count",
        info={
            "total_token_usage": {"total_tokens": 780},
            "last_token_usage": {
                "input_tokens": 700, "cached_input_tokens": 256, "output_tokens": 80,
            },
        },
    )  # fmt: skip
    found = requests(
        log(
            tmp_path,
            {"timestamp": at(0), "type": "turn_context", "payload": {"model": "m-codex"}},
            event(1, "user_message", message=SECRET),
            count,
            {**count, "timestamp": at(5)},
        ),
        print,
    )
    (one,) = found
    assert (one.model, one.prompt, one.cached, one.output) == ("m-codex", 700, 256, 80)
    assert one.end_ms - one.start_ms == 3000


@pytest.mark.parametrize(
    ("line", "where", "told"),
    [
        ("{", ":1", "not JSON"),
        ("7", ":1", "expected an object, found a number"),
        (json.dumps(user(1) | {"timestamp": "noon"}), ":1", "timestamp: expected a time such as"),
        (json.dumps({"type": "summary"}), "", "it tells of no request of a session itself"),
    ],
)
def test_what_is_wrong_with_a_log_is_told_with_its_line(tmp_path, line, where, told):
    path = tmp_path / "log.jsonl"
    path.write_text(line)
    problems: list[Problem] = []
    imported(path, problems.append)
    assert problems[0].where == f"{path}{where}"
    assert told in problems[0].what


def test_the_name_of_a_session_is_not_kept(tmp_path):
    trace = trace_of(tmp_path, user(1), assistant(2, "m1", (640, 0, 0, 5)))
    assert trace.id.startswith("session-")
    assert "3f2a" not in trace.id
