"""The statistics of the public AgentX benchmark, by golden vectors that were worked out by hand."""

import json
import math
import os
from pathlib import Path

import pytest

from handmade import measured, record
from infx.metrics.agentx import request_metrics
from infx.model.agentx import RequestMetrics, Spread, rounded
from infx.model.measured import Expected, Replayed
from infx.model.record import EndState, Phase, RequestRecord


def answer(first: float, last: float, **fields: object) -> RequestRecord:
    """A request sent at 0 whose content came at two moments."""
    return record(
        **{"first": first, "gaps": (last - first,), "prompt_tokens": 100, "completion_tokens": 11}
        | fields
    )


def test_golden_interactivity() -> None:
    """Chunks at 0.5, 1, 1.5, 2, 2.5 s and 41 tokens.

    ITL is (2.5 - 0.5) / 40 = 0.05 s, so 20 tok/s/user; normalised by E2EL it is 41 / 2.5 = 16.4.
    """
    found = request_metrics(
        measured(record(first=0.5, gaps=(0.5,) * 4, prompt_tokens=1, completion_tokens=41))
    ).latency
    assert found.itl == found.tpot == found.full_response_itl
    assert found.itl == Spread(mean=0.05, p50=0.05, p75=0.05, p90=0.05, p95=0.05, std=0)
    assert found.intvty is not None
    assert found.intvty.p90 == pytest.approx(20)
    assert found.e2e_norm_intvty is not None
    assert found.e2e_norm_intvty.mean == pytest.approx(16.4)


def test_golden_first_chunk_of_several_tokens() -> None:
    """40 tokens, 4 of them in the first chunk, over 2 s: 2 / 36, not 2 / 39.

    The ITL of the full response knows no chunks: 2 / 39 = 0.05128.
    """
    found = request_metrics(
        measured(answer(0.5, 2.5, completion_tokens=40, first_chunk_tokens=4))
    ).document()["latency"]
    assert found["itl"]["p50"] == 0.05556
    assert found["tpot"]["p50"] == 0.05556
    assert found["full_response_itl"]["p50"] == 0.05128
    assert found["full_response_intvty"]["p50"] == 19.5


def test_golden_percentiles() -> None:
    """TTFT 1, 2, 3, 4 s: rank (n-1)p/100 gives p75 at rank 2.25 and p90 at rank 2.7.

    The squares of the distances to 2.5 sum to 5, so the population's deviation is sqrt(5 / 4).
    """
    found = request_metrics(measured(*(answer(s, s + 1) for s in (1.0, 2.0, 3.0, 4.0))))
    assert found.latency.ttft is not None
    assert found.latency.ttft.p75 == 3.25
    assert found.latency.ttft.p90 == pytest.approx(3.7)
    assert found.latency.ttft.p95 == pytest.approx(3.85)
    assert found.latency.ttft.std == pytest.approx(math.sqrt(1.25))
    assert "p99" not in found.document()["latency"]["ttft"]


def test_speeds_are_of_the_slow_tail() -> None:
    """ITL 0.1, 0.2, 0.3, 0.4 s over 10 tokens each.

    p90 of ITL is 0.37 s, so p90 of interactivity is 1 / 0.37 = 2.7027, below the p50 of 4. Its mean
    is 1 / 0.25 = 4. Its deviation is of 10, 5, 10/3, 5/2: their mean is 125/24, and the mean of
    their squares (100 + 25 + 100/9 + 25/4) / 4 = 5125/144.
    """
    records = [answer(1.0, 1 + each * 10) for each in (0.1, 0.2, 0.3, 0.4)]
    found = request_metrics(measured(*records)).latency.intvty
    assert found is not None
    assert found.p90 == pytest.approx(1 / 0.37)
    assert found.p50 == pytest.approx(4)
    assert found.mean == pytest.approx(4)
    assert found.std == pytest.approx(math.sqrt(5125 / 144 - (125 / 24) ** 2))


def test_percentiles_are_inverted_before_they_are_rounded() -> None:
    """Full-response ITL 4, 5 and 5.469791 ms: p75 lies halfway, at 5.2348955 ms.

    1 / 0.0052348955 = 191.02578; of the rounded 0.00523 it would be 191.20459.
    """
    records = [answer(1.0, 1 + each * 1000, completion_tokens=1001) for each in (
        0.004, 0.005, 0.005469791
    )]  # fmt: skip
    found = request_metrics(measured(*records)).document()["latency"]
    assert found["full_response_itl"]["p75"] == 0.00523
    assert found["full_response_intvty"]["p75"] == 191.02578


def test_kept_are_ok_records_of_profiling() -> None:
    """Warmups, errors, cut and overflown requests give no latency, no token and no span."""
    others = [answer(0.1, 90.0, state=state) for state in EndState if state is not EndState.OK]
    found = request_metrics(
        measured(answer(1.0, 2.0), answer(0.1, 95.0, phase=Phase.WARMUP), *others)
    )
    assert found.kept == 1
    assert found.latency.e2el is not None
    assert found.latency.e2el.p95 == 2.0
    assert found.throughput is not None
    assert found.throughput.duration_seconds == 2.0


def test_times_of_zero_are_dropped() -> None:
    """Content at the moment of sending, all at once: neither TTFT, E2EL nor ITL is a time."""
    found = request_metrics(measured(record(first=0.0, prompt_tokens=5, completion_tokens=9)))
    assert found.latency.model_dump(exclude_none=True) == {}
    assert found.document()["latency"]["ttft"] == {}
    assert found.throughput is None
    assert found.document()["throughput"] == {}


def test_golden_throughput() -> None:
    """840 prompt and 275 output tokens from the first send at 1 s to the last content at 5.1 s.

    Over 4.1 s: 204.87805 in, 67.07317 out, 271.95122 in all; a sixteenth of each for 16 GPUs.
    """
    records = [
        record(sent=1.0, first=1.5, gaps=(0.5,), prompt_tokens=400, completion_tokens=75),
        record(sent=1.5, first=2.0, gaps=(3.1,), prompt_tokens=440, completion_tokens=200),
    ]
    found = request_metrics(measured(*records, gpus=16))
    assert found.document()["throughput"] == {
        "input": {"tokens_per_second": 204.87805},
        "output": {"tokens_per_second": 67.07317},
        "total": {"tokens_per_second": 271.95122},
        "duration_seconds": 4.1,
        "per_gpu": {
            "input_tput_tps": 12.80488,
            "output_tput_tps": 4.19207,
            "total_tput_tps": 16.99695,
        },
    }
    assert request_metrics(measured(*records)).document()["throughput"]["per_gpu"] == {}


def test_a_sum_with_holes_is_no_throughput() -> None:
    found = request_metrics(measured(answer(1.0, 2.0), answer(1.0, 3.0, completion_tokens=None)))
    assert found.throughput is None
    assert found.tokens.output_actual is not None


def test_golden_qps() -> None:
    """Ends at 1, 1.2, 2, 2.5, 4.5 s: windows [1, 2), [2, 3), [3, 4) hold 2, 2 and 0 completions.

    The next one would end at 5 s, after the last completion. Their mean is 4 / 3, and their
    deviation sqrt(8 / 3 - 16 / 9) = sqrt(8) / 3.
    """
    ends = (1.0, 1.2, 2.0, 2.5, 4.5)
    found = request_metrics(measured(*(answer(0.5, end) for end in ends))).qps
    assert found is not None
    assert (found.window_seconds, found.samples) == (1, 3)
    assert found.mean == pytest.approx(4 / 3)
    assert (found.p50, found.p75) == (2, 2)
    assert found.std == pytest.approx(math.sqrt(8) / 3)


def test_qps_of_less_than_a_window() -> None:
    """Three ends within half a second: no window, and 3 / 0.5 in the mean. One end: nothing."""
    found = request_metrics(measured(*(answer(0.5, end) for end in (1.0, 1.2, 1.5))))
    assert found.document()["qps"] == {"window_seconds": 1, "samples": 0, "mean": 6}
    assert request_metrics(measured(answer(0.5, 1.0))).document()["qps"] == {}


def test_golden_theoretical_hit_and_expected_outputs() -> None:
    """Prompts [1,2,3,4] [1,2,3,4,5] [1,2,9] [7,1,2] of one session.

    0, 4, 2 and 0 of their 4, 5, 3 and 3 blocks are known: 6 / 15. Recorded outputs are 10, 20, 30
    and unknown: the mean of the known is 20.
    """
    facts = [(0, 4, 10), (4, 5, 20), (2, 3, 30), (0, 3, None)]
    expected = {
        (0, turn): Expected("t", "t", turn, known, blocks, output)
        for turn, (known, blocks, output) in enumerate(facts)
    }
    records = [answer(1.0, 2.0, turn=turn) for turn in range(4)]
    found = request_metrics(measured(*records, replay=Replayed(expected=expected)))
    assert found.theoretical_cache_hit_rate == pytest.approx(0.4)
    assert found.tokens.output_expected is not None
    assert found.tokens.output_expected.mean == 20
    assert found.tokens.input == Spread(mean=100, p50=100, p75=100, p90=100, p95=100, std=0)


def test_a_hit_lies_between_none_and_all_of_the_blocks() -> None:
    """7 known of 4 blocks count as 4, and -3 of 4 as none: 4 / 8."""
    expected = {(0, turn): Expected("t", "t", turn, known, 4) for turn, known in enumerate((7, -3))}
    records = [answer(1.0, 2.0, turn=turn) for turn in range(2)]
    found = request_metrics(measured(*records, replay=Replayed(expected=expected)))
    assert found.theoretical_cache_hit_rate == 0.5


def test_what_was_recorded_of_dropped_requests_enters_nothing() -> None:
    """Of three turns the second failed and the third was a warmup: 1 of 2 blocks, and 10 tokens."""
    expected = {
        (0, turn): Expected("t", "t", turn, known, 2, output)
        for turn, (known, output) in enumerate([(1, 10), (2, 500), (0, 900)])
    }
    records = [
        answer(1.0, 2.0, turn=0),
        answer(1.0, 2.0, turn=1, state=EndState.ERROR),
        answer(1.0, 2.0, turn=2, phase=Phase.WARMUP),
    ]
    found = request_metrics(measured(*records, replay=Replayed(expected=expected)))
    assert found.theoretical_cache_hit_rate == 0.5
    assert found.tokens.output_expected is not None
    assert found.tokens.output_expected.p95 == 10


def test_nothing_kept_says_nothing() -> None:
    found = request_metrics(measured())
    assert found.document() == {
        "qps": {},
        "latency": {name: {} for name in found.latency.model_dump()},
        "tokens": {"input": {}, "output_actual": {}, "output_expected": {}},
        "throughput": {},
        "cache": {"theoretical_cache_hit_rate": None},
    }


def test_rounding() -> None:
    """Five decimals; what is whole after that and at least 1 in size is an integer."""
    assert repr(rounded([0.123456, 0.9999999, 49.999999, 0.0, 1e-9, -2.0, 3, True, None])) == (
        "[0.12346, 1, 50, 0.0, 0.0, -2, 3, True, None]"
    )


def test_it_survives_a_file() -> None:
    found = request_metrics(measured(answer(1.0, 2.0), answer(1.0, 4.0), gpus=8))
    assert RequestMetrics.model_validate_json(found.model_dump_json()) == found


def exported(row: dict, number: int) -> RequestRecord:
    """One line of aiperf's `profile_export.jsonl` as a record."""

    def value(name: str) -> float:
        return row["metrics"][name]["value"]

    start = row["metadata"]["request_start_ns"]
    first, last = (
        start + round(value(name) * 1e6) for name in ("time_to_first_token", "request_latency")
    )
    warm = row["metadata"]["benchmark_phase"] == "warmup"
    return RequestRecord(
        request=number, session=0, turn=0, lane=0,
        phase=Phase.WARMUP if warm else Phase.PROFILING, state=EndState.OK, due_ns=start,
        sent_ns=start, end_ns=last, asked_input=None, asked_output=1, first_content_ns=first,
        gaps_ns=(last - first,), prompt_tokens=int(value("input_sequence_length")),
        completion_tokens=int(value("output_sequence_length")),
    )  # fmt: skip


@pytest.mark.parametrize("sample", ["plain", "agentx-scenario"])
def test_what_the_real_client_exported_of_the_same_requests(sample: str) -> None:
    """aiperf 0.13 sums up its own records: linear percentiles, the population's deviation."""
    if "INFX_REFERENCE_DATA" not in os.environ:
        pytest.skip("INFX_REFERENCE_DATA names no reference data")
    folder = Path(os.environ["INFX_REFERENCE_DATA"], "engine-samples/aiperf-0.13-weka", sample)
    lines = (folder / "profile_export.jsonl").read_text().splitlines()
    summed = json.loads((folder / "profile_export_aiperf.json").read_text())
    found = request_metrics(measured(*(exported(json.loads(x), n) for n, x in enumerate(lines))))
    assert found.kept == summed["request_count"]["avg"]
    names = {"ttft": "time_to_first_token", "e2el": "request_latency", "itl": "inter_token_latency"}
    for ours, theirs in names.items():
        spread = getattr(found.latency, ours).model_dump()
        stated = {**summed[theirs], "mean": summed[theirs]["avg"]}
        assert spread == pytest.approx({name: stated[name] / 1000 for name in spread}, rel=1e-6)
    assert found.throughput is not None
    assert found.throughput.output * found.throughput.duration_seconds == pytest.approx(
        summed["total_osl"]["avg"]
    )
