"""Scripted faults: what each puts on the wire, when it strikes, and what the log then says."""

import socket
from itertools import pairwise

import orjson
import pytest

from infx.clock import NS
from infx.errors import InputError
from infx.servers.truth.__main__ import parser, script_of
from infx.servers.truth.fault import Chance, Fault
from infx.servers.truth.faults import FAULTS, read_fault, read_faults
from infx.servers.truth.script import Script
from served import truth_server

# Without a role chunk an answer of 3 tokens at 1 s, 2 s and 3 s is three events and `[DONE]`.
PLAIN = {"ttft_s": 1.0, "itl_s": 1.0, "role_chunk": "none"}


@pytest.fixture
def play(start, chat):
    """Ask for three tokens of a server with these faults; return the client and the log entry."""

    def play(*faults: str, fields=None, **script):
        site = start(**{**PLAIN, **script}, faults=read_faults(faults))
        client = site.ask(chat(max_tokens=3, **(fields or {})))
        client.leave()
        site.wait(1)
        (sent,) = site.log
        return client, sent

    return play


def after(sent):
    """Seconds and tokens of each write."""
    return [((moment - sent.received_ns) / NS, tokens) for moment, tokens in sent.writes]


def deltas(client):
    return [chunk["choices"][0]["delta"] for chunk in client.response.chunks if chunk["choices"]]


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
    assert after(sent) == [(1, 1), (2, 1)]


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
    assert after(sent) == [(1, 1), (2, 1), (3, 0)]


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
    first, second, third = deltas(client)
    assert list(first) == list(third) == ["reasoning"]
    (call,) = second["tool_calls"]
    assert call["function"]["name"] == "write"
    assert call["function"]["arguments"].split()


def test_multibyte_text_keeps_its_words(play):
    plain, _ = play()
    client, _ = play("multibyte")
    assert len(client.response.body) > len(plain.response.body)
    assert not client.response.body.isascii()
    for one, other in zip(deltas(plain), deltas(client), strict=True):
        assert len(one["content"]) == len(other["content"])


def test_a_finish_chunk_apart(play):
    client, sent = play("finish-apart")
    chunks = client.response.chunks
    assert [bool(chunk["choices"][0]["delta"]) for chunk in chunks] == [True] * 3 + [False]
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert reasons == [None] * 3 + ["length"]
    assert after(sent)[-2:] == [(3, 1), (3, 0)]


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
    texts = [delta.get("content") for delta in deltas(client)]
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


def test_a_batch_leaves_together_and_the_log_says_when(play):
    client, sent = play("batch:2")
    assert len(client.response.chunks) == 3
    assert after(sent) == [(2, 2), (3, 1)]
    assert sent.first_token_ns - sent.received_ns == NS


@pytest.mark.parametrize("act", ["reset", "close"])
@pytest.mark.parametrize(
    ("place", "whole_events", "more"),
    [("0", 0, False), ("1", 1, False), ("1.5", 1, True), ("3", 3, False)],
)
def test_a_connection_is_cut_at_its_place(play, act, place, whole_events, more):
    client, sent = play(f"{act}:{place}")
    assert client.closed
    assert not client.response.whole
    body = client.response.body
    assert body.count(b"\n\n") == whole_events
    assert body.endswith(b"\n\n") is (not more and whole_events > 0)
    assert sum(tokens for _, tokens in sent.writes) == whole_events
    assert sent.end == "server-closed"


@pytest.mark.parametrize("act", ["reset", "close", "hang"])
def test_before_the_head_no_byte_leaves(play, act):
    client, sent = play(f"{act}:head", role_chunk="admission")
    assert client.reads == []
    assert sent.writes == ()
    assert sent.end == ("client-closed" if act == "hang" else "server-closed")


def test_a_hang_passes_what_is_before_it(play):
    client, sent = play("hang:2")
    assert client.response.body.count(b"\n\n") == 2
    assert not client.response.whole
    assert sent.end == "client-closed"


@pytest.mark.parametrize("fault", ["rechunk:1", "rechunk:7", "split:0", "trickle:0", "split:0.25"])
def test_pieces_are_the_same_stream(play, fault):
    plain, _ = play()
    client, sent = play(fault)
    assert client.response.whole
    assert deltas(client) == deltas(plain)
    assert len(sent.writes) > 4
    assert sum(tokens for _, tokens in sent.writes) == 3


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("fault", ["split:0.25", "trickle:0.001"])
def test_tokens_are_logged_with_the_piece_that_ends_their_data(play, fault, seed):
    client, sent = play(fault, fault_seed=seed)
    whole, raw = [], b""
    for moment, data in client.reads:
        texts = raw.count(b'"finish_reason":null}]}') + raw.count(b'"finish_reason":"length"}]}')
        raw += data
        now = raw.count(b'"finish_reason":null}]}') + raw.count(b'"finish_reason":"length"}]}')
        whole += [moment] * (now - texts)
    assert [moment for moment, tokens in sent.writes if tokens] == whole
    assert len(whole) == 3


def test_a_trickle_is_slower_than_its_tokens_and_keeps_their_order(play):
    client, sent = play("trickle:0.01")
    assert client.response.whole
    moments = [moment for moment, _ in after(sent)]
    assert moments == sorted(moments)
    assert all(later - earlier >= 0.00999 for earlier, later in pairwise(moments))
    assert sent.last_token_ns - sent.received_ns == 3 * NS
    assert moments[-1] > 6


def test_a_client_that_leaves_a_trickle_ends_its_log_entry(start, chat):
    site = start(**PLAIN, faults=read_faults(["trickle:0.01"]))
    client = site.connect()
    client.send(chat(max_tokens=3))
    site.wait(1.5)
    client.leave()
    site.wait()
    (sent,) = site.log
    assert sent.end == "client-closed"
    assert len(sent.writes) == 51


def test_a_kept_connection_is_cut_after_its_answer(start, chat):
    site = start(**PLAIN, faults=read_faults(["cut"]))
    client = site.ask(chat(max_tokens=3))
    assert client.closed
    assert client.response.whole
    assert "connection" not in client.response.headers
    assert site.log[0].end == "completed"


def test_an_idle_connection_is_cut_and_a_busy_one_is_not(start, chat):
    site = start(**PLAIN, faults=read_faults(["idle-cut:5"]))
    client = site.connect()
    client.send(chat(max_tokens=3))
    site.wait(3 + 4.5)
    client.send(chat(max_tokens=3))
    site.wait(3 + 4.5)
    assert [response.whole for response in client.responses] == [True, True]
    assert not client.closed
    site.wait(1)
    assert client.closed


def test_faults_compose_in_the_order_of_the_table(play):
    """The half event of a reset has the line ends, comments and spaces of a whole one."""
    client, sent = play("reset:1.5", "crlf", "comments", "no-space", "multibyte", "split:0.1")
    body = client.response.body
    assert body.startswith(b": keep-alive\r\n\r\n: of this event\r\ndata:{")
    assert body.count(b"data:{") == 2
    assert not body.isascii()
    assert set(sent.faults) == {
        "reset:1.5", "crlf", "comments", "no-space", "multibyte", "split:0.1",
    }  # fmt: skip


def test_completions_are_spoiled_too(start, complete):
    names = ("finish-apart", "empty-deltas", "multibyte", "usage-always", "channels")
    site = start(**PLAIN, faults=read_faults(names))
    chunks = site.ask(complete(4, max_tokens=2)).response.chunks
    texts = [chunk["choices"][0]["text"] for chunk in chunks]
    assert texts[0::2] == ["", "", ""]
    assert not "".join(texts).isascii()
    assert [chunk["usage"]["completion_tokens"] for chunk in chunks] == [1, 1, 2, 2, 2]


def test_on_a_socket_a_reset_is_a_reset_and_a_close_is_not():
    request = orjson.dumps(
        {"messages": [{"role": "user", "content": "a"}], "max_tokens": 9, "stream": True}
    )
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"

    def ends(act: str) -> bytes | None:
        script = Script(ttft_s=0, itl_s=0, faults=read_faults([f"{act}:3"]))
        with truth_server(script) as url:
            host, _, port = url.removeprefix("http://").partition(":")
            with socket.create_connection((host, int(port)), timeout=10) as connection:
                connection.sendall(head % len(request) + request)
                try:
                    while connection.recv(4096):
                        pass
                except ConnectionResetError:
                    return None
        return b""

    assert ends("reset") is None
    assert ends("close") == b""
