"""Which window and which accelerators of a point its power is told of."""

from dataclasses import replace

from handmade import NS, record
from infx.flows.exporting_power import Sampled, power_facts
from infx.interchange.agentx_row import row_of
from infx.interchange.outgoing import Outgoing
from infx.model.power import GpuPower
from outgoing import outgoing, replayed

STATED = {
    "hw": "b200", "image": "i", "infmax_model_prefix": "dsv4", "framework": "vllm",
    "precision": "fp4", "spec_decoding": "none", "disagg": False, "is_multinode": False,
    "tp": 1, "ep": 1, "dp_attention": "false", "kv_offloading": "none",
    "allocated_cpu_dram_gb": 0, "num_gpus": 1,
}  # fmt: skip
SPLIT = {
    "is_multinode": True, "num_prefill_gpu": 1, "num_decode_gpu": 1, "num_gpus": 1,
    **{f"{role}_{key}": value for role in ("prefill", "decode") for key, value in {
        "num_workers": 1, "tp": 1, "ep": 1, "dp_attention": "false"}.items()},
}  # fmt: skip
START = 1_800_000_000 * NS - 1000
"""Profiling began at 0 on the clock whose 1000 ns are 1,800,000,000 s of the wall clock."""


def told(point: Outgoing, **facts: object) -> tuple[dict, list[str]]:
    """Return the facts of 100 W, read every 2 s from the start of profiling to its end."""
    moments = tuple(START + at * NS for at in range(0, 11, 2))
    said: list[str] = []
    power = Sampled((GpuPower("a", 0, moments, (100.0,) * 6),), None, said.append)
    return power_facts(power, point, row_of(point, {**STATED, **facts})), said


def point() -> Outgoing:
    """Two requests that fill the 10 s of profiling."""
    tokens = {"prompt_tokens": 90, "completion_tokens": 10}
    return outgoing(
        record(request=0, first=1.0, gaps=(1.0,), **tokens),
        record(request=1, sent=2.0, first=3.0, gaps=(7.0,), **tokens),
    )


def test_the_window_is_that_of_profiling_on_the_wall_clock() -> None:
    """100 W for 10 s are 1000 J; a nanosecond to either side nothing was read."""
    facts, said = told(point())
    assert said == []
    assert (facts["power_valid"], facts["total_gpu_energy_j"]) == (1, 1000)
    assert facts["joules_per_output_token"] == 50


def test_a_point_without_a_window_has_no_power() -> None:
    bare = replace(point(), point=replayed().model_copy(update={"phases": ()}))
    facts, said = told(bare)
    assert facts == {"power_metric_schema_version": 2, "power_valid": 0}
    (reason,) = said
    assert reason.endswith("power is not valid: nobody kept when profiling began and ended")


def test_roles_have_the_accelerators_of_the_whole() -> None:
    facts, (reason,) = told(point(), **SPLIT)
    assert facts["power_valid"] == 0
    assert reason.endswith("num_gpus is 1, and the roles have 2")
