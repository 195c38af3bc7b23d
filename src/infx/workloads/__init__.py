"""What to ask: scenarios that unfold a declared workload into seeded sessions."""

WORKLOADS = {"fixed": "infx.workloads.fixed"}
"""Scenario id to the module that builds its sessions."""
