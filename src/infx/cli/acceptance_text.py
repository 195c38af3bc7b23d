"""How golden acceptance is written for people: curves, one curve, and what a recipe gets."""

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

import orjson
from pydantic import JsonValue

from infx.cli.grids import Grid, aligned, printable, printable_lines
from infx.model.acceptance import Cell, Curve, Thinking
from infx.recipes.acceptance.plan import Plan
from infx.recipes.acceptance.role import Stated
from infx.recipes.binding import Binding


def place(cell: Cell) -> str:
    """Say where a length was looked up."""
    drafts = "1 draft token" if cell.length == 1 else f"{cell.length} draft tokens"
    return f"{cell.curve}, {cell.thinking}, {drafts}"


def curves_text(curves: Mapping[str, Curve]) -> str:
    """Return one row for each curve and thinking mode, and which curves are partial."""
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


def curve_text(curve: Curve) -> str:
    """Return what a curve rests on, and its cells."""
    heads = ("draft tokens", *_modes(curve))
    lengths = sorted({length for row in curve.cells.values() for length in row})
    rows = tuple((str(n), *(_text(curve, mode, n) for mode in _modes(curve))) for n in lengths)
    head = [f"{name:<9} {printable(text)}" for name, text in _facts(curve)]
    grid = Grid("", heads, ("",) * len(heads), rows)
    part = ["", "known only in part: no other cell is public"] if curve.partial else []
    return "\n".join([*head, "", *aligned(grid), *part])


def plan_text(binding: Binding, plan: Plan) -> str:
    """Return the golden length, what is done to each role, and what the recipe says itself."""
    variant = f" {binding.variant}" if binding.variant else ""
    if plan.cell is None:
        golden = f"real acceptance: {plan.reason}"
    else:
        golden = f"golden acceptance {plan.cell.al}: {place(plan.cell)}"
    changes = list(_changes(plan))
    heads, *rows = _padded([("role", "does", "name", "value"), *changes])
    grid = Grid("", heads, ("",) * len(heads), tuple(rows))
    table = "\n".join(aligned(grid)) if changes else "nothing to change"
    notes = [_own(one, plan) for one in plan.stated]
    parts = [f"recipe {binding.file}{variant}\n{golden}", table, "\n".join(notes)]
    return "\n\n".join(printable_lines(part) for part in parts if part)


def _changes(plan: Plan) -> Iterator[tuple[str, str, str, str]]:
    for role, one in plan.roles.items():
        for name, value in one.set_args.items():
            text = value if isinstance(value, str) else orjson.dumps(value).decode()
            yield role, "sets argument", name, text
        for name, text in one.set_env.items():
            yield role, "sets variable", name, text
        yield from ((role, "unsets argument", name, "") for name in one.unset_args)
        yield from ((role, "unsets variable", name, "") for name in one.unset_env)
    for name in plan.unset_environment:
        yield "all", "unsets variable", name, ""


def _padded(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield rows whose cells `aligned` leaves where they begin."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield tuple(cell.ljust(width) for cell, width in zip(row, widths, strict=True))


def _own(stated: Stated, plan: Plan) -> str:
    """Say what a length in the recipe is next to the golden one."""
    if plan.cell is None:
        word = "taken out"
    elif stated.al == plan.cell.al:
        word = "replaced by the same"
    else:
        word = f"replaced: golden is {plan.cell.al}"
    shown = stated.text if stated.al is None else str(stated.al)
    return f"{stated.where}: roles.{stated.role}.{stated.name} states {shown}; {word}"


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
