"""A run in pieces of equal time: which requests are in one, and what they say."""

import csv
import json
from pathlib import Path

import pytest

from handmade import NS, record
from infx.interchange import aiperf_slices
from infx.model.record import EndState, Phase
from outgoing import outgoing
from refusals import refusal


def requests():
    """Sends at 1, 2, 10.9, 11 and 31 s after a warmup; each takes 1 s, the last one 0.5 s."""
    sends = (1.0, 2.0, 10.9, 11.0, 31.0)
    measured = [
        record(
            request=n + 1, sent=sent, first=sent + 0.25, gaps=(0.75 if sent < 31 else 0.25,),
            end=sent + (1.0 if sent < 31 else 0.5), prompt_tokens=30, completion_tokens=10,
        )
        for n, sent in enumerate(sends)
    ]  # fmt: skip
    return (record(request=0, first=0.5, phase=Phase.WARMUP), *measured)


def test_a_request_belongs_to_the_piece_it_was_sent_in() -> None:
    """From 1 s in steps of 10 s: three, one, none, and one until the last end at 31.5 s."""
    found = aiperf_slices.pieces(requests(), 10 * NS)
    assert [(one.start_ns / NS, one.end_ns / NS, one.whole) for one in found] == [
        (1, 11, True), (11, 21, True), (31, 31.5, False),
    ]  # fmt: skip
    assert [[one.request for one in piece.records] for piece in found] == [[1, 2, 3], [4], [5]]


def test_rates_are_over_the_length_of_the_piece(tmp_path: Path) -> None:
    """Three requests of 30 tokens in and 10 out in 10 s; one of them in half a second."""
    going = outgoing(*requests())
    path, table = aiperf_slices.write(going, tmp_path, 10 * NS)
    first, _, last = aiperf_slices.read(path).timeslices
    assert first.start_ns == going.wall(1 * NS)
    assert (first.is_complete, last.is_complete) == (None, False)
    assert first.metrics["request_throughput"].avg == pytest.approx(0.3)
    assert first.metrics["input_token_throughput"].avg == pytest.approx(9)
    assert first.metrics["benchmark_duration"].avg == pytest.approx(10.9)
    assert last.metrics["output_token_throughput"].avg == pytest.approx(20)
    assert last.metrics["request_latency"].p99 == pytest.approx(500)
    assert json.loads(path.read_text())["input_config"]
    with table.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["Timeslice", "Start_NS", "End_NS", "Metric", "Unit", "Stat", "Value"]
    start, end = str(last.start_ns), str(last.end_ns)
    assert ["2", start, end, "Request Latency", "ms", "p99", "500.00"] in rows
    assert ["2", start, end, "Request Count", "requests", "avg", "1.00"] in rows
    assert {row[0] for row in rows[1:]} == {"0", "1", "2"}


def test_a_failed_request_counts_and_has_no_latency(tmp_path: Path) -> None:
    failed = record(request=1, sent=1.0, end=2.0, state=EndState.ERROR, reason="http-503")
    path, _ = aiperf_slices.write(outgoing(failed), tmp_path, NS)
    (one,) = aiperf_slices.read(path).timeslices
    assert one.metrics["request_error_rate"].avg == 100
    assert "request_latency" not in one.metrics


def test_a_point_without_requests_has_no_pieces(tmp_path: Path) -> None:
    assert aiperf_slices.write(outgoing(requests()[0]), tmp_path, NS) == ()
    assert not any(tmp_path.iterdir())


def test_what_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"timeslices": [{"start_ns": 1, "request_latency": {"unit": 3}}]}')
    said = refusal(lambda: aiperf_slices.read(path))
    assert "timeslices.0.end_ns is not aiperf's: Field required" in said
    assert "timeslices.0.request_latency.unit is not aiperf's" in said
