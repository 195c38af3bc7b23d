"""The page of lints, from the docstrings of their modules."""

import re
from importlib import import_module

from infx.recipes.lints import LINTS
from pages.text import doc, page, table

HEADINGS = ("What", "Why", "Fails", "Passes", "Fix")
_HEADING = re.compile(rf"^({'|'.join(HEADINGS)}): ", re.MULTILINE)


def lints() -> str:
    """Return the page: an overview, and a section a lint."""
    return page(
        "Lints",
        doc(import_module("infx.recipes.lints")),
        "`infx recipe check` asks all of them.",
        table(("lint", "in one sentence"), map(_row, LINTS)),
        *map(_section, LINTS),
    )


def _row(name: str) -> tuple[str, str]:
    return f"[`{name}`](#{name})", _parts(name)[0]


def _section(name: str) -> str:
    head, found = _parts(name)
    parts = [f"- **{heading}:** {text}" for heading, text in found.items()]
    return f"## {name}\n\n{head}\n\n" + "\n".join(parts)


def _parts(name: str) -> tuple[str, dict[str, str]]:
    meaning, *rest = _HEADING.split(doc(import_module(LINTS[name])))
    found = dict(zip(rest[::2], rest[1::2], strict=True))
    if tuple(found) != HEADINGS:
        raise ValueError(f"{LINTS[name]}: headings are {tuple(found)}, expected {HEADINGS}")
    return " ".join(meaning.split()), {key: " ".join(text.split()) for key, text in found.items()}
