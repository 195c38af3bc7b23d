"""Which families of an engine's metrics page measure what; one file a dialect, every one listed.

A dialect says how its names begin (`PREFIXES`) and what they measure (`FAMILIES`). It knows only
names that its docstring gives a source for; a page's other names are kept and mean nothing here.
"""

DIALECTS = {
    "vllm": "infx.telemetry.dialects.vllm",
    "sglang": "infx.telemetry.dialects.sglang",
    "trtllm": "infx.telemetry.dialects.trtllm",
    "dynamo": "infx.telemetry.dialects.dynamo",
    "atom": "infx.telemetry.dialects.atom",
    "llamacpp": "infx.telemetry.dialects.llamacpp",
}
