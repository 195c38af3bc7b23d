"""Why a point is not certified: every reason by its id, in one sentence for its reader."""

from collections.abc import Mapping
from types import MappingProxyType

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "client-not-audited": (
            "The client did not prove that it was not the bottleneck of this measurement."
        ),
        "nothing-ok": "No request of the profiling phase ended ok.",
        "error-rate": "More than 10 % of the requests that came to an outcome failed.",
        "context-overflow": "More than 1 % of the requests exceeded the model's context.",
        "censored": (
            "More than 1 % of the requests were cut off at the end or lost, so the slowest ones "
            "are missing from the latencies."
        ),
        "usage-missing": "The server reported no token counts for some of the ok requests.",
        "input-drift": (
            "Some prompts differ from the asked length by more than 1 % and 4 tokens, by the "
            "server's own count."
        ),
        "output-shortfall": (
            "More than 5 % of the outputs are shorter than asked by more than 5 % or 50 tokens."
        ),
    }
)
"""Reason id to its sentence, in the order in which they are reported."""
