"""How far a profile's observations reach, and the stalls that reach alone does not show."""

import pytest

from handmade import NS, measured, record
from infx.metrics.coverage import coverage, covers, differ, stalls
from infx.model.measured import Replayed
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent, Coverage


def request(sent: float, first: float, last: float, **fields: object) -> RequestRecord:
    """A request whose first content is followed by another one, so that it has an ITL."""
    return record(**{"sent": sent, "first": first, "gaps": (last - first,)} | fields)


def decoding(sent: float, first: float, last: float) -> RequestRecord:
    return request(sent, first, last, completion_tokens=11)


def of(
    *records: RequestRecord, start: float = 100, end: float = 230, duration: float | None = 100
) -> Coverage:
    replay = Replayed(
        profiling=(round(start * NS), round(end * NS)),
        duration_ns=None if duration is None else round(duration * NS),
    )
    found = coverage(measured(*records, replay=replay))
    assert isinstance(found, Coverage)
    return found


def test_golden_ratios() -> None:
    """A phase of 100 s from 100 s on; one request from 197 s, first token after 1 s, end at 199 s.

    The first token came at 198 s: 0.98. Its inter-token latency is known at 199 s: 0.99.
    """
    found = of(decoding(197, 198, 199))
    assert found.ttft_ratio == pytest.approx(0.98)
    assert found.inter_token_latency_ratio == pytest.approx(0.99)
    assert covers(found)


def test_t20_a_sparse_tail_is_covered_by_either_signal_to_95_percent() -> None:
    """T20: at low concurrency the last first token may be old while its answer still streams.

    SemiAnalysisAI/InferenceX#2548 asked 98 % of both signals, and refused good runs.
    """
    streaming = of(decoding(140, 141, 195))  # 0.41 and 0.95
    assert streaming.ttft_ratio == pytest.approx(0.41)
    assert covers(streaming)
    started = of(decoding(110, 111, 112), request(190, 195, 195))  # 0.95 and 0.12
    assert started.inter_token_latency_ratio == pytest.approx(0.12)
    assert covers(started)
    assert not covers(of(decoding(140, 141, 194.9)))
    assert not covers(of(decoding(140, 141, 150)))


def test_only_ok_requests_of_profiling_are_observations() -> None:
    """A late warmup, an error and a cut answer do not hide that figures stopped early."""
    late = [
        request(196, 197, 199, completion_tokens=11, phase=Phase.WARMUP),
        request(196, 197, 199, completion_tokens=11, state=EndState.ERROR),
        request(196, 197, 199, completion_tokens=11, state=EndState.CANCELLED_AT_END),
    ]
    found = of(decoding(147, 148, 149), *late)
    assert found.ttft_ratio == pytest.approx(0.48)
    assert found.inter_token_latency_ratio == pytest.approx(0.49)


def test_no_observation_is_no_ratio() -> None:
    """One token has no inter-token latency; nothing ok has no first token either."""
    single = of(record(sent=198, first=198, completion_tokens=1))
    assert single.ttft_ratio == pytest.approx(0.98)
    assert single.inter_token_latency_ratio is None
    nothing = of(record(sent=198, end=199, state=EndState.ERROR))
    assert nothing.ttft_ratio is None
    assert not covers(nothing)


def test_responses_of_the_grace_may_reach_beyond() -> None:
    assert of(decoding(199, 200, 220)).inter_token_latency_ratio == pytest.approx(1.2)


def test_without_a_duration_the_phase_took_what_it_took() -> None:
    found = of(decoding(100, 101, 150), end=150, duration=None)
    assert (found.timed, found.expected_duration_s) == (False, 50)


def test_nobody_knows_the_phase() -> None:
    reason = "nobody kept when the profiling phase began and ended"
    assert coverage(measured(replay=Replayed())) == Absent(reason=reason)
    assert coverage(measured()) == Absent(reason=reason)
    empty = Replayed(profiling=(5, 5))
    assert coverage(measured(replay=empty)) == Absent(reason="the profiling phase has no length")


def test_the_largest_gap_in_completions_by_hand() -> None:
    """Ok ends at 110, 112, 145, 178 and, after the deadline of 200 s, 225: the largest gap is 33 s.

    The error at 140 s completes nothing; start-up and the grace, to which the 47 s after the last
    one belong, are no middle of the run.
    """
    found = of(
        decoding(100, 101, 110),
        decoding(100, 101, 112),
        record(sent=112, end=140, state=EndState.ERROR),
        decoding(112, 113, 145),
        decoding(145, 146, 178),
        decoding(178, 179, 225),
    )
    assert found.completion_gap_s == pytest.approx(33)
    assert of(decoding(100, 101, 110)).completion_gap_s is None


def test_a_silence_by_hand() -> None:
    """Two requests: tokens at 101 and 103 s; at 102 and 143 s. Nothing comes from 103 to 143 s."""
    found = of(request(100, 101, 103), request(100, 102, 143), end=143)
    assert found.silence_s == pytest.approx(40)


def test_a_pause_of_the_sessions_is_no_silence() -> None:
    """The first answer ends at 110 s and the next request leaves at 150 s: nothing was asked.

    It is answered after 12 s, and that is the silence. To 200 s nothing is asked again.
    """
    found = of(request(100, 101, 110), request(150, 162, 170))
    assert found.silence_s == pytest.approx(12)


def test_a_silence_at_the_end_and_of_what_fails() -> None:
    """Cut or lost requests are in flight as any other, and their end breaks a silence."""
    cut = record(sent=120, end=230, state=EndState.CANCELLED_AT_END)
    assert of(request(100, 101, 120), cut).silence_s == pytest.approx(80)  # to the deadline
    lost = record(sent=120, end=None, state=EndState.LOST)
    assert of(request(100, 101, 120), lost).silence_s == pytest.approx(80)
    failed = [record(sent=120, end=150, state=EndState.ERROR), request(150, 199, 200)]
    assert of(request(100, 101, 120), *failed).silence_s == pytest.approx(49)


@pytest.mark.parametrize(
    ("duration", "silence", "stalled"),
    [(100, 10, False), (100, 10.5, True), (1000, 50, False), (1000, 50.5, True)],
)
def test_a_stall_is_longer_than_5_percent_and_10_s(
    duration: float, silence: float, stalled: bool
) -> None:
    rest = duration - 41 - silence
    gaps = (1.0,) * 40 + (silence,) + (1.0,) * int(rest)
    answer = record(sent=100, first=101, gaps=gaps, end=100 + duration)
    found = of(answer, end=100 + duration, duration=duration)
    assert found.silence_s == pytest.approx(silence)
    assert stalls(found) == stalled


@pytest.mark.parametrize(("last", "apart"), [(186.0, 46.0), (150.0, 10.0), (110.0, 0.0)])
def test_how_far_a_lone_first_token_is_from_the_time_between_tokens(
    last: float, apart: float
) -> None:
    """ITL is told by requests sent at 110 and 140 s, a first token alone by one sent at `last`.

    Others at 120 and 135 s are 10 s from the earlier of the two, and 5 s from the later.
    """
    both = [decoding(110, 111, 112), decoding(140, 141, 142)]
    late = request(last, last + 1, last + 1)
    assert of(*both, late).apart_s == pytest.approx(apart)
    between = [request(120, 121, 121), request(135, 136, 136)]
    assert of(*both, *between, late).apart_s == pytest.approx(max(apart, 10))


def test_nothing_is_apart_where_either_is_told_by_none() -> None:
    assert of(request(110, 111, 111)).apart_s is None
    assert of(record(sent=198, end=199, state=EndState.ERROR)).apart_s is None
    # A request that tells both is at no distance from itself, however old its first token is.
    assert of(decoding(101, 102, 199)).apart_s == 0


@pytest.mark.parametrize(
    ("duration", "apart", "far"),
    [(100, 10, False), (100, 10.5, True), (1000, 50, False), (1000, 50.5, True)],
)
def test_windows_are_unequal_beyond_5_percent_and_10_s(
    duration: float, apart: float, far: bool
) -> None:
    late = request(110 + apart, 111 + apart, 111 + apart)
    found = of(decoding(110, 111, 112), late, duration=duration)
    assert differ(found) == far


def test_many_tokens_a_second_keep_the_silence_exact() -> None:
    """100 tokens a second for 50 s, then none for 7.25 s, then more."""
    answer = record(sent=100, first=100.5, gaps=(0.01,) * 5000 + (7.25,) + (0.01,) * 4000)
    assert of(answer, end=200).silence_s == pytest.approx(7.25)
