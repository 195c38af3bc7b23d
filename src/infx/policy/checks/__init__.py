"""One rule a module, named by its id: a docstring that is its manual page, `NEEDS`, and `check`."""

CHECKS: dict[str, str] = {}
"""Check id -> module name."""
