"""Scripted faults that cut, delay or divide what leaves, and what the log then says."""

import socket
from itertools import pairwise

import orjson
import pytest

from infx.clock import NS
from infx.servers.truth.faults import read_faults
from infx.servers.truth.script import Script
from served import truth_server
from server_log import writes_after


def test_a_batch_leaves_together_and_the_log_says_when(play):
    client, sent = play("batch:2")
    assert len(client.response.chunks) == 3
    assert writes_after(sent) == [(2, 2), (3, 1)]
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
    assert client.response.deltas == plain.response.deltas
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
    moments = [moment for moment, _ in writes_after(sent)]
    assert moments == sorted(moments)
    assert all(later - earlier >= 0.00999 for earlier, later in pairwise(moments))
    assert sent.last_token_ns - sent.received_ns == 3 * NS
    assert moments[-1] > 6


def test_a_client_that_leaves_a_trickle_ends_its_log_entry(start, chat):
    site = start(itl_s=1.0, role_chunk="none", ttft_s=1.0, faults=read_faults(["trickle:0.01"]))
    client = site.connect()
    client.send(chat(max_tokens=3))
    site.wait(1.5)
    client.leave()
    site.wait()
    (sent,) = site.log
    assert sent.end == "client-closed"
    assert len(sent.writes) == 51


def test_a_kept_connection_is_cut_after_its_answer(start, chat):
    site = start(itl_s=1.0, role_chunk="none", ttft_s=1.0, faults=read_faults(["cut"]))
    client = site.ask(chat(max_tokens=3))
    assert client.closed
    assert client.response.whole
    assert "connection" not in client.response.headers
    assert site.log[0].end == "completed"


def test_an_idle_connection_is_cut_and_a_busy_one_is_not(start, chat):
    site = start(itl_s=1.0, role_chunk="none", ttft_s=1.0, faults=read_faults(["idle-cut:5"]))
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
    site = start(itl_s=1.0, role_chunk="none", ttft_s=1.0, faults=read_faults(names))
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
