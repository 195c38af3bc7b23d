"""Logs of real servers and of hostile ones: settings, drafts and requests by line."""

import os
from pathlib import Path

import pytest

from infx.engines.server_log import drafts, requests, settings

LENGTH = "SGLANG_SIMULATE_ACC_LEN"
VARIABLES = (LENGTH, "SGLANG_SIMULATE_ACC_METHOD", "SGLANG_SIMULATE_ACC")


def said(*lines, variables=VARIABLES):
    return [(one.name, one.value, one.line) for one in settings(lines, variables)]


def test_variables_are_told_with_their_lines_once_for_each_value():
    assert said(
        "starting",
        f"export {LENGTH}=4.05 SGLANG_SIMULATE_ACC_METHOD='match-expected'",
        f"[worker 1] {LENGTH}=4.05",
        f'env: {{{LENGTH}="3.9"}}',
    ) == [
        (f"env.{LENGTH}", "4.05", 2),
        ("env.SGLANG_SIMULATE_ACC_METHOD", "match-expected", 2),
        (f"env.{LENGTH}", "3.9", 4),
    ]


@pytest.mark.parametrize(
    "line", [f"X{LENGTH}=4", f"{LENGTH}_X=4", f"{LENGTH} = 4", f"a.{LENGTH}=4", f"my-{LENGTH}=4"]
)
def test_other_names_are_no_variables(line):
    assert said(line) == []


def test_an_empty_variable_is_told_as_empty():
    assert said(f"{LENGTH}= python") == [(f"env.{LENGTH}", "", 1)]


def test_arguments_of_sglang_are_read_as_data():
    line = (
        "[2026-10-19 09:00:00] server_args=ServerArgs(model_path='/model', tp_size=4, "
        "speculative_algorithm='DFLASH', draft=None, "
        'json_model_override_args=\'{"a": {"b": 1}}\', mode=Mode.AUTO)'
    )
    found = {name: value for name, value, _ in said(line)}
    assert found == {
        "args.model_path": "/model",
        "args.tp_size": "4",
        "args.speculative_algorithm": "DFLASH",
        "args.draft": "None",
        "args.json_model_override_args.a.b": "1",
        "args.mode": "Mode.AUTO",
    }


def test_arguments_of_vllm_are_read_with_parts_of_objects():
    line = (
        "(APIServer pid=1) INFO [api_utils.py:273] non-default args: {'model': 'm', "
        "'speculative_config': {'method': 'mtp', 'rejection_sample_method': 'synthetic'}}"
    )
    found = {name: value for name, value, _ in said(line)}
    assert found["args.speculative_config.rejection_sample_method"] == "synthetic"


@pytest.mark.parametrize(
    "line",
    [
        "server_args=ServerArgs(__import__('os').system('true'))",
        "non-default args: {'a': open('/etc/passwd').read()}",
        "server_args=ServerArgs(" + "(" * 5000 + ")" * 5000 + ")",
        "non-default args: {" + "[" * 100_000 + "}",
        "non-default args: {'a': 1",
        "non-default args: {[]: 1}",
        "server_args=ServerArgs(a=1 b=2)",
        "non-default args: {'a': '" + "x" * 300_000 + "'}",
    ],
)
def test_nothing_that_a_log_holds_is_run_and_nothing_breaks(line):
    assert said(line) == []


def test_drafts_are_known_by_their_class():
    target = "Load weight end. elapsed=9 s, type=MuseForCausalLM, dtype=torch.bfloat16, quant=fp4"
    draft = "Load weight end. elapsed=2 s, type=DFlash2DraftModel, dtype=torch.bfloat16, mem=3.6 GB"
    lower = "Load weight end. type=DeepseekV3ForCausalLMNextN, quant=fp8, dtype=torch.bfloat16"
    found = list(drafts([target, draft, lower]))
    assert [(one.kind, one.dtype, one.quantization, one.line) for one in found] == [
        ("DFlash2DraftModel", "bfloat16", None, 2),
        ("DeepseekV3ForCausalLMNextN", "bfloat16", "fp8", 3),
    ]


def test_requests_are_counted_by_their_path():
    lines = [
        'INFO: 10.0.0.1:1 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
        'INFO: 10.0.0.1:1 - "POST /v1/chat/completions?x=1 HTTP/1.1" 200 OK',
        'INFO: 10.0.0.1:1 - "POST /v1/completions HTTP/1.1" 200 OK',
        'INFO: 10.0.0.1:1 - "GET /v1/models HTTP/1.1" 200 OK',
        "we never POST /v1/completions",
    ]
    assert requests(lines) == {"/v1/chat/completions": 2, "/v1/completions": 1}


def test_a_real_log_of_vllm():
    data = os.environ.get("INFX_REFERENCE_DATA")
    if not data:
        pytest.skip("INFX_REFERENCE_DATA is not set")
    log = Path(data) / "engine-samples" / "vllm-0.26.0-h200" / "server.log"
    lines = log.read_text("utf-8").split("\n")
    found = {one.name: (one.value, one.line) for one in settings(lines, VARIABLES)}
    assert found["args.load_format"] == ("dummy", 7)
    assert found["args.max_model_len"] == ("8192", 7)
    assert requests(lines)["/v1/chat/completions"] == 0
