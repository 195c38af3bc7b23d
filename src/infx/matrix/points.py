"""Rows to points: one concurrency each."""

from collections.abc import Iterable, Iterator

from infx.matrix.collisions import evaluated_concs
from infx.matrix.evals import LM_EVAL
from infx.matrix.options import sequence_name
from infx.model.recipe_setting import configured
from infx.model.sweep import (
    AgenticMultiRow,
    AgenticSingleRow,
    Evaluation,
    FixedMultiRow,
    FixedSingleRow,
    Multi,
    Point,
    Row,
)


def points(rows: Iterable[Row]) -> Iterator[Point]:
    """Yield the points of rows, in their order."""
    for row in rows:
        checked = evaluated_concs(row) if row.run_eval else ()
        for conc in (row.conc,) if isinstance(row.conc, int) else row.conc:
            yield Point.model_validate(
                {
                    "config-key": row.config_key,
                    "scenario": scenario(row),
                    "runner": row.runner,
                    "recipe": recipe(row),
                    "concurrency": conc,
                    "measured": not row.eval_only,
                    "evaluations": (evaluation(row),) if conc in checked else (),
                }
            )


def scenario(row: Row) -> str:
    """Name what a row asks: `agentic`, or its lengths."""
    if isinstance(row, AgenticSingleRow | AgenticMultiRow):
        return "agentic"
    assert isinstance(row, FixedSingleRow | FixedMultiRow)
    return sequence_name(row.isl, row.osl)


def recipe(row: Row) -> str | None:
    """Return where the server's configuration stands: a recipe, or the setting that names one."""
    if row.srt_recipe is not None:
        return row.srt_recipe
    if not isinstance(row, Multi):
        return None
    roles = (row.prefill.additional_settings, row.decode.additional_settings)
    return configured(text for settings in roles for text in settings or ())


def evaluation(row: Row) -> Evaluation:
    """Return the check of a row that is evaluated; a row that names none means GSM8K."""
    framework, suite = row.eval_framework or LM_EVAL[0], row.eval_suite or LM_EVAL[1]
    return Evaluation(framework=framework, suite=suite)
