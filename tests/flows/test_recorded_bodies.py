"""Recorded request bodies, replayed against the truth server: what it was sent is what it heard."""

from pathlib import Path

from infx.flows.replaying import stated
from infx.model.agentic import AgenticWorkload
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import Script
from overheard import Wire
from playing import play
from recorded import corpus
from replaying import PACE

TOOLS = [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]
CALLS = [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"a": "b\\""}'}}]


def test_prompts_of_ones_own_bring_their_tools(tmp_path: Path) -> None:
    """One row has tools and an answer that called one; the workload's temperature is its own."""
    messages = [
        {"role": "user", "content": "list"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "content": "a b", "tool_call_id": "c1"},
    ]
    row = {"messages": messages, "tools": TOOLS, "temperature": 0.9, "id": 7}
    path = corpus(tmp_path, row)
    wire = Wire()
    play(
        tmp_path / "runs", Script(**PACE), workload=FixedWorkload(osl=4, requests=1, warmups=0),
        dataset=path, concurrency=(1,), before=wire.before,
    )  # fmt: skip
    (heard,) = wire.heard
    called = {"role": "assistant", "content": "", "tool_calls": CALLS}
    assert heard.body["messages"] == [messages[0], called, messages[2]]
    assert (heard.body["tools"], heard.body["temperature"]) == (TOOLS, 0.0)
    assert "id" not in heard.body


def test_a_conversation_with_tools_is_asked_as_it_was_recorded(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "list"},
        {"role": "assistant", "content": None, "tool_calls": CALLS, "latency": 3},
        {"role": "tool", "content": "a b", "tool_call_id": "c1"},
    ]
    row = {
        "messages": messages, "max_tokens": 5, "tools": TOOLS,
        "extra": {"tool_choice": "auto", "logprobs": True},
    }  # fmt: skip
    path = corpus(tmp_path, row)
    loose = AgenticWorkload.under(
        "custom", corpus=f"sha256:{'0' * 64}", window=None, warmups_per_lane=0, duration_s=None,
        cache_bust=False,
    )  # fmt: skip
    wire = Wire()
    outcome, _, said = play(
        tmp_path / "runs", Script(**PACE), workload=stated(loose, path), corpus=path,
        concurrency=(1,), before=wire.before,
    )  # fmt: skip
    first, second = (one.body for one in wire.heard)
    assert first["tools"] == second["tools"] == TOOLS
    assert first["tool_choice"] == second["tool_choice"] == "auto"
    assert "logprobs" not in first
    assert first["messages"] == messages[:1]
    called = {"role": "assistant", "content": "", "tool_calls": CALLS}
    assert second["messages"] == [messages[0], called, messages[2]]
    (point,) = outcome.run.points
    assert point.audit["unsent_fields"] == {"logprobs": 2, "messages[].latency": 2}
    told = (
        "recorded fields that are not sent: logprobs (2 requests), messages[].latency (2 requests)"
    )
    assert said.count(told) == 1
    assert outcome.run.result.points[0].counts.ok == 2
