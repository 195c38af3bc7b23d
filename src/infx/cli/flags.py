"""What a flag of a command is: its line of help, and how many values it takes."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter


def flag(text: str) -> Parameter:
    """Return a flag with one value, or a switch; it has no `--no-` form."""
    return Parameter(help=text, negative=())


def several(text: str) -> Parameter:
    """Return a flag that takes all values up to the next flag."""
    return Parameter(help=text, consume_multiple=True, negative=())


Format = Literal["text", "json", "markdown", "github"]
"""Forms that the result of a run has on stdout."""

RecipeRoots = Annotated[tuple[Path, ...], several("Folders where recipes are looked for.")]
