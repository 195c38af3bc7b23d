"""Golden acceptance for who asks: the shipped curves, one of their cells, a recipe's own."""

from collections.abc import Sequence
from pathlib import Path

from infx.errors import InputError, Problem, nearest
from infx.flows.recipes import open_recipe
from infx.model.acceptance import Cell, Curve
from infx.model.bundle import PointFile
from infx.model.model_registry import ModelRegistry
from infx.recipes.acceptance import curves, naming
from infx.recipes.acceptance.bound import plan_bound
from infx.recipes.acceptance.overrides import Override
from infx.recipes.acceptance.plan import Conditions, Plan
from infx.recipes.acceptance.role import Speculation
from infx.recipes.acceptance.served import golden_of
from infx.recipes.bind import bind
from infx.recipes.binding import Binding
from infx.recipes.target import Target
from infx.store.documents import read_yaml
from infx.store.golden import golden_documents
from infx.store.registries import registry


def golden() -> dict[str, Curve]:
    """Return every shipped curve, by name."""
    return {name: curves.read_curve(name, document) for name, document in golden_documents()}


def curve_of(reference: str) -> Curve:
    """Return a shipped curve by its name, or the curve of a file by its path.

    A reference with a slash or the ending `.yaml` is a path. Raises InputError when there is no
    such curve, or with every problem of the file.
    """
    if "/" in reference or reference.endswith(".yaml"):
        path = Path(reference)
        return curves.read_curve(path.stem, read_yaml(path))
    shipped = golden()
    if reference not in shipped:
        raise InputError(
            Problem(f"there is no golden curve {reference}", remedy=nearest(reference, shipped))
        )
    return shipped[reference]


def look_up(prefix: str, speculation: Speculation, *, thinking: str) -> Cell:
    """Return the golden cell of a model prefix and a way to speculate.

    Raises InputError when there is none.
    """
    name = naming.curve_name(prefix, speculation)
    return curves.find(golden(), name, thinking=thinking, length=speculation.length)


def golden_of_point(point: PointFile) -> Cell | str:
    """Return the golden cell that a replay's server is held to, or why none can be told."""
    models = registry(ModelRegistry)
    return golden_of(point.recipe, point.workload.extra_body, golden(), models)


def plan_recipe(
    reference: str,
    conditions: Conditions,
    *,
    concurrency: int | None,
    changes: Sequence[Override] = (),
) -> tuple[Binding, Plan]:
    """Bind `FILE` or `FILE:SELECTOR` at a concurrency, and say what golden acceptance does to it.

    Raises InputError for what binding and golden acceptance refuse.
    """
    document, selector = open_recipe(reference)
    binding = bind(document, selector=selector, shared=None, target=Target(concurrency=concurrency))
    return binding, plan_bound(binding, conditions, golden(), document=document, changes=changes)
