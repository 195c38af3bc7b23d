"""`infx runs export --power-samples`, as transcripts: the power of a row, or why it has none."""

import json
import re

import pytest

from foreign import export, line
from transcript import refused

HEAD = "schema_version,timestamp_unix,scrape_seq,hostname,gpu_index,gpu_uuid,power_w"
FACTS = (
    "hw=b200", "image=i", "infmax_model_prefix=dsv4", "framework=vllm", "precision=fp4",
    "spec_decoding=none", "disagg=false", "is_multinode=false", "tp=1", "ep=1",
    "dp_attention=false", "kv_offloading=none", "allocated_cpu_dram_gb=0",
)  # fmt: skip
WORDS = ("runs", "export", "latest", "--format", "agentx-row", "--out", "row", "--fact", *FACTS)
SPLIT = [
    "is_multinode=true", "disagg=true", "num_prefill_gpu=1", "num_decode_gpu=1", "num_gpus=2",
    *(f"{role}_{one}" for role in ("prefill", "decode") for one in (
        "num_workers=1", "tp=1", "ep=1", "dp_attention=false")),
]  # fmt: skip


@pytest.fixture
def imported(infx, tmp_path):
    """Two requests that take 3.88 of the 4 s of profiling, on two accelerators."""
    export(tmp_path / "theirs" / "a", line(0, sent=0.1), line(1, sent=3.9))
    return infx("runs", "import", "theirs", "--gpus", "2")


def sampled(folder, *, gpus=2, first=-1, last=5):
    """500 W of each accelerator, every 2 s from `first` to `last` s after the start."""
    lines = [
        f"1,{1_800_000_000 + at}.5,{number},node{index},0,GPU-{index},500"
        for number, at in enumerate(range(first, last + 1, 2))
        for index in range(gpus)
    ]
    path = folder / "samples.csv"
    path.write_text("\n".join([HEAD, *lines]) + "\n")
    return path


def power_of(path):
    row = json.loads(path.read_text())
    return {name: one for name, one in row.items() if re.search("power|joules|energy", name)}


def test_a_row_tells_the_energy_of_its_point(infx, imported, tmp_path):
    """2 · 500 W · 4 s = 4000 J for 2 requests, 200 tokens in and 6 out."""
    said = infx(*WORDS, "--power-samples", sampled(tmp_path))
    assert (said.code, said.out, said.err) == (0, "row/agentx_row.json\n", "")
    assert power_of(tmp_path / "row" / "agentx_row.json") == {
        "power_metric_schema_version": 2,
        "power_valid": 1,
        "total_gpu_energy_j": 4000,
        "avg_total_gpu_power_w": 1000,
        "avg_power_w": 500,
        "p75_total_gpu_power_w": 1000,
        "p75_power_w": 500,
        "p90_total_gpu_power_w": 1000,
        "p90_power_w": 500,
        "joules_per_successful_query": 2000,
        "joules_per_input_token": 20,
        "joules_per_output_token": 666.666667,
        "joules_per_total_token": 19.417476,
    }


def test_roles_have_energy_where_they_are_stated(infx, imported, tmp_path):
    words = (*WORDS, *SPLIT, "--power-samples", sampled(tmp_path))
    said = infx(*words)
    assert said.code == 0
    assert [text.split(": ", 2)[2] for text in said.err.splitlines()] == [
        f"no {name}: nobody stated which host is of which role"
        for name in (
            "prefill_gpu_energy_j", "prefill_avg_power_w", "prefill_joules_per_input_token",
            "decode_gpu_energy_j", "decode_avg_power_w", "decode_joules_per_output_token",
        )
    ]  # fmt: skip
    (tmp_path / "row" / "agentx_row.json").unlink()
    said = infx(*words, "--power-role", "node0=prefill", "node1=decode")
    assert (said.code, said.err) == (0, "")
    told = power_of(tmp_path / "row" / "agentx_row.json")
    assert (told["prefill_gpu_energy_j"], told["decode_avg_power_w"]) == (2000, 500)
    assert told["prefill_joules_per_input_token"] == 10


@pytest.mark.parametrize(("how", "why"), [
    ({"gpus": 3}, "3 GPUs were sampled, and the point has 2"),
    ({"first": 1}, "GPU node0/0 has no sample at or before the start"),
])  # fmt: skip
def test_power_that_is_not_valid_has_a_reason_and_no_number(infx, imported, tmp_path, how, why):
    said = infx(*WORDS, "--power-samples", sampled(tmp_path, **how))
    assert (said.code, said.out) == (0, "row/agentx_row.json\n")
    assert re.fullmatch(rf"infx: point [0-9a-f]{{16}}: power is not valid: {why}\n", said.err)
    told = power_of(tmp_path / "row" / "agentx_row.json")
    assert told == {"power_metric_schema_version": 2, "power_valid": 0}


def test_each_point_has_its_own_window(infx, tmp_path):
    """The second one began when nothing was sampled any more."""
    export(tmp_path / "theirs" / "a", line(0, sent=0.1), line(1, sent=3.9))
    later = {"start_time": "2027-01-15T08:01:00", "end_time": "2027-01-15T08:01:04"}
    export(tmp_path / "theirs" / "b", line(0, sent=60.1), line(1, sent=63.9), **later)
    infx("runs", "import", "theirs", "--gpus", "2")
    said = infx(*WORDS, "--power-samples", sampled(tmp_path))
    assert said.code == 0
    first, second = (power_of(tmp_path / path) for path in said.out.split())
    assert (first["total_gpu_energy_j"], second["power_valid"]) == (4000, 0)
    assert said.err.endswith("GPU node0/0 has no sample at or after the end\n")


def test_requests_of_another_time_than_profiling_have_no_energy(infx, tmp_path):
    export(tmp_path / "theirs", line(0, sent=0.1), line(1, sent=1.0))
    infx("runs", "import", "theirs", "--gpus", "2")
    said = infx(*WORDS, "--power-samples", sampled(tmp_path))
    assert said.err.endswith("requests took 0.980 s, and profiling 4.000 s: over 0.500 s apart\n")


def test_samples_and_roles_that_are_of_no_use_are_refused(infx, imported, tmp_path):
    samples = sampled(tmp_path)
    words = ("runs", "export", "latest", "--out", "o", "--format")
    said = infx(*words, "aiperf", "--power-samples", samples)
    assert said == refused(2, "--power-samples: only an AgentX row tells it; leave it out")
    said = infx(*words, "agentx-row", "--power-role", "node0=prefill")
    assert said == refused(2, "--power-role: no samples to share out; add --power-samples")
    said = infx(*WORDS, "--power-samples", samples, "--power-role", "node0=x", "node1=decode")
    assert said == refused(
        2,
        "--power-role: 'node0=x' states no role; write each host once, as node1=prefill or "
        "node1=decode",
    )
    said = infx(*WORDS, "avg_power_w=1", "power_valid=1", "--power-samples", samples)
    assert said.verdict == [
        "infx: --fact: avg_power_w is computed from the samples; leave it out",
        "infx: --fact: power_valid is computed from the samples; leave it out",
    ]
    assert not (tmp_path / "row").exists()
    samples.write_text("power\n")
    said = infx(*WORDS, "--power-samples", samples)
    assert said == refused(2, f"{samples}:1: is no head of power samples; write {HEAD}")
