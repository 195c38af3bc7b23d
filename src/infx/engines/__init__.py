"""From a bound recipe to what is started, and from a start log to what really runs.

A module of this room defines `NAME`, `plan(recipe, *, port, python)` and `observe(log)`.
"""

ENGINES = {
    "llamacpp": "infx.engines.llamacpp",
}
"""Engine id -> module name."""
