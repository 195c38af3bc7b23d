"""What a client reads in an answer: events in OpenAI's shape, as vLLM sends them."""

import pytest

from infx.servers.truth.script import EngineModel
from infx.servers.truth.words import PASSAGE, answer_text


def deltas(response):
    return [choice["delta"] for chunk in response.chunks for choice in chunk["choices"]]


def test_a_streamed_chat_answer_word_for_word(start, chat):
    site = start(model="m", ttft_s=0.05, itl_s=0.005)
    response = site.ask(
        chat("X-Request-ID: r1", max_tokens=2, stream_options={"include_usage": True})
    ).response
    first, second = (answer_text(site_seed(response), n, 1).decode() for n in (0, 1))
    head = '{"id":"chatcmpl-r1","object":"chat.completion.chunk","created":1800000001,"model":"m",'
    none = '"logprobs":null,"finish_reason":null}]}'
    assert response.events == [
        head + '"choices":[{"index":0,"delta":{"role":"assistant","content":""},' + none,
        head + '"choices":[{"index":0,"delta":{"content":"' + first[1:] + '"},' + none,
        head + '"choices":[{"index":0,"delta":{"content":"' + second + '"},'
        '"logprobs":null,"finish_reason":"length"}]}',
        head + '"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}',
        "[DONE]",
    ]
    assert response.status == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["x-request-id"] == "r1"


def site_seed(response):
    """Where in the passage the answer begins, read from its first two words."""
    text = "".join(delta.get("content", "") for delta in deltas(response))
    words = PASSAGE.split()
    return next(
        n for n in range(len(words)) if " ".join((words + words)[n : n + len(text.split())]) == text
    )


def test_a_streamed_completion(start, complete):
    response = start().ask(complete("one two", max_tokens=3)).response
    choices = [chunk["choices"][0] for chunk in response.chunks]
    assert [choice["finish_reason"] for choice in choices] == [None, None, "length"]
    assert len("".join(choice["text"] for choice in choices).split()) == 3
    assert {chunk["object"] for chunk in response.chunks} == {"text_completion"}
    assert all("usage" not in chunk for chunk in response.chunks)


def test_a_role_chunk_at_admission_comes_before_the_first_token(start, chat):
    client = start(role_chunk="admission", ttft_s=0.05).ask(chat(max_tokens=1))
    role, content, *_ = [read for read in client.reads if b"data:" in read[1]]
    assert b'"role":"assistant"' in role[1]
    assert content[0] - role[0] == 50_000_000
    assert b'"content":""' not in content[1]


def test_a_role_chunk_with_the_first_token_shares_its_write(start, chat):
    site = start(role_chunk="first-token")
    client = site.ask(chat(max_tokens=2))
    first = next(read for _, read in client.reads if b"data:" in read)
    assert first.count(b"data: ") == 2
    assert [tokens for _, tokens in site.log[0].writes] == [1, 1, 0]


def test_without_a_role_chunk_every_delta_has_text(start, chat):
    response = start(role_chunk="none").ask(chat(max_tokens=3)).response
    assert [list(delta) for delta in deltas(response)] == [["content"]] * 3


@pytest.mark.parametrize("role", ["admission", "first-token", "none"])
def test_completions_have_no_role_chunk(start, complete, role):
    assert len(start(role_chunk=role).ask(complete("x", max_tokens=3)).response.chunks) == 3


def test_reasoning_comes_first_and_is_never_mixed_with_content(start, chat):
    site = start(reasoning_share=0.5, tokens_per_chunk=4, role_chunk="none")
    asked = chat(max_tokens=11, stream_options={"include_usage": True})
    response = site.ask(asked).response
    shape = [
        (kind, len(text.split())) for delta in deltas(response) for kind, text in delta.items()
    ]
    assert shape == [
        ("reasoning_content", 4),
        ("reasoning_content", 1),
        ("content", 4),
        ("content", 2),
    ]
    usage = response.chunks[-1]["usage"]
    assert usage["completion_tokens"] == 11
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 5}
    assert (site.log[0].completion_tokens, site.log[0].reasoning_tokens) == (11, 5)


def test_an_answer_may_be_reasoning_only(start, chat):
    response = start(reasoning_share=1.0, role_chunk="none").ask(chat(max_tokens=2)).response
    assert [list(delta) for delta in deltas(response)] == [["reasoning_content"]] * 2
    assert response.chunks[-1]["choices"][0]["finish_reason"] == "length"


def test_usage_in_every_chunk_counts_up(start, chat):
    options = {"include_usage": True, "continuous_usage_stats": True}
    response = start(tokens_per_chunk=2).ask(chat(max_tokens=5, stream_options=options)).response
    counted = [chunk["usage"]["completion_tokens"] for chunk in response.chunks]
    assert counted == [0, 2, 4, 5, 5]
    assert {chunk["usage"]["prompt_tokens"] for chunk in response.chunks} == {10}
    assert response.chunks[-1]["choices"] == []


def test_only_a_server_with_a_cache_reports_cached_tokens(start, chat):
    asked = chat(max_tokens=1, words=50, stream_options={"include_usage": True})
    assert "prompt_tokens_details" not in start().ask(asked).response.chunks[-1]["usage"]
    site = start(engine=EngineModel())
    details = [site.ask(asked).response.chunks[-1]["usage"]["prompt_tokens_details"] for _ in "ab"]
    assert details == [{"cached_tokens": 0}, {"cached_tokens": 48}]


def test_a_chat_answer_that_is_not_streamed(start, chat):
    site = start(reasoning_share=0.25)
    response = site.ask(chat("X-Request-ID: r1", max_tokens=8, stream=False)).response
    body = response.json
    message = body["choices"][0].pop("message")
    assert len(message["content"].split()) == 6
    assert len(message["reasoning_content"].split()) == 2
    assert message["role"] == "assistant"
    assert body == {
        "id": "chatcmpl-r1",
        "created": 1_800_000_001,
        "model": "truth",
        "object": "chat.completion",
        "choices": [{"index": 0, "logprobs": None, "finish_reason": "length"}],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": 8,
            "total_tokens": 18,
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    }


def test_streamed_and_whole_answers_have_the_same_number_of_words(start, complete):
    site = start()
    whole = site.ask(complete("x", max_tokens=40, stream=False)).response.json
    streamed = site.ask(complete("x", max_tokens=40)).response.chunks
    assert len(whole["choices"][0]["text"].split()) == 40
    assert len("".join(chunk["choices"][0]["text"] for chunk in streamed).split()) == 40


def test_equal_requests_get_equal_words_and_answers_without_id_are_numbered(start, chat):
    site = start()
    one, two = (site.ask(chat(max_tokens=30)).response for _ in "ab")
    assert deltas(one) == deltas(two)
    assert [one.chunks[0]["id"], two.chunks[0]["id"]] == ["chatcmpl-1", "chatcmpl-2"]


def test_an_answer_longer_than_the_passage_walks_it_again():
    words = PASSAGE.split()
    text = answer_text(3, 0, len(words) + 1).decode().split()
    assert text == words[3:] + words[:4]
