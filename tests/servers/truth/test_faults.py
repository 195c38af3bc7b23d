"""Scripted faults: what each puts on the wire, when it strikes, and what the log then says."""

import orjson
import pytest

from infx.errors import InputError
from infx.servers.truth.__main__ import parser, script_of
from infx.servers.truth.fault import Chance, Fault
from infx.servers.truth.faults import FAULTS, read_fault, read_faults
from server_log import writes_after


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("reset", Fault("reset", "10")),
        ("reset:3.5", Fault("reset", "3.5")),
        ("crlf@4", Fault("crlf", "", every=4, first=4)),
        ("hang:head@4+1", Fault("hang", "head", every=4, first=1)),
        ("refuse:429@12.5%", Fault("refuse", "429", share=0.125)),
    ],
)
def test_a_fault_is_read_from_its_text(text, fault):
    assert read_fault(text) == fault


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rest", "unknown fault rest; did you mean reset?"),
        ("crlf:1", "crlf cannot have the argument '1'; it takes none"),
        ("reset:soon", "reset cannot have the argument 'soon'; write it as reset:PLACE"),
        ("refuse:200", "write it as refuse:STATUS"),
        ("channels:speech", "channels cannot have the argument"),
        ("crlf@0", "crlf@0 does not say when; write @4, @4+1 or @10%"),
        ("crlf@often", "does not say when"),
        ("batch:0", "write it as batch:N"),
    ],
)
def test_what_is_no_fault_is_told(text, problem):
    with pytest.raises(InputError) as caught:
        read_fault(text)
    assert problem in str(caught.value.problems[0])


def test_the_problems_of_all_faults_are_told_at_once():
    with pytest.raises(InputError) as caught:
        read_faults(["crlf", "rest", "batch:0"])
    assert len(caught.value.problems) == 2


def test_every_default_is_an_argument_that_can_be_written():
    assert [str(read_fault(name)) for name in FAULTS] == [
        f"{name}:{leaf.default}" if leaf.default else name for name, leaf in FAULTS.items()
    ]


def test_arguments_of_the_program_become_faults():
    options = parser().parse_args(["--fault", "crlf@2", "--fault", "split", "--fault-seed", "7"])
    script = script_of(options)
    assert script.faults == (Fault("crlf", "", 2, 2), Fault("split", "0"))
    assert script.fault_seed == 7


def test_streamed_requests_are_struck_by_number_and_others_are_not_counted(start, chat):
    site = start(faults=read_faults(("refuse:503@3+2", "crlf@2")))
    for number in range(8):
        site.ask(chat(stream=number != 1))
    assert [sent.faults for sent in site.log] == [
        (), (), ("refuse:503", "crlf"), (), ("crlf",), ("refuse:503",), ("crlf",), (),
    ]  # fmt: skip


def test_a_share_is_seeded():
    fault = read_fault("crlf@25%")
    struck = [[fault.strikes(number, seed) for number in range(1, 1001)] for seed in (0, 0, 1)]
    assert struck[0] == struck[1] != struck[2]
    assert 200 <= sum(struck[0]) <= 300


def test_chance_reaches_all_it_may_and_nothing_else():
    chance = Chance("seed", 1)
    assert {chance.below(5) for _ in range(200)} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("fault", "status", "code", "retry"),
    [
        ("refuse:401", 401, "invalid_api_key", None),
        ("refuse:429", 429, "rate_limit_exceeded", "1"),
        ("refuse:500", 500, None, None),
        ("refuse", 503, None, "1"),
        ("overflow", 400, "context_length_exceeded", None),
    ],
)
def test_refusals(play, fault, status, code, retry):
    client, sent = play(fault)
    response = client.response
    assert (response.status, response.json["error"]["code"]) == (status, code)
    assert response.headers.get("retry-after") == retry
    assert (sent.end, sent.status) == ("refused", status)
    assert sent.faults == (str(read_fault(fault)),)


def test_stop_finishes_early_and_says_so(play):
    usage = {"stream_options": {"include_usage": True}}
    client, sent = play("stop:2", fields=usage)
    *texts, last = client.response.chunks
    assert [chunk["choices"][0]["finish_reason"] for chunk in texts] == [None, "stop"]
    assert last["usage"]["completion_tokens"] == 2
    assert (sent.end, sent.completion_tokens, sent.asked_tokens) == ("completed", 2, 3)
    assert writes_after(sent) == [(1, 1), (2, 1)]


@pytest.mark.parametrize("fault", ["stop:5", "error:5", "reset:5", "hang:9.5"])
def test_a_place_beyond_the_answer_is_never_reached(play, fault):
    client, sent = play(fault)
    if fault == "error:5":
        assert client.response.events[-2].startswith('{"error"')
    else:
        assert len(client.response.chunks) == 3
        assert sent.end == "completed"


def test_an_error_in_the_stream_ends_it_cleanly(play):
    client, sent = play("error:2")
    *texts, error, done = client.response.events
    assert (len(texts), done) == (2, "[DONE]")
    assert set(orjson.loads(error)["error"]) == {"message", "type", "code"}
    assert client.response.whole
    assert writes_after(sent) == [(1, 1), (2, 1), (3, 0)]


def test_an_error_event_is_named(play):
    client, _ = play("error-event:0")
    assert client.response.body.startswith(b'event: error\ndata: {"error":')
    assert b"[DONE]" not in client.response.body


@pytest.mark.parametrize(
    ("rest", "body"),
    [("done", [b"data: [DONE]"]), ("nothing", []), ("finish", [b'"stop"', b"data: [DONE]"])],
)
def test_an_empty_answer_has_no_token(play, rest, body):
    client, sent = play(f"empty:{rest}", role_chunk="admission")
    blocks = client.response.body.split(b"\n\n")[:-1]
    assert len(blocks) == len(body)
    assert all(part in block for part, block in zip(body, blocks, strict=True))
    assert client.response.whole
    assert [tokens for _, tokens in sent.writes] == [0] * bool(body)


def test_usage_counts_the_prompt_otherwise_and_the_log_does_not(play):
    client, sent = play("prompt-count:1.5", fields={"stream_options": {"include_usage": True}})
    assert sent.prompt_tokens == 10
    usage = client.response.chunks[-1]["usage"]
    assert (usage["prompt_tokens"], usage["total_tokens"]) == (15, 18)


def test_channels_take_turns(play):
    client, _ = play("channels:reasoning+tool_calls")
    first, second, third = client.response.deltas
    assert list(first) == list(third) == ["reasoning"]
    (call,) = second["tool_calls"]
    assert call["function"]["name"] == "write"
    assert call["function"]["arguments"].split()


def test_multibyte_text_keeps_its_words(play):
    plain, _ = play()
    client, _ = play("multibyte")
    assert len(client.response.body) > len(plain.response.body)
    assert not client.response.body.isascii()
    for one, other in zip(plain.response.deltas, client.response.deltas, strict=True):
        assert len(one["content"]) == len(other["content"])


def test_a_finish_chunk_apart(play):
    client, sent = play("finish-apart")
    chunks = client.response.chunks
    assert [bool(chunk["choices"][0]["delta"]) for chunk in chunks] == [True] * 3 + [False]
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert reasons == [None] * 3 + ["length"]
    assert writes_after(sent)[-2:] == [(3, 1), (3, 0)]


def test_usage_in_every_chunk_or_in_none(play):
    always, _ = play("usage-always", tokens_per_chunk=2)
    counts = [chunk["usage"]["completion_tokens"] for chunk in always.response.chunks]
    assert counts == [2, 3]
    fields = {"stream_options": {"include_usage": True, "continuous_usage_stats": True}}
    never, _ = play("usage-never", fields=fields)
    assert len(never.response.chunks) == 3
    assert b"usage" not in never.response.body


def test_empty_deltas_stand_before_each_text(play):
    client, _ = play("empty-deltas")
    texts = [delta.get("content") for delta in client.response.deltas]
    assert texts[0::3] == [None] * 3
    assert texts[1::3] == [""] * 3
    assert all(texts[2::3])


@pytest.mark.parametrize(
    ("fault", "first", "last"),
    [
        ("no-done", b"data: {", b"}\n\n"),
        ("comments", b": keep-alive\n\n: of this event\ndata: {", b"data: [DONE]\n\n"),
        ("no-space", b"data:{", b"data:[DONE]\n\n"),
        ("crlf", b"data: {", b"data: [DONE]\r\n\r\n"),
    ],
)
def test_other_ways_to_write_events(play, fault, first, last):
    client, sent = play(fault)
    body = client.response.body
    assert body.startswith(first)
    assert body.endswith(last)
    assert body.count(b"chat.completion.chunk") == 3
    if fault == "crlf":
        assert body.count(b"\n") == body.count(b"\r\n")
    assert [tokens for _, tokens in sent.writes][:3] == [1, 1, 1]
