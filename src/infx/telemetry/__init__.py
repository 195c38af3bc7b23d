"""Samples beside the load: facts of the host."""
