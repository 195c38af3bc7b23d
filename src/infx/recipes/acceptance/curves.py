"""Golden curves: from a file to a curve, and from a curve to one acceptance length.

Two forms are read. The public one is `model: {thinking mode: {draft length: AL}}`; ours has that
mapping under `golden`, and says beside it where the values come from.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import cast, get_args

from pydantic import JsonValue

from infx.errors import InputError, Problem, nearest
from infx.model.acceptance import Cell, Curve, Source, Thinking
from infx.model.document import Document
from infx.recipes.acceptance.naming import SAFE

MODES = get_args(Thinking)
KEYS = ("partial", "source", "measured", "golden")
SHOWS = ("measurement", "launch")

_LENGTH = re.compile(r"[1-9][0-9]*")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_RUN = re.compile(r"https://\S+")


def read_curve(name: str, document: Document) -> Curve:
    """Return the curve `name` that a document states; raises InputError with every problem."""
    problems: list[Problem] = []
    if not SAFE.fullmatch(name):
        remedy = "use only a-z, 0-9, dot, dash and underscore"
        problems.append(Problem(f"{name!r} is no name of a golden curve", document.file, remedy))
    root = document.value if isinstance(document.value, dict) else {}
    path: tuple[str, ...] = ("golden",) if "golden" in root else ()
    head = root if path else {}
    problems += _head_problems(document, head)
    models = root["golden"] if path else document.value
    model = _model(document, path, models, problems)
    cells = {} if model is None else _cells(document, (*path, model), problems)
    if problems:
        raise InputError(*problems)
    return Curve(
        name=name,
        model=cast("str", model),
        cells=cells,
        partial=head.get("partial") is True,
        source=_source(head),
        measured=cast("dict[str, JsonValue]", head.get("measured") or {}),
    )


def find(
    curves: Mapping[str, Curve], name: str, *, thinking: str, length: int, where: str | None = None
) -> Cell:
    """Return the golden acceptance length of a curve, a thinking mode and a draft length.

    `where` is what asked for it. Raises InputError when there is no such curve, mode or length.
    """
    curve = curves.get(name)
    if curve is None:
        raise InputError(Problem(f"there is no golden curve {name}", where, nearest(name, curves)))
    modes = cast("dict[str, dict[int, Decimal]]", curve.cells)
    if thinking not in modes:
        what = f"the golden curve {name} has no {thinking}"
        raise InputError(Problem(what, where, f"it has {', '.join(modes)}"))
    lengths = modes[thinking]
    if length not in lengths:
        what = f"the golden curve {name} has no draft length {length} with {thinking}"
        part = " and is known only in part" if curve.partial else ""
        raise InputError(Problem(what, where, f"it has {', '.join(map(str, lengths))}{part}"))
    return Cell(
        curve=name,
        model=curve.model,
        thinking=cast("Thinking", thinking),
        length=length,
        al=lengths[length],
    )


def _head_problems(document: Document, head: Mapping[str, JsonValue]) -> Iterator[Problem]:
    for key in head:
        if key not in KEYS:
            yield Problem(f"{key}: unknown key", document.where(key), nearest(key, KEYS))
    if not isinstance(head.get("partial", False), bool):
        yield Problem("partial is not true or false", document.where("partial"), "write true")
    if not isinstance(head.get("measured") or {}, dict):
        yield Problem("measured is not a mapping", document.where("measured"), "name each setting")
    if head and _source(head) is None:
        yield Problem(
            "source does not name a run and what it shows",
            document.where("source"),
            f"write run, a https address, and shows, one of {', '.join(SHOWS)}",
        )


def _source(head: Mapping[str, JsonValue]) -> Source | None:
    source = head.get("source")
    if not isinstance(source, dict) or set(source) != {"run", "shows"}:
        return None
    run, shows = source["run"], source["shows"]
    if not isinstance(run, str) or not _RUN.fullmatch(run) or shows not in SHOWS:
        return None
    return Source.model_validate({"run": run, "shows": shows})


def _model(
    document: Document, path: tuple[str, ...], models: JsonValue, problems: list[Problem]
) -> str | None:
    if isinstance(models, dict) and len(models) == 1:
        return next(iter(models))
    found = ", ".join(models) if isinstance(models, dict) and models else "none"
    problems.append(
        Problem(
            f"a golden curve has exactly one model, and here is {found}",
            document.where(*path),
            "write one file for each model",
        )
    )
    return None


def _cells(
    document: Document, path: tuple[str, ...], problems: list[Problem]
) -> dict[Thinking, dict[int, Decimal]]:
    """Return the cells under a model, and append what is wrong with them."""
    cells: dict[Thinking, dict[int, Decimal]] = {}
    for mode in document.at(path).parts:
        here = (*path, str(mode))
        if mode not in MODES:
            advice = nearest(str(mode), MODES)
            problems.append(Problem(f"{mode}: no thinking mode", document.where(*here), advice))
            continue
        row = cells.setdefault(cast("Thinking", mode), {})
        for key in document.at(here).parts:
            try:
                length, al = _cell(str(key), document.text(*here, key))
            except ValueError as error:
                problems.append(Problem(str(error), document.where(*here, key), "correct it"))
            else:
                row[length] = al
    if not any(cells.values()) and not problems:
        problems.append(Problem("the curve has no cell", document.where(*path), "add one"))
    return cells


def _cell(key: str, text: str | None) -> tuple[int, Decimal]:
    """Return a draft length and its AL; raises ValueError that says what is wrong."""
    if not _LENGTH.fullmatch(key):
        raise ValueError(f"{key}: a draft length is a positive integer")
    if text is None or not _NUMBER.fullmatch(text):
        raise ValueError(f"{key}: the acceptance length is not a finite number, found {text}")
    length, al = int(key), Decimal(text)
    if not 1 <= al <= length + 1:
        raise ValueError(
            f"{key}: the acceptance length {text} is outside 1 to {length + 1}: a step gives its "
            f"own token and at most {length} accepted drafts"
        )
    return length, al
