"""Pure geometry of throughput against latency."""
