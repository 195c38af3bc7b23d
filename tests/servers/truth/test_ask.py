"""Well-formed bodies are read exactly; malformed ones are refused, by field."""

import orjson
import pytest

from infx.servers.truth.ask import read_ask
from infx.servers.truth.refusal import Refusal
from infx.servers.truth.script import EngineModel, Script

HELLO = [{"role": "user", "content": "hello big world"}]


def read(fields, api="chat", **script):
    return read_ask(orjson.dumps(fields), api, Script(**script))


def refusal(fields, api="chat"):
    with pytest.raises(Refusal) as caught:
        read(fields, api)
    return caught.value


def test_a_chat_prompt_counts_the_words_of_all_messages_and_the_template_once():
    messages = [
        {"role": "system", "content": "be brief"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "one two"}, {"type": "text", "text": "3"}],
        },
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": ""},
    ]
    assert read({"messages": messages}).prompt_tokens == 2 + 3 + 7
    assert read({"messages": messages}, template_tokens=0).prompt_tokens == 5
    assert read({"messages": messages}, tokens_per_word=1.5).prompt_tokens == 7 + 7


def test_a_completion_prompt_counts_its_words_or_its_token_ids():
    assert read({"prompt": "one two three"}, "completions").prompt_tokens == 3
    assert read({"prompt": "a b c"}, "completions", tokens_per_word=2.5).prompt_tokens == 7
    assert read({"prompt": [5, 6, 7, 8]}, "completions", tokens_per_word=2.5).prompt_tokens == 4


@pytest.mark.parametrize(
    ("fields", "tokens"),
    [
        ({}, 128),
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 6}, 6),
        ({"max_tokens": 5, "max_completion_tokens": 6}, 6),
        ({"max_tokens": None}, 128),
    ],
)
def test_the_limit_is_honoured(fields, tokens):
    assert read({"messages": HELLO, **fields}).tokens == tokens


def test_unknown_fields_are_accepted():
    extra = {"ignore_eos": True, "temperature": 0.0, "top_k": -1, "seed": 1, "x": {"y": []}}
    assert read({"messages": HELLO, **extra}).prompt_tokens == 10


def test_streaming_and_usage_are_off_unless_asked():
    ask = read({"messages": HELLO})
    assert (ask.stream, ask.include_usage, ask.continuous_usage) == (False, False, False)
    options = {"include_usage": True, "continuous_usage_stats": True}
    ask = read({"messages": HELLO, "stream": True, "stream_options": options})
    assert (ask.stream, ask.include_usage, ask.continuous_usage) == (True, True, True)


def test_usage_in_every_chunk_needs_usage_at_all():
    options = {"continuous_usage_stats": True}
    ask = read({"messages": HELLO, "stream": True, "stream_options": options})
    assert not ask.continuous_usage


def test_reasoning_is_a_share_of_a_chat_answer_only():
    fields = {"messages": HELLO, "max_tokens": 10}
    assert read(fields, reasoning_share=0.35).reasoning_tokens == 3
    assert read({"prompt": "x"}, "completions", reasoning_share=0.35).reasoning_tokens == 0


def test_equal_bodies_share_a_seed_and_blocks_exist_only_with_a_cache():
    assert read({"messages": HELLO}).seed == read({"messages": HELLO}).seed
    assert read({"messages": HELLO}).blocks == ()
    long = [{"role": "user", "content": "w " * 40}]
    assert len(read({"messages": long}, engine=EngineModel()).blocks) == 47 // 16


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages[0]"),
        ({"messages": [*HELLO, {"content": "x"}]}, "messages[1].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[0].content[0]",
        ),
        ({"messages": HELLO, "max_tokens": 0}, "max_tokens"),
        ({"messages": HELLO, "max_tokens": -1}, "max_tokens"),
        ({"messages": HELLO, "max_tokens": "5"}, "max_tokens"),
        ({"messages": HELLO, "max_tokens": 1.5}, "max_tokens"),
        ({"messages": HELLO, "max_tokens": True}, "max_tokens"),
        ({"messages": HELLO, "max_tokens": 0, "max_completion_tokens": 5}, "max_tokens"),
        ({"messages": HELLO, "n": 2}, "n"),
        ({"messages": HELLO, "stream": "yes"}, "stream"),
        ({"messages": HELLO, "stream": True, "stream_options": []}, "stream_options"),
        ({"messages": HELLO, "stream_options": {"include_usage": True}}, "stream_options"),
        (
            {"messages": HELLO, "stream": True, "stream_options": {"include_usage": 1}},
            "include_usage",
        ),
        ({"messages": HELLO, "model": 5}, "model"),
    ],
)
def test_a_malformed_chat_body_is_refused_by_field(fields, param):
    refused = refusal(fields)
    assert (refused.status, refused.param) == (400, param)


@pytest.mark.parametrize("prompt", [None, "", [], ["a"], [True], 7, {"a": 1}])
def test_a_malformed_completion_prompt_is_refused(prompt):
    refused = refusal({"prompt": prompt}, "completions")
    assert (refused.status, refused.param) == (400, "prompt")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"messages": NaN}', b"\xff"])
def test_a_body_that_is_no_json_object_is_refused(body):
    with pytest.raises(Refusal) as caught:
        read_ask(body, "chat", Script())
    assert caught.value.status == 400


def test_a_model_that_is_not_served_is_not_found():
    refused = refusal({"messages": HELLO, "model": "gpt-9"})
    assert (refused.status, refused.code, refused.param) == (404, "model_not_found", "model")
    assert orjson.loads(refused.body()) == {
        "error": {
            "message": "The model `gpt-9` does not exist; served is `truth`.",
            "type": "invalid_request_error",
            "param": "model",
            "code": "model_not_found",
        }
    }
