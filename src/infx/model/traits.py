"""What tells the points of a run apart beside their load, in words that people use for it."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.model.asked import NAMED_SHAPES
from infx.model.bundle import PointFile

ORDER = (
    "workload", "arrivals", "model", "hardware", "engine", "precision", "disaggregated",
    "topology", "speculative", "offload", "gpus", "image", "rule", "corpus",
)  # fmt: skip
"""The traits, from what is asked about first."""

SHAPES: Mapping[tuple[int, int], str] = {lengths: name for name, lengths in NAMED_SHAPES.items()}
SIZES = ("tp", "pp", "ep", "dcp_size", "pcp_size", "dcp", "pcp")
ROLES = ("prefill", "decode")
DIGITS = 8
"""How much of a digest people compare."""


def traits(point: PointFile) -> dict[str, str]:
    """Return what is known of a point's recipe and workload, in `ORDER`; the unstated is left out.

    Topology reads as `tp8 ep8`, a corpus by the beginning of its digest.
    """
    recipe, work = point.recipe, point.workload
    found = {
        **curve_traits(point.curve_key),
        "disaggregated": _disaggregated(recipe.disaggregated),
        "topology": _topology(recipe.topology or {}),
        "speculative": recipe.speculative,
        "offload": recipe.offload,
        "gpus": _gpus(recipe.gpus),
        "image": recipe.image,
    }
    if work.scenario == "agentic":
        corpus = work.corpus.removeprefix("sha256:")[:DIGITS]
        found |= {"rule": f"rule {work.rule}", "corpus": f"corpus {corpus}"}
    return _ordered(found)


def curve_traits(key: Mapping[str, JsonValue]) -> dict[str, str]:
    """Return what a curve key says, in the same words and order."""
    found = {
        "workload": _workload(key),
        "arrivals": _arrivals(key.get("arrival")),
        "model": _text(key.get("model")),
        "hardware": _text(key.get("hardware")),
        "engine": _text(key.get("framework")),
        "precision": _text(key.get("precision")),
        "disaggregated": _disaggregated(key.get("disagg")),
        "speculative": _text(key.get("spec")),
        "offload": _text(key.get("offload")),
    }
    return _ordered(found)


def _ordered(found: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name in ORDER if (text := found.get(name))}


def _workload(key: Mapping[str, JsonValue]) -> str | None:
    """Return `8k1k`, `64/32`, `data set/32` or `agentic`; nothing for a key that is empty."""
    if key.get("benchmark_type") == "agentic_traces":
        return "agentic"
    isl, osl = key.get("isl"), key.get("osl")
    if not isinstance(osl, int):
        return None
    if not isinstance(isl, int):
        return f"data set/{osl}"
    return SHAPES.get((isl, osl), f"{isl}/{osl}")


def _arrivals(arrival: JsonValue) -> str | None:
    """Return how the requests of an open loop arrive, nothing for a closed one."""
    if not isinstance(arrival, dict):
        return None
    shape = "" if arrival.get("shape") is None else f" {arrival['shape']}"
    series = " at a series of rates" if arrival.get("rates") else ""
    return f"{arrival['process']}{shape} arrivals{series}"


def _disaggregated(stated: JsonValue) -> str | None:
    if not isinstance(stated, bool):
        return None
    return "disaggregated" if stated else "aggregated"


def _topology(sizes: Mapping[str, int]) -> str:
    """Return sizes from the largest split to the smallest, those of roles behind their names.

    A size of 1 splits nothing, and is left out but for tensor parallelism.
    """
    parts = []
    for role in ("", *ROLES):
        named = {name: sizes.get(f"{role}_{name}" if role else name) for name in SIZES}
        kept = [
            f"{name.removesuffix('_size')}{size}"
            for name, size in named.items()
            if size is not None and (size != 1 or name == "tp")
        ]
        workers = sizes.get(f"{role}_num_workers")
        if kept or workers:
            times = [f"{workers} x"] if workers else []
            parts.append(" ".join([*([role] if role else []), *times, *kept]))
    return ", ".join(parts)


def _gpus(count: int | None) -> str | None:
    if count is None:
        return None
    return "1 GPU" if count == 1 else f"{count} GPUs"


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
