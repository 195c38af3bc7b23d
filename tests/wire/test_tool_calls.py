"""Tool calls come in pieces, and are put together as a message has them."""

from infx.wire.tool_calls import ToolCalls, names_or_arguments


def whole(*deltas: object) -> dict[str, object]:
    calls = ToolCalls()
    for delta in deltas:
        calls.take(delta)
    return calls.member()


def piece(index: int | None = None, **fields: object) -> list[dict[str, object]]:
    return [{**({} if index is None else {"index": index}), **fields}]


def test_pieces_of_a_call_are_joined_by_their_index() -> None:
    found = whole(
        piece(1, id="b", function={"name": "cat"}),
        piece(0, id="a", function={"name": "ls", "arguments": "{"}),
        piece(0, id="a", function={"arguments": '"x":1}'}),
    )
    assert found == {
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "ls", "arguments": '{"x":1}'}},
            {"id": "b", "type": "function", "function": {"name": "cat", "arguments": ""}},
        ]
    }


def test_a_lone_call_needs_no_index() -> None:
    (call,) = whole(piece(function={"name": "ls", "arguments": None}))["tool_calls"]
    assert call == {"id": "", "type": "function", "function": {"name": "ls", "arguments": ""}}


def test_what_is_no_call_is_none() -> None:
    assert whole(None, "x", [3], []) == {}
    assert not names_or_arguments([{"index": 0, "function": {"name": "", "arguments": ""}}])
    assert not names_or_arguments([3, {"function": None}])
    assert names_or_arguments([{"function": {"arguments": "{"}}])
