"""The live line: redrawn on a terminal, a line now and then elsewhere, never mixed with talk."""

import io
from dataclasses import replace

from infx.cli.progress import ProgressLine, describe
from infx.load.progress import Progress
from infx.model.record import Phase
from infx.model.result import Counts, PointSummary

HALFWAY = Progress(
    phase=Phase.PROFILING, concurrency=4, done=20, total=40, in_flight=4, errors=1,
    output_rate=812.4, ttft_p50=0.0512, ttft_p99=0.3, left_s=12.6,
)  # fmt: skip
BEGUN = Progress(
    phase=Phase.WARMUP, concurrency=1, done=0, total=None, in_flight=1, errors=0,
    output_rate=0.0, ttft_p50=None, ttft_p99=None, left_s=None,
)  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_phase_says_what_is_done_what_goes_and_what_remains():
    assert describe(HALFWAY) == (
        "concurrency 4 profiling | 20/40 done | 4 in flight | 1 errors | 812 tok/s | "
        "TTFT p50 51 p99 300 ms | 13 s left"
    )


def test_an_open_loop_goes_by_its_rate():
    assert describe(replace(BEGUN, rate=2.5)).startswith("rate 2.5/s warmup | 0 done")


def test_what_is_not_known_yet_is_left_out():
    assert describe(BEGUN) == ("concurrency 1 warmup | 0 done | 1 in flight | 0 errors | 0 tok/s")


def test_on_a_terminal_the_line_gives_way_to_talk():
    stream = Terminal()
    line = ProgressLine(lambda: 0.0, stream)
    line.talk("bundle X")
    line.progress(BEGUN)
    line.progress(HALFWAY)
    line.talk("concurrency 4: 40 ok")
    clear = "\r\x1b[2K"
    assert stream.getvalue() == (
        f"bundle X\n{clear}{describe(BEGUN)}{clear}{describe(HALFWAY)}{clear}concurrency 4: 40 ok\n"
    )


def test_elsewhere_it_is_a_line_every_ten_seconds():
    moments = [0.0]
    stream = io.StringIO()
    line = ProgressLine(lambda: moments[-1], stream)
    said = []
    for moment in (1.0, 9.9, 10.0, 19.0, 21.0):
        moments.append(moment)
        line.progress(HALFWAY)
        said.append(stream.getvalue().count("\n"))
    assert said == [0, 0, 1, 1, 2]
    assert stream.getvalue() == f"{describe(HALFWAY)}\n" * 2


def test_a_finished_point_of_an_open_loop_goes_by_its_rate():
    stream = io.StringIO()
    ProgressLine(lambda: 0.0, stream).point(summary_of(rate=2.5))
    assert stream.getvalue() == "rate 2.5/s: 3 ok, 1 not ok\n"


def test_a_replay_after_a_curve_is_told_apart_from_its_points():
    stream = io.StringIO()
    line = ProgressLine(lambda: 0.0, stream)
    line.point(summary_of(traits={"workload": "64/32"}))
    line.point(summary_of(traits={"workload": "agentic"}).model_copy(update={"point_id": "1" * 64}))
    assert stream.getvalue().splitlines() == [
        "concurrency 1024: 3 ok, 1 not ok", "agentic at concurrency 1024: 3 ok, 1 not ok",
    ]  # fmt: skip


def summary_of(**changes) -> PointSummary:
    ends = {"ok": 3, "error": 1, "overflow": 0, "cancelled_at_end": 0}
    counts = Counts(issued=4, cancelled_by_plan=0, lost=0, **ends)
    return PointSummary(
        point_id="0" * 64, concurrency=1024, repetition=0, achieved_concurrency=None,
        certified=True, reasons=(), counts=counts, warmup_counts=counts, error_reasons={},
        metrics={}, **changes,
    )  # fmt: skip
