"""Numbers from records and samples; one file a metric, every one listed here.

Only the profiling phase enters a metric, and latencies and throughputs rest on requests that ended
`ok`. A metric module says `NAME`, `UNIT`, `BETTER`, and `PER_GPU = True` when it is also shown per
accelerator; its docstring is its manual page. Those of `OF_REPLAYS` are computed where sessions
were replayed.
"""

METRICS = {
    "ttft": "infx.metrics.ttft",
    "ttft_from_due": "infx.metrics.ttft_from_due",
    "ttfo": "infx.metrics.ttfo",
    "e2el": "infx.metrics.e2el",
    "e2el_from_due": "infx.metrics.e2el_from_due",
    "tpot": "infx.metrics.tpot",
    "itl": "infx.metrics.itl",
    "chunk_gap": "infx.metrics.chunk_gap",
    "tokens_per_chunk": "infx.metrics.tokens_per_chunk",
    "interactivity": "infx.metrics.interactivity",
    "e2e_interactivity": "infx.metrics.e2e_interactivity",
    "request_rate": "infx.metrics.request_rate",
    "input_throughput": "infx.metrics.input_throughput",
    "output_throughput": "infx.metrics.output_throughput",
    "total_throughput": "infx.metrics.total_throughput",
    "uncached_throughput": "infx.metrics.uncached_throughput",
    "error_rate": "infx.metrics.error_rate",
    "output_shortfall": "infx.metrics.output_shortfall",
    "input_drift": "infx.metrics.input_drift",
    "queue_time": "infx.metrics.queue_time",
    "goodput": "infx.metrics.goodput",
}

OF_REPLAYS = {
    "theoretical_prefix_hit": "infx.metrics.theoretical_prefix_hit",
    "served_prefix_hit": "infx.metrics.served_prefix_hit",
    "input_total_drift": "infx.metrics.input_total_drift",
    "session_time": "infx.metrics.session_time",
    "turns_per_lane": "infx.metrics.turns_per_lane",
    "acceptance_length": "infx.metrics.acceptance_length",
    "acceptance_error": "infx.metrics.acceptance_error",
}
