"""Routes, the API key, refusals in the log, and the seam for scripted faults."""

from collections import deque

import pytest

from infx.servers.truth.refusal import Refusal
from infx.servers.truth.script import EngineModel


def test_models_names_the_served_model(start, get):
    response = start(model="smol").ask(get("/v1/models")).response
    assert response.status == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json == {
        "object": "list",
        "data": [{"id": "smol", "object": "model", "created": 1_800_000_001, "owned_by": "infx"}],
    }


def test_an_engine_states_its_longest_request(start, get):
    response = start(engine=EngineModel(kv_tokens=4096)).ask(get("/v1/models")).response
    assert response.json["data"][0]["max_model_len"] == 4096


def test_health_answers(start, get):
    assert start().ask(get("/health")).response.status == 200


def test_an_unknown_path_is_not_found(start, post):
    response = start().ask(post("/v1/embeddings", b"{}")).response
    assert response.status == 404
    assert response.json["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/chat/completions", "POST"),
        ("GET", "/v1/completions", "POST"),
        ("POST", "/v1/models", "GET"),
        ("DELETE", "/health", "GET"),
        ("POST", "/metrics", "GET"),
    ],
)
def test_a_wrong_method_is_told_the_right_one(start, post, method, path, allowed):
    response = start().ask(post(path, method=method)).response
    assert (response.status, response.headers["allow"]) == (405, allowed)


def test_without_its_key_nothing_under_v1_is_served(start, chat, get):
    site = start(api_key="k1")
    for request in (chat(), chat("Authorization: Bearer other"), get("/v1/models")):
        response = site.ask(request).response
        assert response.status == 401
        assert response.json["error"]["code"] == "invalid_api_key"
    assert site.ask(chat("Authorization: Bearer k1")).response.status == 200
    assert site.ask(get("/health")).response.status == 200
    assert site.ask(get("/metrics")).response.status == 200


def test_a_model_that_is_not_served_is_not_found(start, chat):
    response = start(model="m").ask(chat(model="n")).response
    assert response.status == 404
    assert response.json["error"]["code"] == "model_not_found"
    assert start(model="m").ask(chat(model="m")).response.status == 200


def test_refused_generation_requests_are_logged(start, post, get):
    site = start()
    site.ask(post("/v1/chat/completions", b"{", "X-Request-ID: bad"), get("/nowhere"))
    sent = site.log[0]
    assert len(site.log) == 1
    assert (sent.request_id, sent.end, sent.status, sent.api) == ("bad", "refused", 400, "chat")
    assert (sent.prompt_tokens, sent.admitted_ns, sent.writes) == (None, None, ())


def test_stop_logs_what_is_unfinished_and_cuts_every_connection(start, chat, get):
    site = start()
    idle, busy = site.ask(get("/health")), site.connect()
    busy.send(chat(max_tokens=1000))
    site.wait(0.1)
    site.server.stop()
    site.wait()
    assert [sent.end for sent in site.log] == ["server-closed"]
    assert 0 < site.log[0].completion_tokens < 1000
    assert idle.closed
    assert busy.closed


class Crlf:
    """An outlet that ends lines with CRLF, as some servers do."""

    def __init__(self, outlet):
        self.open, self.finish = outlet.open, outlet.finish
        self.outlet = outlet

    def send(self, events, tokens):
        self.outlet.send(events.replace(b"\n", b"\r\n"), tokens)


def test_an_outlet_between_changes_what_is_sent_and_nothing_else(start, chat):
    asked = []
    site = start(between=lambda ask, outlet: asked.append(ask.tokens) or Crlf(outlet))
    body = site.ask(chat(max_tokens=2)).response.body
    assert body.endswith(b"data: [DONE]\r\n\r\n")
    assert asked == [2]
    assert site.log[0].completion_tokens == 2


class Late:
    """An outlet that holds everything back for a second."""

    def __init__(self, outlet, loop):
        self.outlet, self.loop, self.held = outlet, loop, deque()

    def hold(self, call, *arguments):
        self.held.append((call, arguments))
        self.loop.call_later(1, self.pass_one)

    def pass_one(self):
        call, arguments = self.held.popleft()
        call(*arguments)

    def open(self):
        self.hold(self.outlet.open)

    def send(self, events, tokens):
        self.hold(self.outlet.send, events, tokens)

    def finish(self):
        self.hold(self.outlet.finish)


def test_the_log_says_when_an_outlet_between_really_sent(start, loop, chat):
    site = start(between=lambda _, outlet: Late(outlet, loop), ttft_s=0.05, itl_s=0.01)
    client = site.ask(chat(max_tokens=2), chat(max_tokens=1))
    assert [response.whole for response in client.responses] == [True, True]
    sent = site.log[0]
    after = [(moment - sent.received_ns, tokens) for moment, tokens in sent.writes]
    assert after == [(1_050_000_000, 1), (1_060_000_000, 1), (1_060_000_000, 0)]
    assert sent.last_token_ns - sent.received_ns == 60_000_000
    assert sent.ended_ns - sent.received_ns == 1_060_000_000


class Hang:
    """An outlet that passes one token and then nothing."""

    def __init__(self, outlet):
        self.outlet, self.left = outlet, 1
        self.open = outlet.open

    def send(self, events, tokens):
        if self.left:
            self.left -= tokens
            self.outlet.send(events, tokens)

    def finish(self):
        pass


def test_a_stream_that_hangs_is_open_in_the_log_until_the_client_leaves(start, chat):
    site = start(between=lambda _, outlet: Hang(outlet))
    client = site.ask(chat(max_tokens=5))
    assert site.log == []
    client.leave()
    site.wait(1)
    (sent,) = site.log
    assert (sent.end, sent.completion_tokens) == ("client-closed", 5)
    assert [tokens for _, tokens in sent.writes] == [1]


def test_between_can_refuse_with_a_status_and_headers(start, chat):
    def busy(ask, outlet):
        raise Refusal(429, "too many requests", headers=(("Retry-After", "3"),))

    site = start(between=busy)
    response = site.ask(chat()).response
    assert (response.status, response.headers["retry-after"]) == (429, "3")
    assert [(sent.end, sent.status) for sent in site.log] == [("refused", 429)]


class Reset:
    """An outlet that resets the connection at the first token."""

    def __init__(self, outlet):
        self.outlet = outlet
        self.open = outlet.open

    def send(self, events, tokens):
        self.outlet.abort()


def test_an_outlet_between_can_reset(start, chat):
    site = start(between=lambda _, outlet: Reset(outlet))
    client = site.ask(chat(max_tokens=5))
    assert client.closed
    assert not client.response.whole
    assert [(sent.end, sent.writes) for sent in site.log] == [("server-closed", ())]
