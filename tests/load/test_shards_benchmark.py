"""The benchmark of two shards: its source answers as a server does, and all it sent is counted."""

import socket
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from infx.model.record import EndState, Phase, RequestRecord

FOLDER = Path(__file__).parents[2] / "benchmarks" / "load"
ANSWER = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%b0\r\n\r\n" % (
    b"1\r\n.\r\n" * 2**20
)
"""6 MB: more than a socket takes while nobody reads."""
ASKED = b"POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 6\r\n\r\n{\r\n\r\n}"


@pytest.fixture(autouse=True)
def _its_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


def read(peer: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size and (data := peer.recv(1 << 20)):
        found += data
    return bytes(found)


def test_every_request_gets_one_whole_answer(tmp_path: Path) -> None:
    """Two requests come in one write and a third in two; a body may look like the end of a head."""
    from source import source

    (tmp_path / "answer").write_bytes(ANSWER)
    with source(tmp_path / "answer") as (url, _):
        address = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        with (
            socket.create_connection(address, 20) as full,
            socket.create_connection(address, 20) as other,
        ):
            full.sendall(ASKED * 2 + ASKED[:-3])
            other.sendall(ASKED)
            assert read(other, len(ANSWER)) == ANSWER, "lanes do not wait for each other"
            assert read(full, 2 * len(ANSWER)) == ANSWER * 2
            full.sendall(ASKED[-3:])
            assert read(full, len(ANSWER)) == ANSWER
            full.shutdown(socket.SHUT_WR)
            assert read(full, 1) == b"", "three answers for three requests"


def test_a_short_run_decodes_every_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shards
    from in_memory import decode

    monkeypatch.setattr(shards, "PLAIN_S", 0.01)
    monkeypatch.setattr(shards, "ATTEMPTS", 1)
    assert decode(shards.said_once(tmp_path, 700)) == 700
    found: Any = shards.measure(Namespace(lanes=4, requests=12, tokens=700, rounds=1))
    assert found["events_per_s_1"] > 0 < found["events_per_s_2"]
    assert found["two_processes_of_plain_work"] > 0
    assert all(seen["1"]["shards"] > 0 < seen["2"]["shards"] for seen in found["windows"])
    assert found["rounds"] == len(found["windows"]) == 1


def record(state: EndState, chunks: int) -> RequestRecord:
    return RequestRecord(
        0, 0, 0, 0, Phase.PROFILING, state, 0, 0, 1, None, 3,
        first_content_ns=1, gaps_ns=[0] * (chunks - 1),
    )  # fmt: skip


def test_work_that_was_dropped_is_no_figure() -> None:
    from shards import read_whole

    whole = record(EndState.OK, 3)
    assert read_whole([whole, whole], 2, 3) == 6
    for other in (record(EndState.OK, 2), record(EndState.OK, 4), record(EndState.ERROR, 3)):
        with pytest.raises(ValueError, match="content chunks of 3 were read"):
            read_whole([whole, other], 2, 3)
    with pytest.raises(ValueError, match="1 of 2 requests were asked"):
        read_whole([whole], 2, 3)


def test_the_ratio_is_told_where_two_cores_were_free() -> None:
    """1,800 and 1,000 events a second are 1.8 times; a core that others share tells nothing."""
    from shards import Round, Window, judged

    def seen(*free: tuple[float, float]) -> list[Any]:
        return [
            Round(Window(1000, one, 1, 0, 0), Window(1800, two, 2, 0, 0.04), 500, 900)
            if min(one, two) >= 1.9
            else Round(Window(500, one, 1, 0, 0), Window(500, two, 1, 0, 0.04), 500, 500)
            for one, two in free
        ]

    told = judged(seen((1.95, 1.92), (1.89, 1.95), (1.95, 1.89), (1.92, 1.91)), 2)
    assert (told["rounds"], told["calm_rounds"], told["cores_free"]) == (4, 2, 1.915)
    assert (told["ratio"], told["two_processes_of_plain_work"]) == (1.8, 1.8)
    assert told["source_cpu_share"] == 0.02
    assert told["verdict"] == "two shards carry 1.80 times what one does"

    shared = judged(seen((1.95, 1.92), (1.89, 1.95), (0.5, 1.95)), 2)
    assert (shared["ratio"], shared["cores_free"]) == (None, 1.89)
    assert shared["verdict"] == (
        "not judgeable: two cores were free in 1 of 3 rounds, and 2 are needed"
    )


def test_what_the_shards_used_is_not_taken_by_others() -> None:
    """In 10 s two cores were used for 18 s, of which shards and their lead took 17.5: 0.05 each."""
    from shards import Used, window

    start = Used(moment=100, cores=50, shards=1, lead=2, source=3)
    end = Used(moment=110, cores=68, shards=18, lead=2.5, source=3.3)
    seen = window(start, end, 7, cores=2)
    assert seen.free == pytest.approx(1.95)
    assert seen.source == pytest.approx(0.03)
