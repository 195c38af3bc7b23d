"""Engine mode keeps its stated formula; everything is recomputed from the log alone."""

from collections import defaultdict
from heapq import heapify, heappop, heappush
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.clock import NS
from infx.servers.truth.script import EngineModel, Script

MS = 1_000_000
MODEL = EngineModel(slots=8, prefill_rate=20_000, step_base_s=0.005, step_per_sequence_s=0.0001)


def gaps(sent):
    moments = [moment for moment, tokens in sent.writes if tokens]
    return [later - earlier for earlier, later in pairwise(moments)]


def ttft(sent):
    return sent.first_token_ns - sent.received_ns


def test_one_request_alone(start, complete):
    """1000 tokens at 20,000 a second take 50 ms; a step of one sequence takes 5.1 ms."""
    site = start(engine=MODEL)
    site.ask(complete(1000, max_tokens=4))
    assert ttft(site.log[0]) == 50 * MS
    assert gaps(site.log[0]) == [5_100_000] * 3


def test_ttft_and_itl_rise_with_load(start, complete):
    """Four equal prompts at once share the rate: all first tokens after 200 ms; steps of four."""
    site = start(engine=MODEL)
    for n in range(4):
        site.connect().send(complete(" ".join([f"w{n}"] * 1000), max_tokens=3))
    site.wait()
    assert [ttft(sent) for sent in site.log] == [200 * MS] * 4
    assert [gaps(sent) for sent in site.log] == [[5_400_000] * 2] * 4


def test_prefill_is_shared_equally_while_it_is_shared(start, complete):
    """A (1000 tokens) is alone for 25 ms and has 500 left; B (500) joins; both end 50 ms later."""
    site = start(engine=MODEL)
    a, b = site.connect(), site.connect()
    a.send(complete("a " * 1000))
    site.at(0.025, lambda: b.send(complete("b " * 500)))
    site.wait()
    assert [ttft(sent) for sent in site.log] == [75 * MS, 50 * MS]


def test_a_sequence_joins_at_the_next_step(start, complete):
    """A steps at 5.1 ms after its first token; B's first token falls 3 ms into that step."""
    site = start(engine=MODEL)
    a, b = site.connect(), site.connect()
    a.send(complete("a " * 20, max_tokens=4))  # first token at 1 ms
    site.at(0.003, lambda: b.send(complete("b " * 20, max_tokens=2)))  # first token at 4 ms
    site.wait()
    of_a, of_b = sorted(site.log, key=lambda sent: sent.received_ns)
    assert gaps(of_a) == [5_100_000, 5_200_000, 5_100_000]
    assert gaps(of_b) == [6_100_000 - 4_000_000 + 5_200_000]


def test_the_queue_is_first_in_first_out_and_its_time_is_in_the_log(start, complete):
    site = start(engine=EngineModel(slots=1, prefill_rate=1000, step_base_s=0.01))
    for n in range(3):
        site.connect().send(complete(f"w{n} " * 10, max_tokens=2))
    site.wait()
    each = 10 * MS + 10_100_000
    waited = [sent.admitted_ns - sent.received_ns for sent in site.log]
    assert waited == [0, each, 2 * each]


def test_the_kv_pool_bounds_what_runs_at_once(start, complete):
    """Pools of 100 tokens: 40 + 20 asked leave no room for a second 40 + 20."""
    site = start(engine=EngineModel(slots=8, kv_tokens=100, prefill_rate=1000))
    for n in range(2):
        site.connect().send(complete(f"w{n} " * 40, max_tokens=20))
    site.wait()
    first, second = site.log
    assert second.admitted_ns == first.last_token_ns


def test_a_request_longer_than_the_pool_is_refused(start, complete):
    site = start(engine=EngineModel(kv_tokens=100))
    assert site.ask(complete(90, max_tokens=10)).response.status == 200
    response = site.ask(complete(90, max_tokens=11)).response
    assert response.status == 400
    assert response.json["error"]["code"] == "context_length_exceeded"


def test_a_cached_prefix_shortens_prefill(start, complete):
    """100 words are 6 blocks of 16: 96 cached, 4 left at 20,000 a second."""
    site = start(engine=MODEL)
    for _ in range(2):
        site.ask(complete(100))
    assert [sent.cached_tokens for sent in site.log] == [0, 96]
    assert [ttft(sent) for sent in site.log] == [5 * MS, 200_000]


def test_the_last_token_is_always_computed(start, complete):
    site = start(engine=MODEL)
    for _ in range(2):
        site.ask(complete(96))
    assert site.log[1].cached_tokens == 80


def test_blocks_are_cached_once_their_prompt_is_admitted(start, complete):
    """The second finds 96 of 100 tokens that are still being computed, and waits for none of them.

    It computes 4 while the first computes 4: 8 tokens take 0.4 ms, and the first has 96 left.
    """
    site = start(engine=MODEL)
    for _ in range(2):
        site.connect().send(complete(100))
    site.wait()
    second, first = site.log
    assert (first.cached_tokens, second.cached_tokens) == (0, 96)
    assert (ttft(first), ttft(second)) == (400_000 + 96 * 50_000, 400_000)


def test_what_a_client_that_leaves_had_computed_of_a_prompt_is_not_cached(start, complete):
    """Both ask the same 100 words; the first leaves after 2 of the 5 ms that they take."""
    site = start(engine=MODEL)
    leaves, asks = site.connect(), site.connect()
    leaves.send(complete(100))
    site.at(0.002, leaves.leave)
    site.at(0.003, lambda: asks.send(complete(100)))
    site.wait()
    assert [(sent.end, sent.cached_tokens) for sent in site.log] == [
        ("client-closed", 0),
        ("completed", 0),
    ]


def test_who_leaves_after_its_first_token_leaves_its_blocks(start, complete):
    site = start(engine=MODEL)
    leaves, asks = site.connect(), site.connect()
    leaves.send(complete(100, max_tokens=50))
    site.at(0.007, leaves.leave)
    site.at(0.008, lambda: asks.send(complete(100)))
    site.wait()
    assert [sent.cached_tokens for sent in site.log] == [0, 96]


def test_a_client_that_leaves_frees_its_slot_at_once(start, complete):
    site = start(engine=EngineModel(slots=1, prefill_rate=1000))
    prefilling, queued, last = (site.connect() for _ in range(3))
    for client in (prefilling, queued, last):
        client.send(complete(100, max_tokens=2))
    site.at(0.02, queued.leave)
    site.at(0.03, prefilling.leave)
    site.wait()
    gone, left, served = site.log
    assert (gone.end, gone.admitted_ns) == ("client-closed", None)
    assert (left.end, left.completion_tokens) == ("client-closed", 0)
    assert served.admitted_ns == served.received_ns + 30 * MS
    assert (site.server.timing.running, site.server.timing.waiting) == (0, 0)
    assert site.server.timing.kv_usage == 0


def test_a_sequence_that_leaves_while_decoding_counts_in_the_step_under_way_only(start, complete):
    site = start(engine=MODEL)
    stays, leaves = site.connect(), site.connect()
    stays.send(complete("a " * 20, max_tokens=5))
    leaves.send(complete("b " * 20, max_tokens=50))
    site.at(0.010, leaves.leave)  # first tokens at 2 ms, steps end at 7.2 and 12.4 ms
    site.wait()
    sent = next(sent for sent in site.log if sent.end == "completed")
    assert gaps(sent) == [5_200_000, 5_200_000, 5_100_000, 5_100_000]


def test_a_sequence_that_leaves_before_its_first_step_is_not_in_it(start, complete):
    """B's first token falls at 4 ms into A's step, which ends at 6.1 ms; B is gone by then."""
    site = start(engine=MODEL)
    stays, leaves = site.connect(), site.connect()
    stays.send(complete("a " * 20, max_tokens=4))
    site.at(0.003, lambda: leaves.send(complete("b " * 20, max_tokens=9)))
    site.at(0.005, leaves.leave)
    site.wait()
    assert [sent.completion_tokens for sent in site.log] == [1, 4]
    assert gaps(site.log[1]) == [5_100_000] * 3


def test_timers_do_not_pile_up_under_arrivals(start, complete):
    """Each short prompt is due before the step under way and so overtakes its timer."""
    site = start(engine=MODEL)
    site.connect().send(complete("a " * 20, max_tokens=1000))
    for n in range(500):
        site.at(0.002 + 0.003 * n, lambda: site.connect().send(complete("b " * 20)))
    site.wait(1.4)
    assert site.server.timing.running >= 1
    assert len(site.server.timing._pacer._heap) < 5


def test_who_stays_in_prefill_gets_the_share_of_who_leaves(start, complete):
    """Two share 20,000 a second for 20 ms: 200 of 1000 tokens each; the other 800 take 40 ms."""
    site = start(engine=MODEL)
    stays, leaves = site.connect(), site.connect()
    stays.send(complete("a " * 1000))
    leaves.send(complete("b " * 1000))
    site.at(0.020, leaves.leave)
    site.wait()
    assert ttft(next(sent for sent in site.log if sent.end == "completed")) == 60 * MS


@pytest.fixture
def late(loop, monkeypatch):
    """The server's timers fire 0.7 ms late."""

    def call_later(delay, callback, *args):
        return loop.call_at(loop.time() + delay + 0.0007, callback, *args)

    monkeypatch.setattr(loop, "call_later", call_later)


@pytest.mark.usefixtures("late")
def test_a_late_timer_moves_what_is_sent_and_not_the_model(start, complete):
    """A's prefill ends at 50 ms, is noticed at 50.7; B comes at 50.3 and shares with nobody."""
    site = start(engine=MODEL)
    a, b = site.connect(), site.connect()
    a.send(complete("a " * 1000))
    site.at(0.0503, lambda: b.send(complete("b " * 20)))
    site.wait()
    of_a, of_b = site.log
    assert ttft(of_a) == 50_300_000, "an arrival lets happen what was due"
    assert ttft(of_b) == 1_700_000, "1 ms, and the timer's lateness"


@pytest.mark.usefixtures("late")
def test_a_late_timer_does_not_add_up_over_steps(start, complete):
    site = start(engine=MODEL)
    site.ask(complete(20, max_tokens=30))
    moments = [moment for moment, tokens in site.log[0].writes if tokens]
    assert moments[-1] - moments[0] == 29 * 5_100_000


def test_several_tokens_a_step(start, complete):
    site = start(engine=MODEL, tokens_per_chunk=3)
    site.ask(complete(20, max_tokens=8))
    assert [tokens for _, tokens in site.log[0].writes] == [3, 3, 2, 0]
    assert gaps(site.log[0]) == [5_100_000] * 2


def prefilled(log, sent):
    """The stated integral: tokens computed for one request between admission and first token."""
    borders = sorted({m for other in log for m in (other.admitted_ns, other.first_token_ns)})
    total = 0.0
    for start, end in pairwise(borders):
        if sent.admitted_ns <= start < sent.first_token_ns:
            sharing = sum(o.admitted_ns <= start < o.first_token_ns for o in log)
            total += MODEL.prefill_rate / sharing * (end - start) / NS
    return total


def check_prefill(log):
    for sent in log:
        wanted = sent.prompt_tokens - sent.cached_tokens
        # Each border is rounded up to a nanosecond: 2e-5 tokens at this rate.
        assert prefilled(log, sent) == pytest.approx(wanted, abs=2e-5 * 2 * len(log))


def check_queue(log):
    """Each is admitted when it came, or when the slot that was free first became free."""
    free = [0] * MODEL.slots
    heapify(free)
    for sent in sorted(log, key=lambda sent: (sent.received_ns, sent.admitted_ns)):
        assert sent.admitted_ns == max(sent.received_ns, heappop(free))
        heappush(free, sent.ended_ns)


def check_decode(log):
    steps = defaultdict(list)
    for sent in log:
        moments = [moment for moment, tokens in sent.writes if tokens]
        for before, moment in pairwise(moments):
            steps[moment].append((before, before == sent.first_token_ns))
    begins = {
        end: end - round((MODEL.step_base_s + MODEL.step_per_sequence_s * len(members)) * NS)
        for end, members in steps.items()
    }
    for end, members in steps.items():
        begin = begins[end]
        assert begin in steps or any(before == begin for before, _ in members)
        for before, joining in members:
            missed = [other for other in begins.values() if before <= other < begin]
            assert (before <= begin and not missed) if joining else before == begin


@settings(max_examples=40, deadline=None)
@given(
    asked=st.lists(
        st.tuples(st.integers(0, 40_000), st.integers(1, 400), st.integers(1, 12)),
        min_size=1,
        max_size=25,
        unique_by=lambda one: one[0],
    )
)
def test_any_load_obeys_the_formula(serve_all, asked):
    """Arrivals in microseconds, prompt words, answer tokens; prompts share prefixes."""
    log = serve_all(Script(engine=MODEL), asked)
    assert len(log) == len(asked)
    check_queue(log)
    check_prefill(log)
    check_decode(log)
