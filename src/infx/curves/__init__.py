"""Pure geometry of throughput against latency: which points are on the frontier of a curve."""
