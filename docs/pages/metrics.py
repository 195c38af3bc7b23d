"""The page of metrics, from the docstrings of their modules, and of what makes a point invalid."""

import re
from importlib import import_module

from infx.metrics import METRICS, OF_REPLAYS
from infx.model.result import Absent, MetricValue
from infx.model.validity import REASONS
from pages.text import code, doc, page, table

HEADINGS = ("Formula", "Unit", "Absent when", "Source")
ALL = METRICS | OF_REPLAYS
_HEADING = re.compile(rf"^({'|'.join(HEADINGS)}): ", re.MULTILINE)


def metrics() -> str:
    """Return the page: an overview, a section a metric, and the reasons against certifying."""
    return page(
        "Metrics",
        doc(import_module("infx.metrics")),
        "InferenceX AgentX is the public agentic benchmark whose rules the field compares by.",
        table(("metric", "unit", "better when", "also per GPU"), map(_row, ALL)),
        f"Only where sessions are replayed: {', '.join(map(code, OF_REPLAYS))}.",
        *map(_section, ALL),
        f"## What a figure is\n\n{doc(MetricValue)}",
        f"Where there is none, `reason` says why. {doc(Absent)}",
        "Both are described in [bundle.md](bundle.md#metricvalue).",
        "## Why a point or a run is not certified",
        table(("reason", "meaning"), ((code(name), text) for name, text in REASONS.items())),
    )


def _row(name: str) -> tuple[str, str, str, str]:
    module = import_module(ALL[name])
    per_gpu = code(f"{name}_per_gpu") if getattr(module, "PER_GPU", False) else ""
    return f"[`{name}`](#{name})", module.UNIT, module.BETTER, per_gpu


def _section(name: str) -> str:
    meaning, *rest = _HEADING.split(doc(import_module(ALL[name])))
    found = dict(zip(rest[::2], rest[1::2], strict=True))
    if tuple(found) != HEADINGS:
        raise ValueError(f"{ALL[name]}: headings are {tuple(found)}, expected {HEADINGS}")
    parts = [f"- **{heading}:** {' '.join(text.split())}" for heading, text in found.items()]
    return f"## {name}\n\n{' '.join(meaning.split())}\n\n" + "\n".join(parts)
