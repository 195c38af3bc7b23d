"""What keeps a replayed point from being certified; a limit met exactly is kept."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from handmade import NS, measured
from infx.flows.summary import summarise
from infx.metrics.replay import censored
from infx.model.agentic import AgenticWorkload
from infx.model.bundle import PointFile
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Coverage, MetricValue, PointSummary
from infx.model.validity import REASONS
from replayed import CORPUS, POINT, point, summary, turn, turns

FORGOT = {"url": "http://127.0.0.1:8000/reset_prefix_cache", "ok": True, "said": "HTTP 200"}


def judged(records: Sequence[RequestRecord], of: PointFile = POINT) -> list[str]:
    found = summarise(of, tuple(records))
    assert set(found.reasons) <= set(REASONS)
    assert found.certified == (not found.reasons)
    return list(found.reasons)


def test_good_records_give_no_reason() -> None:
    assert judged(turns()) == []


def test_t20_profile_coverage() -> None:
    """95 of 100 requests of 10 s reach 0.95 of the stated 1000 s; 94 of them do not.

    The last token of the 95th comes at 940 + 0.1 + 9.9 = 950 s.
    """
    assert judged(turns()[:95]) == []
    assert judged(turns()[:94]) == ["profile-coverage"]
    unknown = POINT.model_copy(update={"phases": ()})
    assert judged(turns(), unknown) == ["profile-unknown"]
    once = point(duration_s=None)
    assert judged(turns()[:94], once) == []


def test_a_mid_run_stall() -> None:
    """50 s of 1000 s may pass without a sign of life, and no more.

    The 40th request leaves at 400 s, and its first token comes 50 s, or 50.1 s, later; the others
    of that time were never asked. The reach of the last observation does not see it.
    """
    rest = [one for one in turns() if not 400 * NS <= one.sent_ns < 460 * NS]
    allowed = turn(400, first=450.0, gaps=(0.0999,) * 99, end=460.0)
    assert judged([*rest, allowed]) == []
    stalled = turn(400, first=450.1, gaps=(0.0999,) * 99, end=460.0)
    assert judged([*rest, stalled]) == ["mid-run-stall"]


def test_unequal_windows() -> None:
    """The last 5 or 6 of 100 turns, 10 s apart, answer one token each: they tell a TTFT alone.

    The last of them leaves at 990 s, the last turn that tells an ITL at 940 or 930 s: 50 s of 1000
    are allowed.
    """
    ok = turns()
    short = {"gaps_ns": (), "completion_tokens": 1, "asked_output": 1}
    lone = [replace(one, **short, end_ns=one.first_content_ns) for one in ok]
    assert judged([*ok[:95], *lone[95:]]) == []
    assert judged([*ok[:94], *lone[94:]]) == ["unequal-windows"]


@pytest.mark.parametrize(("over", "expected"), [(100, []), (101, ["context-overflow"])])
def test_golden_context_overflow(over: int, expected: list[str]) -> None:
    """101 of 10,000 flip the point, 100 do not."""
    ended = [turn(0.0, state=EndState.OVERFLOW, first=None, gaps=())] * over
    short = {"gaps": (1.0,) * 9, "completion_tokens": 10, "asked_output": 10}
    many = [turn(0.1 * place, **short) for place in range(10_000 - over)]
    found = summarise(POINT, (*many, *ended))
    assert list(found.reasons) == expected
    assert found.replay is not None
    assert found.replay.overflow_share == over / 10_000


def test_an_error_rate_of_10_percent_is_kept() -> None:
    ok = turns()
    failed = [replace(one, state=EndState.ERROR) for one in ok[:11]]
    assert judged([*failed[:10], *ok[10:]]) == []
    assert judged([*failed, *ok[11:]]) == ["error-rate"]


def test_censored_requests_are_counted_with_their_least_age() -> None:
    """2 cut after 9.95 s and 3 s, one lost without an end: 3 of 300 is kept, 4 is not.

    An age counts from the send, though the second was due a second before.
    """
    ok = turns(300)
    cut = [
        replace(ok[0], state=EndState.CANCELLED_AT_END),
        replace(
            ok[1],
            state=EndState.CANCELLED_AT_END,
            due_ns=ok[1].sent_ns - NS,
            end_ns=ok[1].sent_ns + 3 * NS,
        ),
        replace(ok[2], state=EndState.LOST, end_ns=None),
    ]
    found = censored(measured(*cut, *ok[3:]))
    assert found is not None
    assert (found.count, found.share, found.least_age_s) == (3, 0.01, 3.0)
    assert censored(measured(*ok)).least_age_s is None  # type: ignore[union-attr]
    assert censored(measured()) is None
    on_time = [replace(one, state=EndState.CANCELLED_AT_END) for one in ok[:4]]
    assert judged([*on_time[:3], *ok[3:]]) == []
    assert judged([*on_time, *ok[4:]]) == ["censored"]


def test_late_dispatch() -> None:
    """E2EL is 10 s in the median, so 2 % of it, 200 ms, may lie between due and sent at p99."""

    def late(by_ns: int) -> list[RequestRecord]:
        return [replace(one, due_ns=one.sent_ns - by_ns) for one in turns()]

    assert judged(late(199_000_000)) == []
    assert judged(late(201_000_000)) == ["client-late"]
    found = summarise(POINT, tuple(late(199_000_000)))
    assert found.client is not None
    assert found.client.send_lag_p99 == pytest.approx(0.199)


def test_short_outputs() -> None:
    """T22: more than 5 % of the outputs are short by more than 5 %."""
    short = [replace(one, completion_tokens=94) for one in turns()]
    assert judged([*short[:5], *turns()[5:]]) == []
    assert judged([*short[:6], *turns()[6:]]) == ["output-shortfall"]


def test_prompts_are_judged_all_together() -> None:
    """T12: each prompt may be off at its seams, the sum by 1 % at most."""
    ok = turns()
    assert judged([replace(one, prompt_tokens=1010) for one in ok]) == []
    assert judged([replace(one, prompt_tokens=1011) for one in ok]) == ["input-total-drift"]
    lone = replace(ok[0], prompt_tokens=1500)
    assert judged([lone, *ok[1:]]) == []
    found = summarise(POINT, (lone, *ok[1:]))
    assert found.metrics["input_drift"] == MetricValue(unit="share", n=100, mean=0.01)


@pytest.mark.parametrize(("rule", "reason"), [("fast", "fast-workload"), ("demo", "demo-workload")])
def test_short_variants_are_never_submissions(rule: str, reason: str) -> None:
    workload = AgenticWorkload.under(rule, corpus=CORPUS)
    assert workload.rule == rule
    scale = (workload.duration_s or 0) / 1000
    short = POINT.model_copy(update={"workload": workload})
    records = [turn(10 * place * scale, first=10 * place * scale + 0.05, gaps=(0.1 * scale,) * 99,
                    end=10 * (place + 1) * scale + 0.1) for place in range(100)]  # fmt: skip
    assert judged(records, short) == [reason]


def test_custom_settings_are_measured_truly() -> None:
    assert point(seed=7).workload.rule == "custom"
    assert judged(turns(), point(seed=7)) == []


@pytest.mark.parametrize(
    ("reason", "bad", "fine"),
    [
        ("digest-mismatch", {"digest_mismatch": ["corpus"]}, {"digest_mismatch": []}),
        (
            "server-not-fresh",
            {"server_used": True, "cache_reset": [FORGOT, FORGOT | {"ok": False}]},
            {"server_used": True, "cache_reset": [FORGOT, FORGOT]},
        ),
        ("server-not-fresh", {"server_used": True}, {"server_used": False}),
        (
            "server-not-fresh",
            {"server_tokens_before": 101, "server_tokens_own": 100},
            {"server_tokens_before": 100, "server_tokens_own": 100},
        ),
        ("aborted", {"aborted": "11 of 100 requests failed"}, {"aborted": None}),
    ],
)
def test_what_the_client_says_of_its_own_work(
    reason: str, bad: dict[str, object], fine: dict[str, object]
) -> None:
    assert judged(turns(), point(bad)) == [reason]
    assert judged(turns(), point(fine)) == []


def test_a_failed_primer_breaks_off_the_warmup() -> None:
    """Nothing was profiled then; what breaks off profiling itself is no primer."""
    stopped = point({"aborted": "the primer of lane 3 failed: HTTP 500"})
    warm = POINT.phases[0].model_copy(update={"phase": Phase.WARMUP})
    early = stopped.model_copy(update={"phases": (warm,)})
    assert {"primer-failed", "aborted", "nothing-ok"} <= set(judged([], early))
    assert judged(turns(), stopped) == ["aborted"]
    assert "primer-failed" not in judged([], POINT.model_copy(update={"phases": ()}))


def test_cache_hits_are_what_a_replay_is_about() -> None:
    audit = {"server_cache_hits": 90_000.0, "server_cache_queries": 100_000.0}
    assert judged(turns(), point(audit)) == []


def test_every_reason_is_carried() -> None:
    audit = {"aborted": "the server failed", "server_used": True}
    demo = point(audit).model_copy(
        update={"workload": AgenticWorkload.under("demo", corpus=CORPUS, duration_s=1000.0)}
    )
    found = judged([replace(one, prompt_tokens=None) for one in turns()[:50]], demo)
    assert found == [
        "demo-workload", "server-not-fresh", "aborted", "usage-missing",
        "profile-coverage",
    ]  # fmt: skip


def test_the_summary_of_a_replay() -> None:
    found = summary()
    assert found.rate is None
    replay = found.replay
    assert replay is not None
    # All recorded turns were asked in profiling, so the first of them was: from 0 to 1000 s.
    assert (replay.plays, replay.finished, replay.whole) == (1, 1, 1)
    assert replay.idle_skipped_s == 30.5
    assert isinstance(replay.coverage, Coverage)
    assert replay.coverage.ttft_ratio == pytest.approx(0.9901)
    assert replay.agentx.rules == "agentx-v1"
    assert replay.agentx.theoretical_cache_hit_rate == 0.9
    assert found.metrics["theoretical_prefix_hit"] == MetricValue(unit="share", n=100, mean=0.9)
    assert found.metrics["served_prefix_hit"] == MetricValue(unit="share", n=100, mean=0.9)
    assert isinstance(found.metrics["total_throughput_per_gpu"], MetricValue)
    assert isinstance(found.metrics["session_time"], MetricValue)
    assert (found.metrics["session_time"].n, found.metrics["session_time"].mean) == (1, 1000)


def test_it_survives_a_file() -> None:
    found = summary()
    assert PointSummary.model_validate_json(found.model_dump_json()) == found


def test_a_client_that_says_nothing_of_pauses_skipped_an_unknown_time() -> None:
    found = summarise(POINT, tuple(turns()))
    assert found.replay is not None
    assert found.replay.idle_skipped_s is None
