"""A point before it is measured: what is asked of what, under the keys that follow from it."""

from infx.model.agentic import Workload
from infx.model.bundle import PointFile
from infx.model.identity import curve_key, point_id, recipe_digest, workload_digest
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe


def keyed(
    recipe: BoundRecipe, workload: Workload, *, concurrency: int, endpoint: Endpoint
) -> PointFile:
    """Return the point of a recipe, a workload and a concurrency."""
    recipe_key, workload_key = recipe_digest(recipe), workload_digest(workload)
    return PointFile(
        point_id=point_id(recipe=recipe_key, workload=workload_key, concurrency=concurrency),
        recipe_digest=recipe_key,
        workload_digest=workload_key,
        curve_key=curve_key(recipe, workload),
        concurrency=concurrency,
        recipe=recipe,
        workload=workload,
        endpoint=endpoint,
    )
