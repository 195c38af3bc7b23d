"""A replayed point written by hand: 100 turns of 10 s, one after the other, in 1000 s."""

from handmade import NS, record
from infx.flows.summary import summarise
from infx.model.agentic import AgenticWorkload
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.launch import Endpoint
from infx.model.measured import Expected
from infx.model.recipe import BoundRecipe
from infx.model.record import Phase, RequestRecord
from infx.model.result import PointSummary

CORPUS = f"sha256:{'0' * 64}"
PHASE = PhaseWindow(phase=Phase.PROFILING, start_ns=0, end_ns=1000 * NS)
POINT = PointFile(
    point_id="p",
    recipe_digest="r",
    workload_digest="w",
    curve_key={},
    concurrency=1,
    recipe=BoundRecipe(name="endpoint", gpus=8),
    workload=AgenticWorkload(corpus=CORPUS, duration_s=1000.0),
    endpoint=Endpoint(url="http://127.0.0.1:8000", model="m"),
    phases=(PHASE,),
)


def turn(at: float, **changes: object) -> RequestRecord:
    """A request of 10 s with 100 tokens, one every tenth of a second."""
    usual = {
        "sent": at,
        "first": at + 0.1,
        "gaps": (0.1,) * 99,
        "end": at + 10,
        "asked_input": 1000,
        "prompt_tokens": 1000,
        "cached_tokens": 900,
        "asked_output": 100,
        "completion_tokens": 100,
        "request": round(at * 10),
        "turn": round(at * 10),
    }
    return record(**(usual | changes))


def turns(count: int = 100) -> list[RequestRecord]:
    """Requests from 0 s to the stated end at 1000 s."""
    return [turn(1000 / count * place) for place in range(count)]


def point(audit: dict[str, object] | None = None, **settings: object) -> PointFile:
    """A point with these settings beside those of the full rule."""
    workload = AgenticWorkload.under("full", corpus=CORPUS, **{"duration_s": 1000.0, **settings})
    return POINT.model_copy(update={"workload": workload, "audit": audit or {}})


def summary() -> PointSummary:
    """What the good point says: all turns of a recording of which 9 of 10 blocks are known."""
    recorded = {(0, round(100 * n)): Expected("t", "t", n, 9, 10, 100) for n in range(100)}
    skipped = {"idle_skipped": {"times": 2, "s": 30.5}, "tree_idle_skipped": {"times": 0, "s": 0.0}}
    return summarise(point(skipped), tuple(turns()), recorded)
