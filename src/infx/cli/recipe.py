"""`infx recipe show`: what a recipe file is at a concurrency, and which line decides each leaf."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from cyclopts import Parameter

from infx.cli import values
from infx.cli.flags import RecipeRoots, flag, several
from infx.cli.recipe_text import as_json, as_text, as_yaml
from infx.cli.streams import put, say
from infx.flows.recipes import Shown
from infx.flows.recipes import show as bind_all
from infx.recipes.target import Target

Format = Literal["text", "json", "yaml"]

FORMATS: Mapping[Format, Callable[[Shown, bool], str]] = MappingProxyType(
    {"text": as_text, "json": as_json, "yaml": as_yaml}
)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The point at which a recipe is bound."""

    concurrency: Annotated[
        tuple[str, ...],
        several("Concurrencies: 1,20 or 1 20."),
    ] = ()
    kv_offloading: Annotated[
        str | None, Parameter(help="Where the point's evicted KV blocks go: none, dram, nvme.")
    ] = None
    shared: Annotated[
        Path | None, Parameter(help="The shared block of the lane, merged under the recipe.")
    ] = None
    recipe_root: RecipeRoots = ()
    strict: Annotated[bool, flag("Refuse the keys that a master's row states.")] = False


def show(
    recipe: str,
    /,
    *,
    point: Point = Point(),
    why: Annotated[bool, flag("Say file, line and layer of each leaf.")] = False,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> None:
    """Print a recipe as it is bound at a concurrency.

    Exactly one variant must fit; otherwise each one's reason is told. Files of both public forms
    are shown in the form of schema 2.

    Parameters
    ----------
    recipe
        FILE or FILE:SELECTOR, with base, override_NAME, zip_override_NAME[N] or a glob of them.
    """
    found = bind_all(
        recipe,
        concurrency=values.concurrencies(point.concurrency),
        target=Target(offload=point.kv_offloading, strict=point.strict),
        shared=point.shared,
        roots=point.recipe_root,
    )
    warnings = dict.fromkeys(str(one) for shown in found for one in shown.binding.warnings)
    for warning in warnings:
        say(f"warning: {warning}")
    separator = {"text": "\n\n", "json": "\n", "yaml": "\n---\n"}[format]
    put(separator.join(FORMATS[format](shown, why) for shown in found))
