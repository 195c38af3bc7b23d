"""Rows of the public benchmark: 4.3's arithmetic on points of fixed lengths, and what they lack."""

from pathlib import Path

import pytest

import bundled
from infx.interchange import benchmark_rows, fixed_row
from infx.interchange.outgoing import Outgoing
from infx.model.result import Absent, Metric, MetricValue
from infx.model.workload import Arrival, FixedWorkload
from outgoing import outgoing, replayed
from refusals import refusal

STATED = {
    "hw": "b200", "infmax_model_prefix": "dsr1", "framework": "trt", "precision": "fp4",
    "is_multinode": False, "tp": 4, "pp": 2, "ep": 4,
}  # fmt: skip
SEVERAL = {**STATED, "is_multinode": True, "num_prefill_gpu": 8, "num_decode_gpu": 24}
RATES = {"total_throughput": 12_000.0, "output_throughput": 2400.0, "input_throughput": 9600.0}


def times(**seconds: float) -> MetricValue:
    return MetricValue(unit="s", n=4, **seconds)


METRICS: dict[str, Metric] = {
    **{name: MetricValue(unit="tok/s", n=4, mean=rate) for name, rate in RATES.items()},
    "ttft": times(mean=0.1, p50=0.09, p75=0.2, p90=0.3, p95=0.4, p99=0.5, std=0.0),
    "tpot": times(mean=0.02, p50=0.0125, p90=0.05, std=0.0005),
    "chunk_gap": times(mean=0.04),
    "e2el": Absent(reason="nothing ended ok"),
}


def point(workload: FixedWorkload | None = None, **facts: object) -> Outgoing:
    made = bundled.point(concurrency=4)
    recipe = made.recipe.model_copy(update=facts)
    asked = {"recipe": recipe, "workload": workload or made.workload}
    told = outgoing(point=made.model_copy(update=asked))
    summary = told.summary.model_copy(update={"metrics": METRICS})
    return Outgoing(told.manifest, told.point, summary, ())


def figures(**facts: object) -> dict:
    return fixed_row.row_of(point(), facts).figures


def test_a_single_node_shares_out_all_among_all() -> None:
    """tp 4 by pp 2 are 8, experts add none: 12000/8, 2400/8 and 9600/8."""
    told = figures(**STATED)
    assert told["tput_per_gpu"] == 1500
    assert told["output_tput_per_gpu"] == 300
    assert told["input_tput_per_gpu"] == 1200


def test_a_single_node_does_so_even_where_it_tells_roles() -> None:
    """As above, though 3 of the 8 decode: only several nodes share by role."""
    told = figures(**STATED, num_prefill_gpu=5, num_decode_gpu=3)
    assert (told["output_tput_per_gpu"], told["input_tput_per_gpu"]) == (300, 1200)


def test_several_nodes_share_out_by_role() -> None:
    """12000/(8+24) in all; 2400 of output over 24 that decode, 9600 of input over 8."""
    told = figures(**SEVERAL)
    assert told["tput_per_gpu"] == 375
    assert told["output_tput_per_gpu"] == 100
    assert told["input_tput_per_gpu"] == 1200


def test_several_nodes_without_decoders_share_output_among_all() -> None:
    """8 prefill and none decode: 12000/8, 2400/8 over all, 9600/8."""
    told = figures(**{**SEVERAL, "num_decode_gpu": 0})
    assert told["tput_per_gpu"] == 1500
    assert told["output_tput_per_gpu"] == 300
    assert told["input_tput_per_gpu"] == 1200


def test_times_are_seconds_and_what_is_absent_has_no_key() -> None:
    told = figures(**STATED)
    assert {name: one for name, one in told.items() if name.endswith("_ttft")} == {
        "mean_ttft": 0.1, "median_ttft": 0.09, "std_ttft": 0.0, "p75_ttft": 0.2, "p90_ttft": 0.3,
        "p95_ttft": 0.4, "p99_ttft": 0.5,
    }  # fmt: skip
    assert told["mean_itl"] == 0.04
    assert "mean_e2el" not in told
    assert told["median_e2el"] is None
    assert not any(name.endswith("_ms") for name in told)


def test_each_statistic_of_tpot_gives_its_reciprocal() -> None:
    """1000/20, 1000/12.5 and 1000/50 ms; the quirk: a deviation of 0.5 ms becomes 2000."""
    told = figures(**STATED)
    assert {name: one for name, one in told.items() if name.endswith("_intvty")} == {
        "mean_intvty": 50, "median_intvty": 80, "p90_intvty": 20, "std_intvty": 2000,
    }  # fmt: skip


def test_a_time_of_nothing_has_no_speed() -> None:
    counted = fixed_row.accelerators({"tp": 1})
    assert counted is not None
    told = fixed_row.figures({"tpot": times(mean=0.02, p50=0.0, std=0.0)}, counted)
    assert told == {"mean_tpot": 0.02, "median_tpot": 0.0, "std_tpot": 0.0, "mean_intvty": 50}


def test_what_the_bundle_says_is_told_and_what_nobody_states_is_null() -> None:
    told = fixed_row.row_of(point(hardware="h200", gpus=8), {**STATED, "hw": "h100"})
    assert (told.isl, told.osl, told.conc, told.model) == (64, 16, 4, "m")
    assert told.hw == "h100"
    assert (told.image, told.spec_decoding, told.disagg, told.recipe_fingerprint) == (None,) * 4
    assert "num_gpus" not in told.figures


def test_what_a_row_must_say_is_asked_for_at_once() -> None:
    lines = refusal(lambda: fixed_row.row_of(point(), {})).splitlines()
    keys = ["is_multinode", "hw", "infmax_model_prefix", "framework", "precision"]
    assert [line.split(": ")[1] for line in lines] == keys
    assert all(line.endswith("Field required; state it with --fact KEY=VALUE") for line in lines)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"tp": 0}, "tp: no count of accelerators; state it with --fact KEY=VALUE"),
        (
            {"is_multinode": True},
            (
                "num_prefill_gpu and num_decode_gpu: no count of accelerators; "
                "state it with --fact KEY=VALUE"
            ),
        ),
        (
            {"pp": 1},
            (
                "the sizes make 4 accelerators, and the point ran on 8; "
                "mend tp, pp, pcp_size or those of each role with --fact"
            ),
        ),
        ({"imag": "i"}, "a row has no key 'imag'; did you mean image?"),
        ({"mean_ttft": 0.1}, "mean_ttft: a figure is measured and not stated; leave it out"),
    ],
)
def test_accelerators_are_counted_and_figures_measured(facts: dict, said: str) -> None:
    one = point(gpus=8)
    where = f"point {one.point.directory[:16]}"
    assert refusal(lambda: fixed_row.row_of(one, {**STATED, **facts})) == f"{where}: {said}"


def test_arrivals_at_a_rate_have_no_row() -> None:
    open_loop = FixedWorkload(
        isl=64, osl=16, requests=4, arrival=Arrival(process="poisson", rate=3.0)
    )
    said = refusal(lambda: fixed_row.row_of(point(open_loop), STATED))
    assert "a row has no place for a rate of arrivals; export another point" in said


def test_rows_of_a_run_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    rows = benchmark_rows.rows_of([point(), point(gpus=8)], STATED)
    path = benchmark_rows.write(rows, tmp_path)
    assert path.name == "agg_bmk.json"
    found = benchmark_rows.read(path.read_bytes(), str(path))
    assert tuple(one.row for one in found) == rows


def test_points_of_replays_keep_a_row_of_their_own(tmp_path: Path) -> None:
    facts = {
        **STATED, "image": "i", "spec_decoding": "none", "disagg": False, "dp_attention": "false",
        "kv_offloading": "none", "allocated_cpu_dram_gb": 0, "num_gpus": 8,
    }  # fmt: skip
    rows = benchmark_rows.rows_of([outgoing(point=replayed(gpus=8))], facts)
    path = benchmark_rows.write(rows, tmp_path)
    (found,) = benchmark_rows.read(path.read_bytes(), str(path))
    assert found.row == rows[0]
    assert found.row.scenario_type == "agentic-coding"


def test_problems_of_all_points_are_told_together() -> None:
    points = [point(), point(gpus=8)]
    lines = refusal(lambda: benchmark_rows.rows_of(points, {"is_multinode": False})).splitlines()
    assert len(lines) == 10
