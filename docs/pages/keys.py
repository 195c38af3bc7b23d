"""The page of keys. The fields are those that really enter the digest, seen by calling it."""

import inspect
from collections.abc import Mapping
from unittest import mock

from infx.model import identity
from infx.model.recipe import BoundRecipe, Site
from infx.model.workload import FixedWorkload
from pages.text import code, doc, examples_fenced, fence, page, signature

SAMPLES: Mapping[str, object] = {
    "recipe": BoundRecipe(name="sample"),
    "workload": FixedWorkload(isl=1, osl=1).at_rate(1.0),
    "concurrency": 1,
    "repetition": 0,
    "row": {"image": "sample", "conc": 1},
}
"""An argument of each name that is no text."""

SERVICE = ("canonical", "digest")
"""Functions that make no key of their own."""


def keys() -> str:
    """Return the page: how keys are made, then each key with its fields."""
    names = [
        name
        for name, value in vars(identity).items()
        if inspect.isfunction(value)
        and value.__module__ == identity.__name__
        and not name.startswith("_")
    ]
    return page("Keys", examples_fenced(doc(identity)), *map(_section, names))


def _section(name: str) -> str:
    function = getattr(identity, name)
    blocks = [f"## {name}", fence(signature(function), "python"), doc(function)]
    if name not in SERVICE:
        blocks += _fields(name)
    return "\n\n".join(blocks)


def _fields(name: str) -> list[str]:
    function = getattr(identity, name)
    parameters = inspect.signature(function).parameters.values()
    arguments = {one.name: _sample(one) for one in parameters}
    with mock.patch.object(identity, "digest", wraps=identity.digest) as digested:
        result = function(**arguments)
    content = digested.call_args.args[0] if digested.called else result
    if not isinstance(content, Mapping):
        content = arguments
    listed = ["Made of: " + ", ".join(code(str(field)) for field in sorted(content)) + "."]
    if name == "recipe_digest":
        site = ", ".join(map(code, sorted(Site.model_fields)))
        listed.append(f"Never of the site leaves: {site}.")
    return listed


def _sample(parameter: inspect.Parameter) -> object:
    text = parameter.annotation in (str, str | None)
    return "0" * 64 if text else SAMPLES[parameter.name]
