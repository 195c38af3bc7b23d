"""`infx acceptance`: the golden curves, and the length that a way to speculate is held to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, get_args

import orjson
from cyclopts import Parameter
from pydantic import JsonValue

from infx.cli.streams import put
from infx.cli.tables import Grid, aligned, printable
from infx.errors import InputError, Problem
from infx.flows.acceptance import curve_of, golden, look_up
from infx.model.acceptance import Cell, Curve, Thinking
from infx.recipes.acceptance.role import Speculation

Format = Literal["text", "json"]
Mode = Literal["on", "off"]


def show(
    curve: str | None = None,
    /,
    *,
    model_prefix: Annotated[
        str | None,
        Parameter(name=("--model-prefix", "--prefix"), help="Model prefix of a config key."),
    ] = None,
    method: Annotated[
        str | None, Parameter(help="How the draft is made: mtp, eagle3, nextn, dspark, dflash.")
    ] = None,
    length: Annotated[int | None, Parameter(help="Draft tokens of one verification step.")] = None,
    thinking: Annotated[Mode | None, Parameter(help="Whether the model thinks.")] = None,
    draft_model: Annotated[
        str, Parameter(help="Name of the draft model, where a model has curves for several.")
    ] = "",
    draft_sample_method: Annotated[
        str | None, Parameter(help="How the draft samples: greedy or probabilistic.")
    ] = None,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Show golden acceptance lengths: all curves, one curve, or the one length of a draft.

    An acceptance length counts the tokens of one verification step, the target's own included.

    Parameters
    ----------
    curve
        Name of a curve, or the path of a curve's file to check.
    """
    asked = {"--model-prefix": model_prefix, "--method": method, "--length": length}
    if any(value is not None for value in asked.values()):
        _complete(asked | {"--thinking": thinking}, curve)
        drafted = Speculation(
            method=str(method).lower(),
            length=length or 0,
            draft_model=draft_model,
            sampling=draft_sample_method,
        )
        cell = look_up(str(model_prefix), drafted, thinking=f"thinking_{thinking}")
        put(cell.model_dump_json() if format == "json" else _cell(cell))
    elif curve is not None:
        one = curve_of(curve)
        put(one.model_dump_json() if format == "json" else _curve(one))
    else:
        curves = golden()
        put(_json(list(curves.values())) if format == "json" else _table(curves))
    return 0


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


def _cell(cell: Cell) -> str:
    return f"{cell.al}  {place(cell)}"


def place(cell: Cell) -> str:
    """Say where a length was looked up."""
    drafts = "1 draft token" if cell.length == 1 else f"{cell.length} draft tokens"
    return f"{cell.curve}, {cell.thinking}, {drafts}"


def _table(curves: Mapping[str, Curve]) -> str:
    lengths = sorted({n for curve in curves.values() for row in curve.cells.values() for n in row})
    width = max(map(len, curves))
    rows = tuple(
        (name.ljust(width), mode.removeprefix("thinking_"), *_lengths(curve, mode, lengths))
        for name, curve in curves.items()
        for mode in _modes(curve)
    )
    heads = ("curve".ljust(width), "thinking", *map(str, lengths))
    grid = Grid("", heads, ("",) * len(heads), rows)
    notes = [f"{name} is known only in part" for name, curve in curves.items() if curve.partial]
    return "\n".join([*aligned(grid), "", *notes])


def _curve(curve: Curve) -> str:
    heads = ("draft tokens", *_modes(curve))
    lengths = sorted({length for row in curve.cells.values() for length in row})
    rows = tuple((str(n), *(_text(curve, mode, n) for mode in _modes(curve))) for n in lengths)
    head = [f"{name:<9} {printable(text)}" for name, text in _facts(curve)]
    grid = Grid("", heads, ("",) * len(heads), rows)
    part = ["", "known only in part: no other cell is public"] if curve.partial else []
    return "\n".join([*head, "", *aligned(grid), *part])


def _facts(curve: Curve) -> Iterator[tuple[str, str]]:
    yield "curve", curve.name
    yield "model", curve.model
    if curve.source is None:
        yield "source", "not stated"
    else:
        shows = {"measurement": "measured there", "launch": "used there, not measured"}
        yield "source", f"{curve.source.run} ({shows[curve.source.shows]})"
    plain = [f"{key} {value}" for key, value in curve.measured.items() if _flat(value)]
    if plain:
        yield "measured", ", ".join(plain)
    sampling = curve.measured.get("sampling")
    for mode, settings in sampling.items() if isinstance(sampling, dict) else ():
        yield "sampling", f"{mode}: {_settings(settings)}"


def _settings(settings: JsonValue) -> str:
    if not isinstance(settings, dict):
        return str(settings)
    shown = (
        f"{key} {value}" if _flat(value) else f"{key} {orjson.dumps(value).decode()}"
        for key, value in settings.items()
    )
    return ", ".join(shown)


def _flat(value: JsonValue) -> bool:
    return not isinstance(value, dict | list)


def _modes(curve: Curve) -> list[Thinking]:
    return [mode for mode in get_args(Thinking) if mode in curve.cells]


def _lengths(curve: Curve, mode: Thinking, lengths: Sequence[int]) -> Iterator[str]:
    return (_text(curve, mode, length) for length in lengths)


def _text(curve: Curve, mode: Thinking, length: int) -> str:
    al = curve.cells[mode].get(length)
    return "-" if al is None else str(al)
