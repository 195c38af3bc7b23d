"""`infx explain [ID]`: what checks there are, and the manual page of one."""

import json as standard_json
from dataclasses import asdict
from textwrap import indent
from typing import Annotated, Literal

from cyclopts import Parameter

from infx.cli.grids import Grid, aligned, markdown_grid
from infx.cli.streams import put
from infx.flows.explain import explained, pages
from infx.policy.manual import Page

Format = Literal["text", "json", "markdown"]


def explain(
    check: str | None = None,
    /,
    *,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> None:
    """Say what a check asks, why, what fails and passes, how to fix it, and what it needs to know.

    Parameters
    ----------
    check
        The id of a check, or its public number. Without one, all checks are listed.
    """
    if check is None:
        found = pages()
        if format == "json":
            put(standard_json.dumps([asdict(page) for page in found]))
        else:
            put(markdown_grid(_grid(found)) if format == "markdown" else _list(found))
        return
    page = explained(check)
    put({"text": text, "markdown": markdown, "json": _json}[format](page))


def text(page: Page) -> str:
    """Return a page as text."""
    blocks = [f"{_title(page)}\n{page.rule}"]
    blocks += [f"{head}\n{indent(body, '    ')}" for head, body in page.sections.items()]
    return "\n\n".join([*blocks, f"Judged by\n    {_sets(page)}"])


def markdown(page: Page) -> str:
    """Return a page as Markdown."""
    blocks = [f"# {_title(page)}", page.rule]
    blocks += [f"## {head}\n\n{body}" for head, body in page.sections.items()]
    return "\n\n".join([*blocks, f"## Judged by\n\n{_sets(page)}"])


def _json(page: Page) -> str:
    return standard_json.dumps(asdict(page))


def _title(page: Page) -> str:
    number = "a check of infx" if page.number is None else f"check {page.number}"
    inferred = "; no public page states its rule, which is inferred" if page.inferred else ""
    return f"{page.check}: {page.name}, {number}{inferred}"


def _sets(page: Page) -> str:
    said = (
        f"{name} ({'rejects' if how == 'FAIL' else 'warns'})" for name, how in page.sets.items()
    )
    return ", ".join(said)


def _grid(found: tuple[Page, ...]) -> Grid:
    rows = tuple(
        ("-" if page.number is None else str(page.number), page.check, page.rule, _sets(page))
        for page in found
    )
    return Grid("", ("number", "check", "rule", "judged by"), ("",) * 4, rows)


def _list(found: tuple[Page, ...]) -> str:
    rows = tuple(
        ("-" if page.number is None else str(page.number), page.check.ljust(20), page.rule)
        for page in found
    )
    width = max(len(row[2]) for row in rows)
    named = tuple((number, check, rule.ljust(width)) for number, check, rule in rows)
    return "\n".join(aligned(Grid("", ("", "", ""), ("", "", ""), named)))
