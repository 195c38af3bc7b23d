"""Asking under load: the planner, the driver, and the journal it writes through."""
