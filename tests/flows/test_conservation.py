"""Nothing is lost or made up between a corpus and what a run says of it.

Small corpora, lanes and faults are drawn; every figure is held against sums over the journal and
over the server's own log.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infx.flows.exporting import export_run
from infx.flows.importing import Stated, import_runs
from infx.flows.replaying import stated
from infx.flows.runs import verify_run
from infx.model.agentic import AgenticWorkload
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Counts, Interval, MetricValue, PointSummary, ServerMetrics
from infx.model.workload import FixedWorkload
from infx.servers.truth.faults import read_faults
from infx.servers.truth.log import Sent
from infx.servers.truth.script import EngineModel, Script
from playing import play
from recorded import corpus, request, session, subagent
from replaying import Replayed
from server_log import by_number

UNSENT = ("refused", "in-flight-limit")
FAULTS = (
    (),
    ("reset:0.5@5+3",),
    ("overflow@7+4",),
    ("refuse:500@4+2",),
    ("error:1@3+1",),
    ("usage-never@6+2",),
    ("usage-always",),
    ("reset:1.5@6+1", "overflow@5+2"),
    ("channels:reasoning_content+content",),
)


@st.composite
def sessions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw weka rows: growing and edited prompts of whole blocks, and subagents beside them."""
    rows = []
    for number in range(draw(st.integers(1, 3))):
        entries: list[dict[str, Any]] = []
        now, prompt, fresh = 0.0, [1, 2], 100
        for turn in range(draw(st.integers(1, 4))):
            took = draw(st.sampled_from([0.0, 0.5, 3.0]))
            out = draw(st.integers(0, 12))
            entries.append(request(now, list(prompt), api_time=took, out=out))
            for agent in range(draw(st.integers(0, 2))):
                begun = now + took + draw(st.sampled_from([0.0, 0.25, 1.0]))
                calls = [
                    request(begun + n, [1, fresh + agent, *range(fresh + 10, fresh + 10 + n)],
                            api_time=0.5, out=3 + n)
                    for n in range(draw(st.integers(1, 3)))
                ]  # fmt: skip
                entries.append(subagent(begun, f"a{turn}{agent}", calls))
            kept = draw(st.integers(1, len(prompt)))
            prompt = [*prompt[:kept], *range(fresh, fresh + draw(st.integers(0, 3)))]
            fresh += 100
            now += took + draw(st.sampled_from([0.0, 1.0, 7.0, 40.0]))
        rows.append(session(entries, id=f"t{number}"))
    return rows


workloads = st.fixed_dictionaries(
    {
        "duration_s": st.sampled_from([None, 3.0, 25.0]),
        "window": st.sampled_from([None, (0.25, 0.75)]),
        "warmups_per_lane": st.integers(0, 2),
        "cache_bust": st.booleans(),
    }
)


@dataclass(frozen=True)
class Case:
    """What is asked of how many lanes, and what strikes."""

    rows: list[dict[str, Any]]
    settings: dict[str, Any]
    lanes: int
    faults: tuple[str, ...]
    engine: bool
    chunk: int


cases = st.builds(
    Case,
    rows=sessions(),
    settings=workloads,
    lanes=st.sampled_from([1, 2, 3, 12]),
    faults=st.sampled_from(FAULTS),
    engine=st.booleans(),
    chunk=st.sampled_from([1, 3]),
)


def ran(case: Case, folder: Path) -> Replayed:
    path = corpus(folder, *case.rows)
    loose = AgenticWorkload.under("custom", corpus="sha256:" + "0" * 64, **case.settings)
    engine = EngineModel(block_size=64) if case.engine else None
    script = Script(
        ttft_s=0.2, itl_s=0.05, template_tokens=0, tokens_per_chunk=case.chunk,
        faults=read_faults(case.faults), engine=engine,
    )  # fmt: skip
    outcome, log, _ = play(
        folder / "out", script, workload=stated(loose, path), corpus=path,
        concurrency=(case.lanes,), grace_s=0.3,
    )  # fmt: skip
    return Replayed(outcome, by_number(log), None)  # type: ignore[arg-type]


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(cases)
def test_what_a_replay_says_adds_up(case: Case) -> None:
    with TemporaryDirectory() as folder:
        done = ran(case, Path(folder))
        point = done.point
        counted(done, point)
        ok = [one for one in done.profiled if one.state is EndState.OK]
        as_the_server_says(done, ok)
        tokens_add_up(point, ok)
        sessions_add_up(done, point)
        lanes_are_warmed_up_alike(done)
        nothing_comes_before_what_it_waits_for(done)
        as_its_counters_say(done, point)
        figures_are_possible(point)
        the_same_comes_back(done, Path(folder))


@st.composite
def loads(draw: st.DrawFn) -> dict[str, Any]:
    """Draw independent requests, of lanes or at a rate, and what strikes them."""
    workload = FixedWorkload(
        isl=draw(st.integers(32, 64)), osl=draw(st.integers(1, 12)),
        range_ratio=draw(st.sampled_from([0.5, 1.0])), requests=draw(st.integers(1, 15)),
        warmups=draw(st.integers(0, 3)),
    )  # fmt: skip
    rates = draw(st.sampled_from([(), (5.0,), (200.0,)]))
    return {"workload": workload, "rates": rates, "concurrency": (draw(st.integers(1, 4)),)}


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(loads(), st.sampled_from(FAULTS), st.sampled_from([1, 3]))
def test_what_independent_requests_say_adds_up(
    load: dict[str, Any], faults: tuple[str, ...], chunk: int
) -> None:
    with TemporaryDirectory() as folder:
        script = Script(ttft_s=0.2, itl_s=0.05, tokens_per_chunk=chunk, faults=read_faults(faults))
        outcome, log, _ = play(Path(folder) / "out", script, grace_s=0.3, **load)
        done = Replayed(outcome, by_number(log), None)  # type: ignore[arg-type]
        counted(done, done.point)
        ok = [one for one in done.profiled if one.state is EndState.OK]
        as_the_server_says(done, ok)
        tokens_add_up(done.point, ok)
        figures_are_possible(done.point)
        the_same_comes_back(done, Path(folder))


def the_same_comes_back(done: Replayed, folder: Path) -> None:
    """The bundle is whole, and an export of it says to the last digit what it says."""
    run = done.outcome.run
    assert verify_run(run.bundle.path) == ()
    export_run(run.bundle.path, folder / "given", format="aiperf")
    again = import_runs(folder / "given", folder / "taken", stated=Stated())
    assert again.result.points == run.result.points


def counted(done: Replayed, point: PointSummary) -> None:
    for phase, counts in ((Phase.PROFILING, point.counts), (Phase.WARMUP, point.warmup_counts)):
        ends = Counter(one.state for one in done.records if one.phase is phase)
        assert counts == Counts(
            issued=ends.total(), **{state.value: ends[state] for state in EndState}
        )
    assert len({one.request for one in done.records}) == len(done.records)
    assert len(done.log) == sum(one.reason not in UNSENT for one in done.records)


def as_the_server_says(done: Replayed, ok: list[RequestRecord]) -> None:
    for record in ok:
        sent: Sent = done.log[record.request]
        assert sent.end == "completed"
        if record.completion_tokens is not None:
            assert record.completion_tokens == sent.completion_tokens
            assert record.prompt_tokens == sent.prompt_tokens
        assert record.asked_input == sent.prompt_tokens


def tokens_add_up(point: PointSummary, ok: list[RequestRecord]) -> None:
    if not ok:
        assert not isinstance(point.metrics["output_throughput"], MetricValue)
        return
    window = (max(one.last_content_ns or 0 for one in ok) - min(one.sent_ns for one in ok)) / 1e9
    sums = {
        "output_throughput": [one.completion_tokens for one in ok],
        "input_throughput": [one.prompt_tokens for one in ok],
        "request_rate": [1 for _ in ok],
    }
    for name, parts in sums.items():
        figure = point.metrics[name]
        if None in parts:
            assert not isinstance(figure, MetricValue)
        else:
            assert figure.mean * window == pytest.approx(sum(parts))
    total, given = point.metrics["total_throughput"], point.metrics["uncached_throughput"]
    if isinstance(total, MetricValue):
        written, asked = (point.metrics[f"{way}_throughput"].mean for way in ("output", "input"))
        assert total.mean == pytest.approx(written + asked)
    if isinstance(given, MetricValue):
        cached = sum(one.cached_tokens or 0 for one in ok) / window
        assert given.mean + cached == pytest.approx(asked)
        hit = point.metrics.get("served_prefix_hit")
        assert hit is None or hit.mean * asked == pytest.approx(cached)


def sessions_add_up(done: Replayed, point: PointSummary) -> None:
    replay, plan = point.replay, done.plan
    assert replay is not None
    plays: dict[tuple[int, int], list[RequestRecord]] = defaultdict(list)
    for record in done.profiled:
        plays[record.lane, record.play].append(record)
    assert replay.plays == len(plays)
    assert replay.whole <= replay.finished <= replay.plays
    whole = 0
    for asked in plays.values():
        (tree,) = (t for t in range(plan.trees) if asked[0].session in plan.streams_of(t))
        turns = sum(len(plan.turns_of(one)) for one in plan.streams_of(tree))
        assert len(asked) <= turns
        whole += len(asked) == turns and {one.state for one in asked} == {EndState.OK}
    assert replay.whole == whole
    once = done.workload.duration_s is done.workload.window is None
    if once and not point.warmup_counts.issued and "aborted" not in point.reasons:
        assert replay.plays == plan.trees


def lanes_are_warmed_up_alike(done: Replayed) -> None:
    """Each sends its primers and exactly so many turns more, of one token each."""
    warm = [one for one in done.records if one.phase is Phase.WARMUP]
    assert {one.asked_output for one in warm} <= {1}
    if done.workload.duration_s is None or "aborted" in done.point.reasons:
        return  # sessions may be over before the warmup is
    for lane in range(done.point.concurrency):
        seat = done.plan.seat(lane)[1] if done.plan.lanes else ()
        primers = sum(one.primer is not None for one in seat)
        more = sum(one.lane == lane for one in warm) - primers
        assert more == done.workload.warmups_per_lane


def nothing_comes_before_what_it_waits_for(done: Replayed) -> None:
    """By the server's own moments, whatever idle time was skipped."""
    plan, log = done.plan, done.log
    for asked in done.plays().values():
        for number, record in asked.items():
            came = log[record.request].received_ns
            base = asked.get(plan.base_of(number))
            if base is not None:
                before = log[base.request]
                since = before.received_ns if plan.overlaps(number) else before.ended_ns
                assert came >= since
            for hold in plan.holds_of(number):
                assert hold not in asked or came >= log[asked[hold].request].ended_ns


def as_its_counters_say(done: Replayed, point: PointSummary) -> None:
    """The page between the phases parts their counters; requests that were refused are in none."""
    asked, server = [done.log[one.request] for one in done.profiled], point.server
    if not asked:
        return
    assert isinstance(server, ServerMetrics)
    for name in ("prompt_tokens", "completion_tokens"):
        figure = server.metrics[name.replace("completion", "generation")]
        assert isinstance(figure, MetricValue)
        assert figure.mean == sum(getattr(one, name) or 0 for one in asked if one.status == 200)


def figures_are_possible(point: PointSummary) -> None:
    for name in ("theoretical_prefix_hit", "served_prefix_hit", "error_rate", "output_shortfall"):
        figure = point.metrics.get(name)
        assert not isinstance(figure, MetricValue) or 0 <= figure.mean <= 1
    for name, figure in point.metrics.items():
        if not isinstance(figure, MetricValue):
            continue
        assert isfinite(figure.mean)
        if figure.p99 is not None:
            spread = [figure.p50, figure.p75, figure.p90, figure.p95, figure.p99]
            assert spread == sorted(spread, reverse="interactivity" in name)
        told = figure.intervals.get("mean")
        if isinstance(told, Interval):
            least, most = told.low * (1 - 1e-9), told.high * (1 + 1e-9)
            assert 0 <= least <= figure.mean <= most, f"{name} lies outside its own interval"
