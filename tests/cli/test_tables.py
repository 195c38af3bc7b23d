"""What `bench` prints: the same figures in every format, and a reason where there is none."""

import io
import json as standard_json

from rich.console import Console

import replayed
from infx.cli.grids import printable
from infx.cli.tables import FORMATS, github, json, markdown, points_table, rich_table
from infx.model.result import Absent, Counts, Interval, MetricValue, PointSummary, RunResult

NO_USAGE = "no ok request has usage, two tokens and content at two moments"


def seconds(p50, p99):
    return MetricValue(
        unit="s", n=40, mean=p50, std=0.0, p50=p50, p75=p99, p90=p99, p95=p99, p99=p99
    )


def throughput(mean):
    return MetricValue(unit="tok/s", n=40, mean=mean)


def point(concurrency, metrics, *, reasons=(), achieved=None, **ends):
    states = dict.fromkeys(
        ("ok", "error", "overflow", "cancelled_at_end", "cancelled_by_plan", "lost"), 0
    )
    counts = Counts(issued=sum(ends.values()), **(states | ends))
    return PointSummary(
        point_id=f"{concurrency:064x}",
        concurrency=concurrency,
        repetition=0,
        achieved_concurrency=achieved,
        certified=not reasons,
        reasons=reasons,
        counts=counts,
        warmup_counts=counts,
        error_reasons={"connection-reset": ends["error"]} if "error" in ends else {},
        metrics=metrics,
    )


GOOD = point(
    1,
    {
        "ttft": seconds(0.0317, 0.0529),
        "tpot": seconds(0.00786, 0.008),
        "itl": seconds(0.00786, 0.008),
        "output_throughput": throughput(120.4),
        "total_throughput": throughput(1369.2),
    },
    achieved=0.985,
    ok=40,
)
POOR = point(
    16,
    {
        "ttft": seconds(1.2, 2.5),
        "tpot": Absent(reason=NO_USAGE),
        "itl": Absent(reason=NO_USAGE),
        "output_throughput": Absent(reason="no | usage"),
    },
    reasons=("usage-missing", "error-rate"),
    ok=30,
    error=8,
    cancelled_at_end=1,
    lost=1,
)


def run(*points, simulated=False):
    reasons = tuple(dict.fromkeys(reason for one in points for reason in one.reasons))
    return RunResult(
        run="20260914-101112-calm-otter",
        bundle="runs/20260914-101112-calm-otter",
        certified=not reasons,
        reasons=reasons,
        simulated=simulated,
        points=points,
    )


def test_intervals_stand_behind_their_figures_and_are_explained():
    within = Interval(low=0.0300, high=0.0330, level=0.95, method="lanes", units=16)
    ttft = seconds(0.0317, 0.0529).model_copy(
        update={"intervals": {"p50": within, "p99": Absent(reason="too few")}}
    )
    sure = GOOD.model_copy(update={"metrics": {**GOOD.metrics, "ttft": ttft}})
    lines = points_table(run(sure)).splitlines()
    assert lines[0].startswith("conc  achieved   TTFT p50  TTFT p99")
    assert lines[2].startswith("   1     0.985  31.7 ±1.7      52.9")
    note = "±: 95 % interval by chance within the measurement, not by what changes between runs"
    assert note in lines
    assert note not in points_table(run(GOOD))
    assert "TTFT p50 31.7 ±1.7 ms; TTFT p99 52.9 ms" in github(run(sure))


def test_the_text_table():
    assert points_table(run(GOOD, POOR)).splitlines() == [
        "conc  achieved  TTFT p50  TTFT p99  TPOT p50  ITL p50  output  total",
        "                      ms        ms        ms       ms   tok/s  tok/s",
        "   1     0.985      31.7      52.9      7.86     7.86     120  1,369",
        "  16      -[1]     1,200     2,500      -[2]     -[2]    -[3]   -[4]",
        "",
        "conc  issued  ok  error  overflow  cut at end  cut by plan  lost",
        "   1      40  40      0         0           0            0     0",
        "  16      40  30      8         0           1            0     1",
        "",
        "[1] the achieved concurrency is not known",
        f"[2] {NO_USAGE}",
        "[3] no | usage",
        "[4] not computed for this point",
        "failed at concurrency 16: connection-reset (8)",
        "certified: 1 of 2 points",
        (
            "  usage-missing (concurrency 16): The server reported no token counts for some of "
            "the ok requests."
        ),
        (
            "  error-rate (concurrency 16): More than 10 % of the requests that came to an outcome "
            "failed."
        ),
    ]


def test_points_of_an_open_loop_go_by_their_rate():
    slow = POOR.model_copy(update={"rate": 2.5, "concurrency": 1024, "achieved_concurrency": 7.0})
    text = points_table(run(slow)).splitlines()
    assert text[0].split()[:4] == ["rate", "conc", "TTFT", "p50"]
    assert text[2].split()[:2] == ["2.5/s", "7.00"]
    assert text[4].split()[:2] == ["rate", "issued"]
    assert "failed at rate 2.5/s: connection-reset (8)" in text
    assert any(line.startswith("  usage-missing (rate 2.5/s): ") for line in text)
    again = slow.model_copy(update={"repetition": 1})
    assert "title=infx rate 2.5/s r1::" in github(run(again))


def test_a_simulated_run_says_so_first_in_every_format_for_people():
    result = run(GOOD, simulated=True)
    said = "simulated: no server was measured; these figures come from a model of one"
    assert points_table(result).startswith(said)
    assert markdown(result).startswith(f"**{said}**")
    assert "(simulated)" in github(result)
    assert standard_json.loads(json(result))["simulated"] is True


def test_markdown_is_two_tables_and_its_notes():
    assert markdown(run(GOOD)).splitlines() == [
        (
            "| conc | achieved | TTFT p50 (ms) | TTFT p99 (ms) | TPOT p50 (ms) | ITL p50 (ms) "
            "| output (tok/s) | total (tok/s) |"
        ),
        "| --: | --: | --: | --: | --: | --: | --: | --: |",
        "| 1 | 0.985 | 31.7 | 52.9 | 7.86 | 7.86 | 120 | 1,369 |",
        "",
        "| conc | issued | ok | error | overflow | cut at end | cut by plan | lost |",
        "| --: | --: | --: | --: | --: | --: | --: | --: |",
        "| 1 | 40 | 40 | 0 | 0 | 0 | 0 | 0 |",
        "",
        "- certified: yes",
    ]


def test_markdown_escapes_what_would_end_a_cell_or_start_markup():
    metrics = {"ttft": Absent(reason="<img src=x> | `a` @team")}
    text = markdown(run(point(1, metrics, ok=1)))
    assert r"\<img src=x\> \| \`a\` \@team" in text


def test_json_is_one_object_in_base_units_with_all_end_states():
    result = run(GOOD, POOR)
    text = json(result)
    assert "\n" not in text
    value = standard_json.loads(text)
    assert list(value) == ["run", "bundle", "certified", "reasons", "simulated", "points"]
    first, second = value["points"]
    assert first["metrics"]["ttft"]["p50"] == 0.0317
    assert second["metrics"]["tpot"] == {"reason": NO_USAGE}
    assert second["counts"] == {
        "issued": 40,
        "ok": 30,
        "error": 8,
        "overflow": 0,
        "cancelled_at_end": 1,
        "cancelled_by_plan": 0,
        "lost": 1,
    }
    assert RunResult.model_validate_json(text) == result


def test_github_annotates_each_point_at_its_level():
    dead = point(32, {}, reasons=("nothing-ok",), error=5)
    notice, warning, error = github(run(GOOD, POOR, dead)).splitlines()
    assert notice == (
        "::notice title=infx concurrency 1::40 of 40 ok; TTFT p50 31.7 ms; TTFT p99 52.9 ms; "
        "TPOT p50 7.86 ms; ITL p50 7.86 ms; output throughput 120 tok/s; "
        "total throughput 1,369 tok/s"
    )
    assert warning.startswith("::warning title=infx concurrency 16::30 of 40 ok; TTFT p50 1,200 ms")
    assert warning.endswith("not certified: usage-missing, error-rate")
    assert error.startswith("::error title=infx concurrency 32::0 of 5 ok; ")


def test_github_keeps_an_annotation_on_one_line():
    text = github(run(point(1, {"ttft": Absent(reason="50% gone\n::error::x")}, ok=1)))
    assert len(text.splitlines()) == 1
    assert "50%25 gone%0A::error::x" in text


def test_a_terminal_shows_the_same_cells():
    out = io.StringIO()
    Console(file=out, width=100).print(rich_table(run(GOOD, POOR)))
    shown = out.getvalue()
    certified = "certified: 1 of 2 points"
    for part in ("TTFT p99", "31.7", "1,369", "-[2]", f"[2] {NO_USAGE}", certified):
        assert part in shown


def test_foreign_text_cannot_steer_the_terminal():
    assert printable("a\x1b[31mb\u202ec\nd é") == "a�[31mb�c�d é"


def test_every_format_writes_a_run_without_points():
    result = run().model_copy(update={"certified": False, "reasons": ("nothing-ok",)})
    written = {name: write(result) for name, write in FORMATS.items()}
    assert list(written) == ["text", "json", "markdown", "github"]
    last = "nothing-ok: No request of the profiling phase ended ok."
    assert written["text"].endswith(f"certified: no\n  {last}")
    assert written["markdown"].endswith(f"- {last}")
    assert standard_json.loads(written["json"])["points"] == []
    assert written["github"] == ""


def test_a_replay_shows_its_sessions_and_the_slow_tail():
    """TTFT is 0.1 s and E2EL 10 s; 1 / 0.1 s is 10 tok/s/user; the last token comes at 1000 s."""
    shown = [line.split() for line in points_table(run(replayed.summary())).splitlines()]
    figures = "conc in flight TTFT p50 TTFT p90 E2EL p90 interactivity p90 output total"
    assert shown[0] == figures.split()
    assert shown[1] == ["ms", "ms", "s", "tok/s/user", "tok/s", "tok/s"]
    sessions = (
        "conc sessions finished session overflow censored coverage gap silence skipped "
        "served hit theory hit"
    )
    assert shown[4] == sessions.split()
    figures = "1 1 1 1,000 (n 1) 0 0 100 10.0 0.100 30.5 90.0 90.0"
    assert shown[6] == figures.split()
    assert "E2EL p90 10.0" in github(run(replayed.summary()))


def test_a_mixed_run_names_its_rows_by_what_they_ask():
    """A fixed point and a replay at one concurrency, each in a table of its own columns."""
    fixed = GOOD.model_copy(update={"traits": {"workload": "64/32"}})
    replay = replayed.summary().model_copy(update={"traits": {"workload": "agentic"}})
    lines = points_table(run(fixed, POOR.model_copy(update={"traits": fixed.traits}), replay))
    rows = [line.strip() for line in lines.splitlines()]
    assert rows[0].startswith("point  achieved  TTFT p50  TTFT p99")
    assert [row.partition("  ")[0] for row in rows[2:4]] == ["64/32 · 1", "64/32 · 16"]
    assert rows[5].startswith("point  in flight  TTFT p50  TTFT p90")
    assert rows[7].startswith("agentic · 1  ")
    ends = rows.index("point  issued   ok  error  overflow  cut at end  cut by plan  lost")
    assert [row.partition("  ")[0] for row in rows[ends + 1 : ends + 4]] == [
        "64/32 · 1", "64/32 · 16", "agentic · 1",
    ]  # fmt: skip
    assert any(row.startswith("usage-missing (64/32 at concurrency 16): ") for row in rows)
    assert "title=infx agentic at concurrency 1::" in github(run(fixed, replay))
