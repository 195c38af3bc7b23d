"""The public benchmark's row: infx writes what its contract allows, and names what breaks it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from handmade import record
from infx.interchange import agentx_row
from infx.interchange.outgoing import Outgoing
from infx.model.record import EndState, Phase
from infx.model.result import Absent, MetricValue, ServerMetrics
from outgoing import outgoing, replayed
from refusals import refusal

STATED = {
    "hw": "b200", "image": "vllm/vllm-openai:v1", "infmax_model_prefix": "dsv4",
    "framework": "vllm", "precision": "fp4", "spec_decoding": "none", "disagg": False,
    "is_multinode": False, "tp": 8, "ep": 1, "dp_attention": "false", "kv_offloading": "none",
    "allocated_cpu_dram_gb": 0,
}  # fmt: skip
ROLES = {
    "is_multinode": True, "disagg": True, "num_gpus": 24, "tp": 16, "ep": 8,
    **{f"{role}_{key}": value for role in ("prefill", "decode") for key, value in {
        "num_workers": 1, "tp": 8, "ep": 8, "dp_attention": "true"}.items()},
    "num_prefill_gpu": 8, "num_decode_gpu": 16,
}  # fmt: skip


def point(**more: object) -> Outgoing:
    """Two ok requests, one failed, and a failed one of the warmup, on 8 accelerators."""
    told = {"prompt_tokens": 90, "completion_tokens": 10}
    return outgoing(
        record(request=0, first=1.0, gaps=(1.0,), **told),
        record(request=1, sent=2.0, first=3.0, gaps=(1.0,), **told),
        record(request=2, sent=2.0, end=3.0, state=EndState.ERROR, reason="http-503"),
        record(request=3, end=1.0, state=EndState.ERROR, phase=Phase.WARMUP, reason="reset"),
        point=replayed(gpus=8),
        **more,
    )


def row(**facts: object) -> dict:
    told = agentx_row.row_of(point(), {**STATED, **facts})
    return json.loads(told.model_dump_json())


def test_a_row_counts_and_measures_as_the_benchmark_does() -> None:
    """200 tokens between 0 and 4 s are 50 a second, 6.25 for each of 8 accelerators.

    The failed warmup counts under both reasons, so 2 are dropped and the reasons add up to 3.
    """
    told = row()
    assert told["request_accounting"] == {
        "records_total": 4,
        "records_profiled": 2,
        "records_dropped_total": 2,
        "records_warmup_dropped": 1,
        "records_error_dropped": 2,
        "error_categories": {"http-503": 1, "reset": 1},
    }
    assert (told["num_requests_total"], told["num_requests_successful"]) == (4, 2)
    throughput = told["request_metrics"]["throughput"]
    assert throughput["total"] == {"tokens_per_second": 50}
    assert throughput["per_gpu"]["total_tput_tps"] == 6.25
    assert told["request_metrics"]["latency"]["ttft"]["p90"] == 1
    assert "p99" not in told["request_metrics"]["latency"]["ttft"]
    assert (told["conc"], told["model"], told["num_gpus"]) == (2, "m", 8)
    assert (told["server_metrics"], told["kv_cache_pool_tokens"]) == ({}, None)
    assert told["warnings"] == ["no server metrics: no metrics page was read"]


def test_the_servers_own_figures_are_told_or_their_absence_is() -> None:
    figures = {
        "gpu_prefix_hit": MetricValue(unit="share", n=9, mean=0.75),
        "kv_usage_peak": MetricValue(unit="share", n=9, mean=0.5),
        "kv_pool": MetricValue(unit="tok", n=9, mean=4096.0),
        "host_prefix_hit": Absent(reason="no page has it"),
    }
    server = ServerMetrics(
        dialect="vllm", window_s=1.0, before_s=0.0, after_s=0.0, pages=9, metrics=figures
    )
    told = agentx_row.row_of(replace(point(), server=server), STATED)
    assert told.server_metrics == {
        "cache": {
            "gpu_cache_hit_rate": 0.75,
            "cpu_cache_hit_rate": None,
            "overall_cache_hit_rate": None,
        },
        "kv_cache": {"gpu_usage_pct": 0.5, "gpu_total_tokens": 4096.0},
    }
    assert told.kv_cache_pool_tokens == 4096
    assert told.warnings is not None
    assert "cache.cpu_cache_hit_rate: no page has it" in told.warnings


def test_accelerators_that_are_stated_share_the_throughput() -> None:
    """50 tokens a second over 25 accelerators are 2 each, whatever the bundle knew."""
    told = row(num_gpus=25)
    assert told["num_gpus"] == 25
    assert told["request_metrics"]["throughput"]["per_gpu"]["total_tput_tps"] == 2


def test_what_nobody_stated_is_asked_for_at_once() -> None:
    lines = refusal(lambda: agentx_row.row_of(point(), {})).splitlines()
    assert {line.split(": ")[1] for line in lines} == STATED.keys()
    assert all(line.endswith("state it with --fact KEY=VALUE") for line in lines)


def test_a_point_that_replays_nothing_has_no_row() -> None:
    told = point()
    fixed = replace(told, summary=told.summary.model_copy(update={"replay": None}))
    said = refusal(lambda: agentx_row.row_of(fixed, STATED))
    assert "the point replays no sessions" in said


def test_a_row_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = agentx_row.write(point(), tmp_path, STATED)
    assert agentx_row.read(path) == agentx_row.row_of(point(), STATED)
    assert json.loads(path.read_text()) == row()


def test_a_point_of_several_nodes_has_its_roles(tmp_path: Path) -> None:
    path = agentx_row.write(point(), tmp_path, {**STATED, **ROLES})
    told = json.loads(path.read_text())
    assert (told["prefill_pp"], told["decode_pcp_size"], "pp" in told) == (1, 1, False)
    assert agentx_row.read(path).is_multinode is True


GONE = object()


@pytest.mark.parametrize(
    ("key", "value", "names"),
    [
        ("result_schema_version", 2, "result_schema_version"),
        ("result_schema_version", True, "result_schema_version"),
        ("hw", "", "hw"),
        ("hw", GONE, "hw"),
        ("conc", 0, "conc"),
        ("conc", 4.0, "conc"),
        ("conc", "4", "conc"),
        ("recipe_fingerprint", "abc", "recipe_fingerprint"),
        ("recipe_fingerprint", None, "recipe_fingerprint"),
        ("disagg", "false", "disagg"),
        ("dp_attention", False, "dp_attention"),
        ("dp_attention", "no", "dp_attention"),
        ("scenario_type", "fixed", "scenario_type"),
        ("num_gpus", 0, "num_gpus"),
        ("kv_offload_backend", GONE, "kv_offload_backend"),
        ("kv_offload_backend", {"version": "1"}, "kv_offload_backend.name"),
        ("kv_offload_backend", {"name": "lmcache", "version": None}, "version is null"),
        ("kv_offload_backend", {"name": "lmcache", "size": 1}, "kv_offload_backend.size"),
        ("allocated_cpu_dram_gb", -1, "allocated_cpu_dram_gb"),
        ("request_accounting", {"records_total": 4}, "request_accounting.records_profiled"),
        ("request_metrics", GONE, "request_metrics"),
        ("server_metrics", GONE, "server_metrics"),
        ("kv_cache_pool_tokens", GONE, "kv_cache_pool_tokens"),
        ("kv_cache_pool_tokens", 1.5, "kv_cache_pool_tokens"),
        ("router", None, "router is null"),
        ("router", {"name": "smg"}, "router.version"),
        ("kv_p2p_transfer", "", "kv_p2p_transfer"),
        ("dataset", "weka", "dataset"),
        ("warnings", ["a", 1], "warnings.1"),
        ("pp", GONE, "pp"),
        ("prefill_tp", 8, "unknown keys prefill_tp"),
        ("submission_valid", 1.0, "unknown keys submission_valid"),
        ("avg_power_w", "700", "avg_power_w"),
        ("power_valid", 2, "power_valid"),
        ("power_metric_schema_version", 1, "power_metric_schema_version"),
        ("is_multinode", GONE, "is_multinode is true or false"),
        ("is_multinode", True, "prefill_num_workers"),
    ],
)
def test_each_violation_is_refused_by_name(tmp_path: Path, key: str, value, names: str) -> None:
    told = row()
    told.pop(key, None)
    if value is not GONE:
        told[key] = value
    path = tmp_path / "row.json"
    path.write_text(json.dumps(told))
    assert names in refusal(lambda: agentx_row.read(path))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("place", ["avg_power_w", "request_metrics"])
def test_numbers_that_json_has_not_are_refused(tmp_path: Path, number: str, place: str) -> None:
    told = row()
    text = json.dumps({**told, place: "HERE" if place == "avg_power_w" else {"qps": ["HERE"]}})
    path = tmp_path / "row.json"
    path.write_text(text.replace('"HERE"', number))
    assert str(path) in refusal(lambda: agentx_row.read(path))


def test_numbers_that_are_not_finite_are_not_written(tmp_path: Path) -> None:
    said = refusal(lambda: agentx_row.write(point(), tmp_path, {**STATED, "avg_power_w": "x"}))
    assert "avg_power_w" in said
    assert list(tmp_path.iterdir()) == []


def test_accounting_that_does_not_add_up_is_refused(tmp_path: Path) -> None:
    told = row()
    for key, why in (("records_profiled", "records_total"), ("error_categories", "add up")):
        wrong = {"records_profiled": 3, "error_categories": {"reset": 1}}[key]
        broken = {**told, "request_accounting": {**told["request_accounting"], key: wrong}}
        path = tmp_path / "row.json"
        path.write_text(json.dumps(broken))
        assert why in refusal(lambda: agentx_row.read(path))  # noqa: B023 - called at once


def test_power_is_the_one_thing_that_a_row_may_have_more(tmp_path: Path) -> None:
    power = {"power_metric_schema_version": 2, "power_valid": 1, "avg_power_w": 700.0}
    path = agentx_row.write(point(), tmp_path, {**STATED, **power, "p90_total_gpu_power_w": 5600})
    assert json.loads(path.read_text())["p90_total_gpu_power_w"] == 5600
    broken = {**STATED, **power, "power_valid": 0}
    assert "no numbers" in refusal(lambda: agentx_row.row_of(point(), broken))
