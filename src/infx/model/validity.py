"""Why a point or a run is not certified: each reason by its id, in one sentence."""

from collections.abc import Mapping
from types import MappingProxyType

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "client-not-audited": (
            "The client did not prove that it was not the bottleneck of this measurement."
        ),
        "requests-not-kept": (
            "What was imported has figures of the whole point alone, so none of them can be "
            "computed again."
        ),
        "client-lag": (
            "The client was so late to read first tokens that TTFT may be off by more than 0.5 ms "
            "and 2 % in the mean, or 2 ms and 5 % at p99."
        ),
        "client-late": (
            "Requests left more than 5 ms and 2 % of the median latency after they were due."
        ),
        "fast-workload": (
            "The workload is the short variant of its rule, which is never a submission."
        ),
        "demo-workload": "The workload is a demonstration, which is never a submission.",
        "digest-mismatch": (
            "What was asked is not what the point names: the digest of its corpus or plan differs."
        ),
        "server-not-fresh": (
            "The server had served before this point, and no reset of all its caches is recorded."
        ),
        "primer-failed": (
            "A session could not be set up, as its first request of the warmup failed."
        ),
        "aborted": "The load was broken off before its end.",
        "plan-exhausted": (
            "The planned prompts were used up before the stated time, so lanes stood idle."
        ),
        "unsent": (
            "More than 1 % of the planned requests were never sent, as the load ended before them."
        ),
        "prompts-repeated": (
            "The dataset has fewer prompts than were asked, so a prefix cache may have known some."
        ),
        "prefix-cache-hit": (
            "The server found 1 % or more of the random prompts' tokens in its cache, chat "
            "template not counted, so it had less to do than was asked."
        ),
        "nothing-ok": "No request of the profiling phase ended ok.",
        "error-rate": "More than 10 % of the requests that came to an outcome failed.",
        "context-overflow": "More than 1 % of the requests exceeded the model's context.",
        "censored": (
            "More than 1 % of the requests were cut off at the end or lost, so the slowest ones "
            "are missing from the latencies."
        ),
        "in-flight-limit": (
            "More than 1 % of the requests were due and not sent, as too many were in flight, so "
            "the server did not get the stated rate."
        ),
        "usage-missing": "The server reported no token counts for some of the ok requests.",
        "buffered-stream": (
            "More than 5 % of the answers came in so few chunks that their decode time cannot be "
            "seen: TTFT is too high and TPOT too low."
        ),
        "input-drift": (
            "Some prompts differ from the asked length by more than 1 % and 4 tokens, by the "
            "server's own count."
        ),
        "output-shortfall": (
            "More than 5 % of the outputs are shorter than asked by more than 5 % or 50 tokens."
        ),
        "input-total-drift": (
            "All prompts together differ from the recorded length by more than 1 %, by the "
            "server's own count."
        ),
        "profile-unknown": (
            "Nobody kept when the profiling phase began and ended, so it is not known what the "
            "figures cover."
        ),
        "profile-coverage": (
            "Neither the last first token nor the last inter-token latency reaches 95 % of the "
            "stated time."
        ),
        "mid-run-stall": (
            "For more than 5 % of the time, and more than 10 s, requests were in flight and none "
            "delivered anything."
        ),
        "unequal-windows": (
            "TTFT and the time between tokens rest on different parts of the profile: some request "
            "that tells the one was sent more than 5 % of the time, and more than 10 s, from any "
            "that tells the other."
        ),
        "run-running": "The run has not ended, or its client was killed.",
        "run-interrupted": "The run was stopped before all of its points were measured.",
        "run-failed": "The run failed before all of its points were measured.",
        "run-recovered": "The client was killed; the bundle was finished from what it had kept.",
        "point-unfinished": "A point began and has no summary.",
        "no-points": "The run has no point.",
    }
)
"""Reason id to its sentence, in the order in which they are reported."""
