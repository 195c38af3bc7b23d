"""Recorded sessions: the formats they come in, and the session trees they mean."""

FORMATS = {
    "weka": "infx.workloads.trace.weka",
    "mooncake": "infx.workloads.trace.mooncake",
    "dag": "infx.workloads.trace.dag",
    "multi-turn": "infx.workloads.trace.multi_turn",
}
"""Format id to the module that reads it: `traces(path, *, tally, skip_bad)`."""
