"""`infx recipe check`: what is wrong, doubtful or not checked in recipe files."""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from cyclopts import Parameter

from infx.cli import values
from infx.cli.flags import RecipeRoots, flag, several
from infx.cli.grids import annotation, printable
from infx.cli.streams import put
from infx.flows.recipe_check import Asked, check_recipes
from infx.model.recipe_check import Finding, RecipeCheck

Format = Literal["text", "json", "github"]
LEVELS: Mapping[str, str] = MappingProxyType(
    {"error": "error", "warning": "warning", "note": "notice"}
)
_SHOWN = 3


def check(
    *files: str,
    concurrency: Annotated[
        tuple[str, ...],
        several("Concurrencies that are asked of every recipe: 1,20 or 1 20."),
    ] = (),
    config_files: Annotated[
        tuple[Path, ...],
        several("Master configurations, whose rows say at which points the recipes are used."),
    ] = (),
    runner_config: Annotated[
        Path | None, flag("The runner file. Default: runners.yaml beside the masters.")
    ] = None,
    image: Annotated[str | None, Parameter(help="The image that the recipes run in.")] = None,
    recipe_root: RecipeRoots = (),
    strict: Annotated[bool, flag("Warnings fail too.")] = False,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Check recipe files: their structure, their engine's flags, and how their settings relate.

    Every variant of each file is checked. The catalog is that of --config-files, else the one that
    is found here: *-master.yaml in this folder, configs or catalog. Exit 1 with errors, with
    --strict also with warnings.

    Parameters
    ----------
    files
        FILE, FILE:SELECTOR or folders. Default: all that the rows of a catalog name.
    """
    found = check_recipes(
        Asked(
            files=files,
            concurrency=values.concurrencies(concurrency),
            image=image,
            masters=config_files or None,
            runners=runner_config,
            roots=recipe_root,
        )
    )
    put(FORMATS[format](found))
    failed = found.count("error") + (found.count("warning") if strict else 0)
    return 1 if failed else 0


def text(found: RecipeCheck) -> str:
    """Return the findings file by file, line by line, then what was not checked, and the sum."""
    blocks = [
        "\n".join([file, *_lines(list(findings))])
        for file, findings in groupby(found.findings, key=lambda one: one.file)
    ]
    if found.unchecked:
        blocks.append("\n".join(found.unchecked))
    return "\n\n".join(
        [*("\n".join(map(printable, block.splitlines())) for block in blocks), _sum(found)]
    )


def github(found: RecipeCheck) -> str:
    """Return a workflow annotation for every finding, and one that sums up."""
    lines = [
        annotation(LEVELS[one.severity], f"infx {one.id} {one.where or one.file}", _said(one))
        for one in found.findings
    ]
    return "\n".join([*lines, annotation("notice", "infx recipe check", _sum(found))])


def json(found: RecipeCheck) -> str:
    """Return the findings as one JSON object on one line."""
    return found.model_dump_json()


FORMATS: Mapping[Format, Callable[[RecipeCheck], str]] = MappingProxyType(
    {"text": text, "json": json, "github": github}
)


def _lines(findings: list[Finding]) -> Iterator[str]:
    rows = [
        (_line(one), one.severity, one.id, _said(one), _variants(one.variants)) for one in findings
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for line, severity, name, said, variants in rows:
        head = f"{line.rjust(widths[0])}  {severity.ljust(widths[1])}  {name.ljust(widths[2])}"
        yield f"  {head}  {said}{f'  [{variants}]' if variants else ''}"


def _line(finding: Finding) -> str:
    """Return the line of a finding, with its file where that is another than the checked one."""
    where = finding.where or ""
    file, colon, line = where.rpartition(":")
    if not colon or not line.isdecimal():
        return "" if where == finding.file else where
    return line if file == finding.file else where


def _said(finding: Finding) -> str:
    return finding.what + (f"; {finding.remedy}" if finding.remedy else "")


def _variants(names: tuple[str, ...]) -> str:
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"


def _sum(found: RecipeCheck) -> str:
    counts = ", ".join(
        _count(found.count(severity), severity) for severity in ("error", "warning", "note")
    )
    return f"{_count(found.files, 'file')}, {_count(found.bindings, 'recipe')}: {counts}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
