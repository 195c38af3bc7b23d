"""Samples beside the load: engine metrics, and facts of the host."""
