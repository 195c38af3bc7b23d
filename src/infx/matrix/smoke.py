"""Less of a matrix: the lowest concurrency of each shape, with or without its evaluations."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from infx.matrix.evals import NO_EVAL, changed, lowest, shape
from infx.model.sweep import FixedMultiRow, Multi, Row


def trim(rows: Sequence[Row]) -> list[Row]:
    """Return the row with the lowest concurrency of each shape; evaluations stay, at that one.

    Rows that are only evaluated are shapes of their own for each suite. Order is kept.
    """
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        suite = (row.eval_framework, row.eval_suite) if row.eval_only else None
        groups[shape(row), suite].append(index)
    kept = {min(group, key=lambda index: lowest(rows[index])): group for group in groups.values()}
    return [_trimmed(rows[index], [rows[i] for i in kept[index]]) for index in sorted(kept)]


def _trimmed(row: Row, group: Sequence[Row]) -> Row:
    chosen = next((one for one in group if one.run_eval), None)
    if chosen is not None and not row.run_eval:
        suite = {"eval_framework": chosen.eval_framework, "eval_suite": chosen.eval_suite}
        row = changed(row, run_eval=True, **suite)
    if not isinstance(row, Multi):
        return row
    row = changed(row, conc=(lowest(row),))
    if chosen is None:
        return row
    whole = any(isinstance(one, FixedMultiRow) and one.eval_all_concs for one in group)
    return changed(row, eval_conc=lowest(row), eval_all_concs=True if whole else None)


def smoke(rows: Sequence[Row]) -> list[Row]:
    """Return each shape measured at its lowest concurrency, then evaluated where rows are marked.

    An evaluation keeps the concurrency that it was chosen at, so it is a row of its own.
    """
    measured = [changed(row, **NO_EVAL) for row in rows if not row.eval_only]
    evaluated = [_alone(row) for row in rows if row.run_eval]
    return [*trim(measured), *trim(evaluated)]


def _alone(row: Row) -> Row:
    alone = changed(row, eval_only=True, require_power=None)
    if isinstance(row, Multi) and row.eval_conc is not None:
        return changed(alone, conc=(row.eval_conc,), eval_all_concs=None)
    return alone
