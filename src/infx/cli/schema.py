"""`infx schema`: what editors need to complete and check a catalog's YAML."""

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from infx.cli.streams import put
from infx.flows.editor_schemas import RECIPES, recipe_patterns, write_schemas
from infx.store.catalog import home


def write(
    *,
    out: Annotated[Path, Parameter(name="--out", help="Folder that gets the schemas.")] = Path(
        "schemas"
    ),
) -> int:
    """Write JSON Schemas of a catalog's files, and print the line that binds a file to its own.

    The line is a comment: yaml-language-server reads it at the top of a file, and with it an editor
    completes keys, explains them and marks what is wrong. Recipes have a line for each depth of
    folder that they stand in.
    """
    folder = home()
    lines = [
        (files, Path(os.path.relpath(one.path, (folder / files).parent)).as_posix())
        for one in write_schemas(out)
        for files in (recipe_patterns(folder) if one.files == RECIPES else (one.files,))
    ]
    width = max(len(files) for files, _ in lines)
    for files, link in lines:
        put(f"{files:{width}}  # yaml-language-server: $schema={link}")
    return 0
