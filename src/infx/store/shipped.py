"""The facts that infx ships in its `data` folder."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from infx.errors import InputError, Problem, nearest
from infx.model.engine_schema import EngineSchema
from infx.store.documents import read_json, validate

ENGINES = Path(str(files("infx").joinpath("data", "engines")))


def engine_schemas(folder: Path = ENGINES) -> Iterator[tuple[str, str]]:
    """Yield engine and version of every schema, oldest version of an engine first."""
    stems = (path.stem.partition("-") for path in folder.glob("*-*.json"))
    yield from sorted(
        ((engine, version) for engine, _, version in stems),
        key=lambda one: (one[0], [int(part) for part in re.findall(r"\d+", one[1])]),
    )


def engine_schema(
    engine: str, version: str | None = None, *, folder: Path = ENGINES
) -> EngineSchema:
    """Return an engine's schema, the newest one when no version is asked for.

    Raises InputError when infx has none, or its file is bad.
    """
    known = list(engine_schemas(folder))
    versions = [one[1] for one in known if one[0] == engine]
    if not versions:
        engines = dict.fromkeys(one[0] for one in known)
        raise InputError(
            Problem(f"no schema of an engine {engine!r}", None, nearest(engine, engines))
        )
    if version is not None and version not in versions:
        what = f"no schema of {engine} {version}"
        raise InputError(Problem(what, None, nearest(version, versions)))
    path = folder / f"{engine}-{version or versions[-1]}.json"
    return validate(read_json(path), EngineSchema)
