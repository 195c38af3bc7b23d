"""What aiperf 0.13 prints its metrics as, by their tags; none other is known of a tag."""

from collections.abc import Iterable, Mapping

from infx.model.aiperf import AiperfStatistic

STATISTICS = (
    "avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std",
)  # fmt: skip
"""The statistics of a printed metric, in their order."""
UNNAMED = ("count", "requests")
"""Units that stand behind no name."""
NAMES: Mapping[str, str] = {
    "benchmark_duration": "Benchmark Duration",
    "completed_request_count": "Completed Requests (Success + Error)",
    "context_overflow_count": "Context Overflow Count",
    "credit_to_start_latency": "Credit-to-Start Latency",
    "decode_duration": "Decode Duration",
    "e2e_output_token_throughput": "E2E Output Token Throughput",
    "effective_latency": "Effective Latency (CO-aware)",
    "error_request_count": "Error Request Count",
    "input_sequence_length": "Input Sequence Length",
    "input_token_throughput": "Input Token Throughput",
    "inter_chunk_latency": "Inter Chunk Latency",
    "inter_token_latency": "Inter Token Latency",
    "osl_mismatch_diff_pct": "OSL Mismatch Diff %",
    "output_sequence_length": "Output Sequence Length",
    "output_token_count": "Output Token Count",
    "output_token_throughput": "Output Token Throughput",
    "output_token_throughput_per_user": "Output Token Throughput Per User",
    "prefill_throughput_per_user": "Prefill Throughput Per User",
    "reasoning_token_count": "Reasoning Token Count",
    "request_count": "Request Count",
    "request_error_rate": "Request Error Rate",
    "request_latency": "Request Latency",
    "request_throughput": "Request Throughput",
    "theoretical_prefix_cache_hit": "Theoretical Prefix Cache Hit",
    "time_to_first_output_token": "Time to First Output Token",
    "time_to_first_token": "Time to First Token",
    "time_to_second_token": "Time to Second Token",
    "total_isl": "Total Input Sequence Length",
    "total_osl": "Total Output Sequence Length",
    "total_output_tokens": "Total Output Tokens",
    "total_reasoning_tokens": "Total Reasoning Tokens",
    "total_token_throughput": "Total Token Throughput",
    "total_usage_completion_tokens": "Total Usage Completion Tokens",
    "total_usage_prompt_cache_read_tokens": "Total Usage Prompt Cache Read Tokens",
    "total_usage_prompt_tokens": "Total Usage Prompt Tokens",
    "total_usage_total_tokens": "Total Usage Total Tokens",
    "usage_completion_tokens": "Usage Completion Tokens",
    "usage_prompt_cache_read_tokens": "Usage Prompt Cache Read Tokens",
    "usage_prompt_tokens": "Usage Prompt Tokens",
    "usage_reasoning_tokens": "Usage Reasoning Tokens",
    "usage_total_tokens": "Usage Total Tokens",
}


def title(tag: str, unit: str) -> str:
    """Return what a table calls a metric: its name, and its unit unless it counts.

    >>> title("request_latency", "ms"), title("request_count", "requests")
    ('Request Latency (ms)', 'Request Count')
    """
    return NAMES[tag] if unit in UNNAMED else f"{NAMES[tag]} ({unit})"


def printed(found: AiperfStatistic) -> dict[str, str]:
    """Return the statistics that a metric has as they are printed, to two decimals."""
    values = ((one, getattr(found, one)) for one in STATISTICS)
    return {one: f"{value:.2f}" for one, value in values if value is not None}


def is_spread(found: AiperfStatistic) -> bool:
    """Say whether a metric is one of requests, which have percentiles, and not of the whole run."""
    return found.p50 is not None


def in_order(metrics: Mapping[str, AiperfStatistic]) -> Iterable[tuple[str, AiperfStatistic]]:
    """Return metrics in the order in which they are printed: that of their tags."""
    return sorted(metrics.items())
