"""How prompts were sized, told where they are off the length that was asked."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.model.result import Absent
from infx.report.content import Report, ReportedPoint
from infx.report.markup import Html, table
from infx.report.units import figure, statistic

DRIFTS = frozenset({"input-drift", "input-total-drift"})
"""Reasons that say that prompts differ from the asked length by more than is tolerated."""
NOTHING = "–"


def sizing_table(report: Report) -> Html:
    """Return what sized the prompts of each point that is off; nothing where none is."""
    names = report.names
    off = [point for point in report.points if DRIFTS & set(point.summary.reasons)]
    if not off:
        return Html("")
    head = [names.head.capitalize(), "sized by", "requests off (%)", "all prompts off by (%)",
            "sample by the tokenizer", "sample by the server"]  # fmt: skip
    rows = ([names.row(point.summary), *_cells(point)] for point in off)
    return table("How prompts were sized that are off", head, rows, class_="figures")


def _cells(point: ReportedPoint) -> list[str]:
    tokenizer = point.file.workload.tokenizer
    by = "the server's own count" if tokenizer == "calibrated" else f"tokenizer {tokenizer[:19]}"
    shares = (statistic(point.summary, f"input_{which}drift", "mean") for which in ("", "total_"))
    drift = point.file.calibration.get("text_drift")
    told = drift if isinstance(drift, Mapping) else {}
    return [
        by,
        *(NOTHING if isinstance(share, Absent) else figure(share) for share in shares),
        *(_sample(told.get(by)) for by in ("tokenizer", "server")),
    ]


def _sample(found: JsonValue) -> str:
    """Return how many tokens a sample has beside those that it was made of."""
    if not isinstance(found, Mapping):
        return NOTHING
    counted, asked = found.get("counted_tokens"), found.get("asked_tokens")
    if not isinstance(counted, int) or not isinstance(asked, int):
        return NOTHING
    return f"{counted:,} of {asked:,} tokens"
