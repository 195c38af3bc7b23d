"""Exports of another client, written by hand."""

import json
from pathlib import Path

START = 1_800_000_000_000_000_000
"""2027-01-15T08:00:00 UTC, in nanoseconds."""
S, MS = 1_000_000_000, 1_000_000


def line(
    turn: int = 0,
    *,
    sent: float = 0.0,
    trace: str = "t",
    stream: str | None = None,
    play: str = "p0",
    phase: str = "profiling",
    tokens: tuple[int, int] = (100, 3),
    off: float | None = 0.0,
    ttft_ms: float = 50.0,
    gaps_ms: tuple[float, ...] = (10.0, 20.0),
    error: dict | None = None,
    **metadata: object,
) -> dict:
    """Return a record: by default TTFT 50 ms and two gaps, so it takes 80 ms."""
    start = START + round(sent * S)
    latency = ttft_ms + sum(gaps_ms)
    stream = trace if stream is None else f"{trace}::{stream}"
    metrics = {
        "request_latency": {"value": latency, "unit": "ms"},
        "time_to_first_token": {"value": ttft_ms, "unit": "ms"},
        "inter_chunk_latency": {"value": list(gaps_ms), "unit": "ms"},
        "usage_prompt_tokens": {"value": tokens[0], "unit": "tokens"},
        "output_sequence_length": {"value": tokens[1], "unit": "tokens"},
    }
    if off is not None:
        metrics["osl_mismatch_diff_pct"] = {"value": off, "unit": "%"}
    told = {
        "metadata": {
            "session_num": turn,
            "x_request_id": f"{play}-{stream}-{turn}",
            "conversation_id": stream,
            "turn_index": turn,
            "source_trace_id": trace,
            "source_outer_idx": turn,
            "credit_issued_ns": start - MS,
            "request_start_ns": start,
            "request_end_ns": start + round(latency * MS),
            "benchmark_phase": phase,
            "agent_depth": 0 if stream == trace else 1,
            "root_correlation_id": play,
            **metadata,
        },
        "metrics": metrics if error is None else {},
    }
    return told if error is None else {**told, "error": error}


def aggregate(**changes: object) -> dict:
    return {
        "schema_version": "1.4",
        "aiperf_version": "0.13.0",
        "input_config": {
            "models": {"items": [{"name": "m"}]},
            "endpoint": {"urls": ["http://h:1"], "type": "chat", "extra": {"ignore_eos": True}},
            "datasets": [{"name": "main", "format": "weka_trace", "random_seed": 42}],
            "phases": [
                {"name": "profiling", "kind": "profiling", "concurrency": 1, "duration": 4.0}
            ],
            "tokenizer": {"name": "hub/m"},
        },
        "run_info": {"random_seed": 42, "cli_command": "aiperf profile -m 'm'"},
        "was_cancelled": False,
        "start_time": "2027-01-15T08:00:00",
        "end_time": "2027-01-15T08:00:04",
        "request_count": {"unit": "requests", "avg": 1.0},
        **changes,
    }


def export(folder: Path, *lines: dict, **changes: object) -> Path:
    """Write an export and return its folder."""
    folder.mkdir(parents=True)
    text = "".join(json.dumps(one) + "\n" for one in lines)
    (folder / "profile_export.jsonl").write_text(text)
    (folder / "profile_export_aiperf.json").write_text(json.dumps(aggregate(**changes)))
    return folder
