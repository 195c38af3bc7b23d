"""A point that goes out, with records made by hand."""

import bundled
from infx.interchange.outgoing import Outgoing
from infx.model.agentic import AgenticWorkload
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.identity import curve_key, point_id, recipe_digest, workload_digest
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.record import Phase, RequestRecord
from infx.store.expected import RecordedStream, RecordedTurn

from infx.flows.summary import summarise  # isort: skip

WORKLOAD = AgenticWorkload.under("custom", corpus="sha256:" + "c0" * 32, duration_s=10.0)


def turn(outer: int, inner: int | None = None, **facts: object) -> RecordedTurn:
    told = {"input_tokens": 100, "output_tokens": 3, "known": 1, "blocks": 2, **facts}
    return RecordedTurn(outer=outer, inner=inner, **told)


STREAMS = (
    RecordedStream(stream=0, trace="t", name="t", turns=(turn(0), turn(2))),
    RecordedStream(stream=1, trace="t", name="t::sa:x", turns=(turn(1, 0),)),
    RecordedStream(stream=2, trace="t", name="t::sa:x:fa:001", turns=(turn(1, 1),)),
)


def replayed(workload: AgenticWorkload = WORKLOAD, **facts: object) -> PointFile:
    recipe = BoundRecipe(name="endpoint", model="m", **facts)
    keys = recipe_digest(recipe), workload_digest(workload)
    return PointFile(
        point_id=point_id(recipe=keys[0], workload=keys[1], concurrency=2),
        recipe_digest=keys[0],
        workload_digest=keys[1],
        curve_key=curve_key(recipe, workload),
        concurrency=2,
        recipe=recipe,
        workload=workload,
        endpoint=Endpoint(url="http://h:1", model="m"),
        phases=(PhaseWindow(phase=Phase.PROFILING, start_ns=0, end_ns=10_000_000_000),),
    )


def outgoing(*records: RequestRecord, point: PointFile | None = None, **more: object) -> Outgoing:
    point = point or replayed()
    return Outgoing(
        manifest=bundled.manifest().model_copy(update={"state": "finished"}),
        point=point,
        summary=summarise(point, records),
        records=records,
        streams={one.stream: one for one in STREAMS},
        **more,
    )
