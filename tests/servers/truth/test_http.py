"""Connections: order, reuse, splits, and requests that are no HTTP."""

import pytest

from infx.servers.truth import http


def statuses(client):
    return [response.status for response in client.responses]


def test_a_connection_is_used_again(start, chat, get):
    site = start()
    client = site.connect()
    for request in (chat(), get("/health"), chat()):
        client.send(request)
        site.wait(10)
    assert statuses(client) == [200, 200, 200]
    assert all(response.whole for response in client.responses)
    assert not client.closed


def test_pipelined_requests_are_answered_in_order(start, chat, complete, get):
    client = start().ask(chat(max_tokens=4), get("/health"), get("/nowhere"), complete("x"))
    assert statuses(client) == [200, 200, 404, 200]
    assert len(client.responses[0].chunks) == 5
    assert client.responses[3].chunks[0]["object"] == "text_completion"


def test_many_pipelined_requests_stop_the_reading_until_they_are_served(start, chat, get):
    site = start()
    client = site.connect()
    calls = []
    server_side = client.transport.peer
    server_side.pause_reading = lambda: calls.append("pause")
    server_side.resume_reading = lambda: calls.append("resume")
    client.send(chat() + get("/health") * (http.PIPELINE_LIMIT + 1))
    site.wait()
    assert calls == ["pause", "resume"]
    assert statuses(client) == [200] * (http.PIPELINE_LIMIT + 2)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_a_request_may_come_in_any_pieces(start, chat, size):
    site = start()
    client = site.connect()
    request = chat("X-Request-ID: split", max_tokens=2)
    for at in range(0, len(request), size):
        client.send(request[at : at + size])
    site.wait()
    assert len(client.response.chunks) == 3
    assert site.log[0].request_id == "split"


def test_received_is_when_the_last_byte_came(start, chat):
    site = start(ttft_s=0.5)
    client = site.connect()
    request = chat()
    client.send(request[:-1])
    site.at(2, lambda: client.send(request[-1:]))
    site.wait()
    assert site.log[0].received_ns == 3_000_000_000
    assert site.log[0].first_token_ns == 3_500_000_000


def test_a_chunked_body_is_read(start, complete):
    body = complete("one two", max_tokens=1).partition(b"\r\n\r\n")[2]
    head = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    site = start()
    pieces = (body[:9], body[9:])
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    assert site.ask(head + chunked + b"0\r\n\r\n").response.status == 200
    assert site.log[0].prompt_tokens == 2


def test_connection_close_is_honoured(start, chat, get):
    client = start().ask(chat("Connection: close"), get("/health"))
    assert client.response.headers["connection"] == "close"
    assert client.response.whole
    assert client.closed


def test_a_query_is_not_part_of_the_path(start, get):
    assert start().ask(get("/v1/models?x=1")).response.status == 200


def test_a_client_that_waits_to_send_its_body_is_asked_for_it(start, complete):
    head, _, body = complete("x", "Expect: 100-continue").partition(b"\r\n\r\n")
    site = start()
    client = site.connect()
    client.send(head + b"\r\n\r\n")
    site.wait(1)
    assert [data for _, data in client.reads] == [b"HTTP/1.1 100 Continue\r\n\r\n"]
    client.send(body)
    site.wait()
    assert site.log[0].end == "completed"


def test_bytes_that_are_no_http_are_refused_and_the_connection_ends(start):
    client = start().ask(b"\x16\x03\x01 hello\r\n\r\n")
    assert client.response.status == 400
    assert client.response.json["error"]["type"] == "invalid_request_error"
    assert client.closed


def test_garbage_behind_a_request_waits_for_its_answer(start, chat):
    client = start().ask(chat(), b"\x00\x00\r\n\r\n")
    assert statuses(client) == [200, 400]
    assert len(client.responses[0].chunks) == 3
    assert client.closed


def test_http_1_0_is_refused(start):
    client = start().ask(b"GET /health HTTP/1.0\r\n\r\n")
    assert client.response.status == 505
    assert client.closed


def test_a_body_over_the_limit_is_refused(start, complete, monkeypatch):
    monkeypatch.setattr(http, "BODY_LIMIT", 1000)
    site = start()
    assert site.ask(complete(10)).response.status == 200
    client = site.ask(complete(1000))
    assert client.response.status == 413
    assert client.closed


def test_a_body_of_64_mib_in_64_kib_reads_is_counted(start, complete):
    """Proves that reading and counting are not quadratic: a second a pass would not end."""
    site = start()
    client = site.connect()
    request = complete("word " * (64 * 1024 * 1024 // 5), max_tokens=1)
    piece = 1 << 16
    for at in range(0, len(request), piece):
        client.send(request[at : at + piece])
    site.wait()
    assert site.log[0].prompt_tokens == 64 * 1024 * 1024 // 5


def test_an_upgrade_is_ignored_and_the_request_served(start):
    upgrade = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    assert start().ask(upgrade).response.status == 200


def test_stalls_of_the_socket_are_in_the_log(start, chat):
    site = start(ttft_s=0.05)
    client = site.connect()
    client.send(chat())
    site.at(0.01, lambda: client.transport.peer.protocol.pause_writing())
    site.at(0.02, lambda: client.transport.peer.protocol.resume_writing())
    site.wait()
    client.send(chat())
    site.wait()
    assert [sent.stalls for sent in site.log] == [1, 0]
    assert [sent.end for sent in site.log] == ["completed", "completed"]


def test_nothing_is_sent_after_the_client_left(start, chat, complete):
    site = start()
    client = site.connect()
    client.send(chat(max_tokens=50) + complete("x"))
    site.at(0.08, client.leave)
    site.wait()
    assert [sent.end for sent in site.log] == ["client-closed"]
    assert client.reads[-1][0] <= 1_080_000_000
