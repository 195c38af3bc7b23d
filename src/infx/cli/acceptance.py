"""`infx acceptance`: the golden curves, and the length that a way to speculate is held to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

import orjson
from cyclopts import Parameter
from pydantic import TypeAdapter

from infx.cli.acceptance_text import curve_text, curves_text, place, plan_text
from infx.cli.flags import flag, several
from infx.cli.streams import put
from infx.errors import InputError, Problem
from infx.flows.acceptance import curve_of, golden, look_up, plan_recipe
from infx.model.acceptance import Curve
from infx.recipes.acceptance.overrides import read_overrides
from infx.recipes.acceptance.plan import Conditions, Plan
from infx.recipes.acceptance.role import Speculation
from infx.recipes.binding import Binding

Format = Literal["text", "json"]
Scenario = Literal["fixed-seq-len", "agentic-coding"]
Mode = Literal["on", "off"]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """How a draft is made, for a look-up without a recipe."""

    method: Annotated[
        str | None, Parameter(help="How the draft is made: mtp, eagle3, nextn, dspark, dflash.")
    ] = None
    length: Annotated[int | None, Parameter(help="Draft tokens of one verification step.")] = None
    draft_model: Annotated[
        str, Parameter(help="Name of the draft model, where a model has curves for several.")
    ] = ""
    draft_sample_method: Annotated[
        str | None, Parameter(help="How the draft samples: greedy or probabilistic.")
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A recipe, and the point at which it is bound."""

    recipe: Annotated[
        str | None, Parameter(help="A recipe's FILE or FILE:SELECTOR: say what is injected.")
    ] = None
    concurrency: Annotated[int | None, Parameter(help="Concurrency of the point.")] = None
    scenario_type: Annotated[Scenario, Parameter(help="Scenario of the point.")] = "agentic-coding"
    eval_only: Annotated[bool, flag("The point is an eval, which verifies for real.")] = False
    set: Annotated[
        tuple[str, ...],
        several("PATH=JSON that is set in the bound recipe."),
    ] = ()
    unset: Annotated[
        tuple[str, ...],
        several("PATH that is taken out of the bound recipe."),
    ] = ()


def show(
    curve: str | None = None,
    /,
    *,
    model_prefix: Annotated[
        str | None,
        Parameter(name=("--model-prefix", "--prefix"), help="Model prefix of a config key."),
    ] = None,
    thinking: Annotated[Mode | None, Parameter(help="Whether the model thinks.")] = None,
    draft: Draft = Draft(),
    recipe: Recipe = Recipe(),
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Show golden acceptance lengths: all curves, one curve, one draft's, or what a recipe gets.

    An acceptance length counts the tokens of one verification step, the target's own included.

    Parameters
    ----------
    curve
        Name of a curve, or the path of a curve's file to check.
    """
    mode = None if thinking is None else f"thinking_{thinking}"
    asked = {"--model-prefix": model_prefix, "--method": draft.method, "--length": draft.length}
    if recipe.recipe is not None:
        _complete({"--recipe": recipe.recipe, "--model-prefix": model_prefix}, curve)
        put(FORMATS[format](*_planned(recipe, str(model_prefix), mode)))
    elif any(value is not None for value in asked.values()):
        _complete(asked | {"--thinking": thinking}, curve)
        cell = look_up(str(model_prefix), _drafted(draft), thinking=str(mode))
        put(cell.model_dump_json() if format == "json" else f"{cell.al}  {place(cell)}")
    elif curve is not None:
        one = curve_of(curve)
        put(one.model_dump_json() if format == "json" else curve_text(one))
    else:
        curves = golden()
        put(_json(list(curves.values())) if format == "json" else curves_text(curves))
    return 0


def _planned(asked: Recipe, model_prefix: str, thinking: str | None) -> tuple[Binding, Plan]:
    conditions = Conditions(
        model_prefix=model_prefix,
        thinking=thinking,
        agentic=asked.scenario_type == "agentic-coding",
        eval_only=asked.eval_only,
    )
    return plan_recipe(
        str(asked.recipe),
        conditions,
        concurrency=asked.concurrency,
        changes=read_overrides(asked.set, asked.unset),
    )


def _drafted(draft: Draft) -> Speculation:
    return Speculation(
        method=str(draft.method).lower(),
        length=draft.length or 0,
        draft_model=draft.draft_model,
        sampling=draft.draft_sample_method,
    )


def _complete(asked: Mapping[str, object], curve: str | None) -> None:
    """Refuse a look-up that says too little, or two things."""
    if curve is not None:
        what = "a curve and a look-up are two questions"
        raise InputError(Problem(what, curve, "leave the curve out, or the flags"))
    missing = [flag for flag, value in asked.items() if value is None]
    if missing:
        what = f"a look-up needs {', '.join(asked)}"
        raise InputError(Problem(what, remedy=f"add {', '.join(missing)}"))


def _json(curves: Sequence[Curve]) -> str:
    return orjson.dumps([curve.model_dump(mode="json") for curve in curves]).decode()


def _plan_json(binding: Binding, plan: Plan) -> str:
    shown = {"file": binding.file, "variant": binding.variant}
    return orjson.dumps(shown | TypeAdapter(Plan).dump_python(plan, mode="json")).decode()


FORMATS: Mapping[Format, Callable[[Binding, Plan], str]] = MappingProxyType(
    {"text": plan_text, "json": _plan_json}
)
