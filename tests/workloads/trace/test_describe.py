"""What a corpus is like."""

import pytest

from infx.model.corpus import Bin
from infx.workloads.trace import mooncake, weka
from infx.workloads.trace.describe import UNITS, describe, distribution
from infx.workloads.trace.reading import Tally, fitting
from recorded import corpus, request, session, subagent


@pytest.fixture
def two_traces(tmp_path):
    """A session of two turns with a subagent of one, and a session of one turn."""
    return corpus(
        tmp_path,
        session(
            [
                request(0, [1, 2], **{"in": 120}),
                subagent(1, "a", [request(1, [1, 9], model="s", **{"in": 128})]),
                request(4.5, [1, 2, 3], out=0, api_time=None, **{"in": 150}),
                subagent(5, "b", []),
            ],
            id="a",
        ),
        session([request(0, [1], api_time=3, **{"in": 64})], id="b"),
    )


def test_every_figure_follows_from_the_rows(two_traces):
    """Trace a: 2 + 1 requests. Its prompts are 120, 128 and 150 tokens; the hits are 0 of 2 blocks,
    1 of 2 and 2 of 3, so new are 120, 128 - 64 = 64, and 150 - 128 = 22. Trace b: 64, all new.
    Known are 3 of 8 blocks. The only pause is 4.5 - 1 = 3.5 s. Peaks: 220, 228, 151; and 164.
    Spans: the subagent ends at 2 s, the last turn has no width and is at 4.5 s; and 3 s.
    """
    tally = Tally()
    found = describe(weka.traces(two_traces, tally=tally), tally)
    assert (found.traces, found.requests, found.depth) == (2, 4, 1)
    assert (found.streams, found.background, found.dropped_subagents) == (
        {"main": 2, "subagent": 1}, 0, 1
    )  # fmt: skip
    assert (found.input_tokens, found.output_tokens) == (120 + 128 + 150 + 64, 100 + 100 + 1 + 100)
    assert found.hit_rate == 3 / 8
    assert found.models == ("m", "s")
    shown = {name: (d.n, d.mean, d.most) for name, d in found.distributions.items()}
    assert shown == {
        "requests per trace": (2, 2.0, 3),
        "turns of the session": (2, 1.5, 2),
        "streams per trace": (2, 1.5, 2),
        "input": (4, 115.5, 150),
        "new input": (4, (120 + 64 + 22 + 64) / 4, 120),
        "output": (4, 301 / 4, 100),
        "pause": (1, 3.5, 3.5),
        "duration": (3, 5 / 3, 3.0),
        "span": (2, 3.75, 4.5),
        "peak context": (2, (228 + 164) / 2, 228),
        "hit rate": (2, 3 / 14, 3 / 7),
    }
    assert list(found.distributions) == list(UNITS)


def test_what_the_reader_left_out_is_told(two_traces):
    tally = Tally()
    with two_traces.open("a") as file:
        file.write("{}\n")
    kept = fitting(weka.traces(two_traces, tally=tally, skip_bad=True), 200, tally)
    found = describe(kept, tally)
    assert (found.traces, found.too_long, found.rows_skipped) == (1, 1, 1)


def test_what_is_not_recorded_has_no_distribution(tmp_path):
    tally = Tally()
    found = describe(mooncake.traces(corpus(tmp_path, {"text_input": "x"}), tally=tally), tally)
    assert (found.input_tokens, found.output_tokens, found.hit_rate) == (None, None, None)
    assert list(found.distributions) == [
        "requests per trace", "turns of the session", "streams per trace", "span",
    ]  # fmt: skip


def test_bins_grow_by_1_2_5_and_reach_from_the_least_to_the_most():
    found = distribution([0.0, 3, 5, 7, 40], "s")
    assert found.bins[0] == Bin(low=0, high=0.001, count=1)
    assert {(b.low, b.high, b.count) for b in found.bins if b.count} == {
        (0, 0.001, 1), (2, 5, 1), (5, 10, 2), (20, 50, 1),
    }  # fmt: skip
    assert (found.p50, found.least, found.most) == (5, 0, 40)


def test_no_traces_are_described_as_none(tmp_path):
    found = describe([], Tally())
    assert (found.traces, found.requests, found.distributions) == (0, 0, {})
