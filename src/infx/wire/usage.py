"""Token counts out of a server's `usage`."""

from collections.abc import Mapping


def count(usage: object, key: str) -> int | None:
    """Return a count of `usage` by its key, None where there is none or it is no whole number."""
    value = usage.get(key) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
