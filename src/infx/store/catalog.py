"""Which files make a catalog, where nobody names them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infx.errors import InputError, Problem

FOLDERS = (".", "configs", "catalog", "inferencex-e2e/configs")
"""Where a catalog is looked for, from the working directory: the first that has masters."""

MASTERS = "*-master.yaml"
RUNNERS = "runners.yaml"
PRIORITY = "ci-priority.yaml"

NONE = f"no {MASTERS} in {', '.join(FOLDERS)}"
"""What is said where nothing is found."""


@dataclass(frozen=True, slots=True)
class CatalogFiles:
    """The master configurations, in the order in which they count, and their runner file."""

    masters: tuple[Path, ...]
    runners: Path


def find(
    masters: Sequence[Path] | None = None,
    runners: Path | None = None,
    *,
    start: Path = Path(),
) -> CatalogFiles:
    """Return the named files; masters nobody named are looked for under `start`.

    The runner file that nobody named is the one beside the first master. Raises InputError where
    nothing is found.
    """
    found = tuple(masters or ()) or masters_under(start)
    if not found:
        raise InputError(Problem(NONE, str(start), "name the files: --config-files F..."))
    beside = found[0].with_name(RUNNERS)
    # A master that is missing itself is told when it is read, with what is wrong in the others.
    if runners is None and found[0].is_file() and not beside.is_file():
        what = f"there is no {RUNNERS} beside it"
        raise InputError(Problem(what, str(found[0]), "name it: --runner-config F"))
    return CatalogFiles(found, runners or beside)


def masters_under(start: Path = Path()) -> tuple[Path, ...]:
    """Return the masters that are found under `start`, none where no folder has any."""
    return tuple(sorted(home(start).glob(MASTERS)))


def home(start: Path = Path()) -> Path:
    """Return the first folder that has masters, or `start` where none has."""
    folders = (start / folder for folder in FOLDERS)
    return next((folder for folder in folders if any(folder.glob(MASTERS))), start)
