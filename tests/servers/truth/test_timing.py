"""Scripted moments are exact on the injected clock, and the log says what was sent when."""

from infx.servers.truth.log import Sent

MS = 1_000_000


def test_every_write_leaves_at_its_scripted_moment(start, chat):
    site = start(ttft_s=0.04, itl_s=0.005, role_chunk="admission")
    client = site.connect()
    site.at(1.0, lambda: client.send(chat("X-Request-ID: r7", max_tokens=3)))
    site.wait()
    t = site.log[0].received_ns
    assert site.log == [
        Sent(
            request_id="r7",
            api="chat",
            stream=True,
            status=200,
            end="completed",
            received_ns=t,
            ended_ns=t + 50 * MS,
            admitted_ns=t,
            first_token_ns=t + 40 * MS,
            last_token_ns=t + 50 * MS,
            prompt_tokens=10,
            cached_tokens=None,
            asked_tokens=3,
            completion_tokens=3,
            reasoning_tokens=0,
            stalls=0,
            writes=((t, 0), (t + 40 * MS, 1), (t + 45 * MS, 1), (t + 50 * MS, 1), (t + 50 * MS, 0)),
        )
    ]
    assert t == 2_000_000_000, "the loop begins at one second"
    seen = [moment for moment, data in client.reads if b'"content"' in data]
    assert seen == [moment for moment, _ in site.log[0].writes[:4]]


def test_several_tokens_a_chunk_and_several_chunks_a_write(start, complete):
    site = start(ttft_s=0.02, itl_s=0.01, tokens_per_chunk=3, events_per_write=2)
    client = site.ask(complete("x", max_tokens=14))
    t = site.log[0].received_ns
    writes = [(moment - t, tokens) for moment, tokens in site.log[0].writes]
    assert writes == [(20 * MS, 6), (40 * MS, 6), (60 * MS, 2), (60 * MS, 0)]
    counts = [data.count(b"data: ") for _, data in client.reads if b"data: " in data]
    assert counts == [2, 2, 1, 1]


def test_load_changes_nothing(start, chat):
    site = start(ttft_s=0.04, itl_s=0.005)
    clients = [site.connect() for _ in range(50)]
    for n, client in enumerate(clients):
        site.at(1 + n * 0.0003, lambda client=client: client.send(chat(max_tokens=20)))
    site.wait()
    assert len(site.log) == 50
    for sent in site.log:
        moments = [moment - sent.received_ns for moment, tokens in sent.writes if tokens]
        assert moments == [40 * MS + n * 5 * MS for n in range(20)]


def test_an_answer_that_is_not_streamed_leaves_when_its_last_token_is_due(start, complete):
    site = start(ttft_s=0.04, itl_s=0.005)
    client = site.ask(complete("x", max_tokens=3, stream=False))
    sent = site.log[0]
    assert [(moment - sent.received_ns, n) for moment, n in sent.writes] == [(50 * MS, 3)]
    assert sent.first_token_ns == sent.received_ns + 40 * MS
    assert [moment for moment, _ in client.reads] == [sent.received_ns + 50 * MS]


def test_no_delay_at_all_still_takes_turns(start, complete):
    """The second request is begun a turn after the first."""
    site = start(ttft_s=0, itl_s=0)
    order = []
    for name in "ab":
        client = site.connect()
        received = client.data_received
        client.data_received = lambda data, name=name, received=received: (
            order.append(name) if b'"text"' in data else None,
            received(data),
        )
        client.send(complete("x", max_tokens=3))
    site.wait()
    assert [sent.completion_tokens for sent in site.log] == [3, 3]
    assert "".join(order) == "aababb"


def test_a_client_that_leaves_stops_its_answer(start, chat):
    site = start(ttft_s=0.04, itl_s=0.005)
    client = site.connect()
    client.send(chat(max_tokens=100))
    site.at(0.0512, client.leave)
    site.wait()
    sent = site.log[0]
    assert (sent.end, sent.completion_tokens, sent.asked_tokens) == ("client-closed", 3, 100)
    assert sent.last_token_ns == sent.received_ns + 50 * MS
    assert sent.ended_ns == sent.received_ns + 51_200_000
    assert site.server.timing.running == 0


def test_a_client_that_leaves_before_the_first_token_got_none(start, chat):
    site = start(ttft_s=0.04)
    client = site.connect()
    client.send(chat())
    site.at(0.01, client.leave)
    site.wait()
    sent = site.log[0]
    assert (sent.end, sent.completion_tokens) == ("client-closed", 0)
    assert (sent.first_token_ns, sent.last_token_ns) == (None, None)
    assert sent.admitted_ns == sent.received_ns
