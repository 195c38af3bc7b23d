"""Our formulas over the arrays of vLLM's client give the figures that it published beside them."""

import json
import os
from pathlib import Path

import pytest

from handmade import record
from infx.metrics.summary import compute_metrics
from infx.model.measured import Measured
from infx.model.result import MetricValue

WORDS = {"mean": "mean", "median": "p50", "std": "std", "p99": "p99"}


def test_published_figures() -> None:
    root = os.environ.get("INFX_REFERENCE_DATA")
    if root is None:
        pytest.skip("INFX_REFERENCE_DATA does not name the folder of the reference data")
    path = Path(root) / "engine-samples" / "vllm-0.26.0-h200" / "vllm-bench-serve-c64.json"
    published = json.loads(path.read_bytes())
    rows = zip(
        published["start_times"],
        published["ttfts"],
        published["itls"],
        published["input_lens"],
        published["output_lens"],
        strict=True,
    )
    metrics = compute_metrics(
        Measured(
            records=tuple(
                record(
                    sent=sent,
                    first=sent + ttft,
                    gaps=tuple(gaps),
                    end=sent + 60,
                    prompt_tokens=prompt,
                    completion_tokens=output,
                )
                for sent, ttft, gaps, prompt, output in rows
            )
        )
    )
    # What that client calls ITL is the gap between chunks. Our moments are whole nanoseconds.
    for theirs, ours in (("ttft", "ttft"), ("tpot", "tpot"), ("itl", "chunk_gap")):
        figure = metrics[ours]
        assert isinstance(figure, MetricValue)
        for word, statistic in WORDS.items():
            assert 1000 * getattr(figure, statistic) == pytest.approx(
                published[f"{word}_{theirs}_ms"], rel=1e-6
            )
    # Its duration runs until its own tasks are done, 2 ms longer than our window.
    for theirs, ours in (
        ("request_throughput", "request_rate"),
        ("output_throughput", "output_throughput"),
        ("total_token_throughput", "total_throughput"),
    ):
        rate = metrics[ours]
        assert isinstance(rate, MetricValue)
        assert published[theirs] < rate.mean < 1.001 * published[theirs]
