"""At most one evaluation for each place that a dashboard has for its result.

Rows that differ only by image or offload share that place: of two results one would be lost.
"""

from collections.abc import Hashable, Sequence

from infx.matrix.evals import NO_EVAL, changed
from infx.model.sweep import Fixed, FixedMultiRow, Multi, Row, Single


def drop_collisions(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with one evaluation a place: the first without offload, else the first.

    A row that loses some of several concurrencies keeps the others. One that loses all is not
    evaluated, and is gone where it was there for nothing else.
    """
    found: list[Row | None] = list(rows)
    claimed: set[Hashable] = set()
    evaluated = [index for index, row in enumerate(rows) if row.run_eval]
    for index in sorted(evaluated, key=lambda index: _offloads(rows[index])):
        row = rows[index]
        places = {conc: _place(row, conc) for conc in evaluated_concs(row)}
        free = tuple(conc for conc, place in places.items() if place not in claimed)
        claimed.update(places.values())
        if not free:
            found[index] = None if row.eval_only else changed(row, **NO_EVAL)
        elif len(free) < len(places):
            found[index] = changed(row, conc=free)
    return [row for row in found if row is not None]


def evaluated_concs(row: Row) -> tuple[int, ...]:
    """Return the concurrencies at which a row that is evaluated checks answers."""
    if isinstance(row.conc, int):
        return (row.conc,)
    if isinstance(row, FixedMultiRow) and row.eval_all_concs:
        return tuple(sorted(set(row.conc)))
    eval_conc = getattr(row, "eval_conc", None)
    return (eval_conc,) if eval_conc is not None else ()


def _offloads(row: Row) -> bool:
    return getattr(row, "kv_offloading", "none") != "none"


def _place(row: Row, conc: int) -> Hashable:
    """Return the identity under which public dashboards keep the result of an evaluation."""
    topology: tuple[Hashable, ...]
    if isinstance(row.conc, int):
        assert isinstance(row, Single)
        topology = (row.tp, row.ep, row.dp_attn)
    else:
        assert isinstance(row, Multi)
        roles = (row.prefill, row.decode)
        topology = tuple((w.tp, w.ep, w.dp_attn, w.num_worker) for w in roles)
    return (
        (row.model, row.model_prefix, row.runner, row.framework, row.precision),
        (row.spec_decoding, getattr(row, "disagg", False), topology),
        (row.eval_framework, row.eval_suite),
        (row.isl, row.osl) if isinstance(row, Fixed) else None,
        conc,
    )
