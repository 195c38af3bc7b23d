"""Golden curves and recipes for the tests of acceptance, made by hand."""

from pathlib import Path

from infx.recipes.acceptance.curves import read_curve
from infx.store.documents import read_yaml
from infx.store.golden import golden_documents


def shipped():
    """Return the curves that infx ships, by name."""
    return {name: read_curve(name, document) for name, document in golden_documents()}


def written(folder: Path, text: str, name: str = "toy_mtp"):
    """Return the document of a curve's file with this text."""
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return read_yaml(path)


def recipe(engine, args, env=None, **more):
    """Return the tree of a recipe with one role."""
    return {
        "schema": 2,
        "engine": engine,
        "roles": {"agg": {"nodes": 1, "args": args, "env": env or {}}},
        **more,
    }
