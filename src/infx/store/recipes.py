"""Recipe files: where they are looked for, and how public ones are read.

Masters name recipes by paths that begin at a root. `recipes/X` and the two folders of the public
repository are names of roots, so they are left out before a root is tried.
"""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from infx.errors import InputError, Problem, nearest
from infx.model.document import Document
from infx.store.documents import read_yaml

ROOTS = (
    "srt-recipes",
    "recipes",
    "benchmarks/single_node/srt-slurm-recipes",
    "benchmarks/multi_node/srt-slurm-recipes",
)
"""Folders of recipes, beside a master file and one and two folders up from there."""

SHARED = "srt-recipes"
"""The folder beside the masters that holds the shared block of each lane."""

_OTHERS = ("-master.yaml", "runners.yaml", "ci-priority.yaml", "perf-changelog.yaml")
"""How files of a catalog end that are no recipes."""

_PREFIXES = ("recipes", *ROOTS[2:])


def is_recipe(path: Path) -> bool:
    """Say whether a YAML file of a catalog's folders is a recipe, by what others are called."""
    if path.parent.name == SHARED and path.stem in LANES:
        return False
    return not path.name.endswith(_OTHERS)


def default_roots(master: Path) -> tuple[Path, ...]:
    """Return the folders of recipes that exist around a master file, the nearest first.

    Those below the working directory are named from there, as people see them.
    """
    home, here = master.absolute().parent, Path.cwd()
    folders = [home, *home.parents][:3]
    found = (folder / name for folder in folders for name in ROOTS)
    return tuple(
        folder.relative_to(here) if folder.is_relative_to(here) else folder
        for folder in found
        if folder.is_dir()
    )


def roots_around(masters: Sequence[Path]) -> tuple[Path, ...]:
    """Return the folders of recipes around several master files, those of the first before."""
    homes = dict.fromkeys(master.parent for master in masters)
    found = (root for home in homes for root in default_roots(home / "any"))
    return tuple(dict.fromkeys(found))


def locate(name: str, roots: Sequence[Path], *, where: str | None = None) -> Path | None:
    """Return the file that a master names at `where`, None where no root has it.

    Raises InputError for a name that leads out of its root.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise InputError(
            Problem(f"the recipe {name} leads out of its root", where, "name it from a root")
        )
    for root in roots:
        for spelled in spellings(path):
            if (found := root / spelled).is_file():
                return found
    return None


def find(name: str, roots: Sequence[Path], *, where: str | None = None) -> Path:
    """Return the file that `name` is: a path as it stands, or one that begins at a root.

    Raises InputError with the roots that were tried, and the nearest file where a root has its
    folder; `where` is the line that names the recipe.
    """
    direct = Path(name)
    if where is None and direct.is_file():
        return direct
    found = locate(name, roots) if not direct.is_absolute() and ".." not in direct.parts else None
    if found is not None:
        return found
    if where is None and direct.is_dir():
        raise InputError(Problem("this is a folder", name, "name a file in it"))
    tried = ", ".join(map(str, roots)) or "this folder alone"
    beside = list(_beside(PurePosixPath(name), roots if where is not None else (*roots, Path())))
    advice = nearest(name, beside) if beside else f"looked in {tried}; name one: --recipe-root DIR"
    raise InputError(Problem(f"there is no recipe {name}", where, advice))


def read(path: Path) -> Document:
    """Return a recipe file; repeated keys are warnings, and the last one counts.

    Raises InputError as `read_yaml` does.
    """
    return read_yaml(path, last_wins=True)


def shared_block(master: Path, *, agentic: bool, multinode: bool) -> Path | None:
    """Return the block that is merged under every fragment of a lane, if there is one."""
    path = master.parent / SHARED / f"{lane(agentic=agentic, multinode=multinode)}.yaml"
    return path if path.is_file() else None


def lane(*, agentic: bool, multinode: bool) -> str:
    """Name the lane of a row, which is the name of its shared block.

    >>> lane(agentic=True, multinode=False)
    'agentic-single'
    """
    scenario = "agentic" if agentic else "fixed-sequence"
    return f"{scenario}-{'multi' if multinode else 'single'}"


LANES = tuple(lane(agentic=a, multinode=m) for a in (True, False) for m in (False, True))
"""Every lane: the name of its shared block."""


def spellings(path: PurePosixPath) -> list[PurePosixPath]:
    """Return a recipe's name as it may stand under a root, without the root's own names first."""
    short = [path.relative_to(prefix) for prefix in _PREFIXES if path.is_relative_to(prefix)]
    return [*short, path]


def _beside(path: PurePosixPath, roots: Sequence[Path]) -> list[str]:
    """Return the recipes in the folder that should hold `path`, spelled as `path` is."""
    found: dict[str, None] = {}
    for root in roots:
        for spelled in spellings(path):
            folder = root / spelled.parent
            names = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
            found.update({str(path.with_name(one.name)): None for one in names})
    return list(found)
